#pragma once

#include <memory>
#include <vector>

#include "compile.hpp"
#include "model_storage.hpp"
#include "numpy_api.hpp"

namespace kido {

namespace nb = nanobind;

// The native half of kido.Tree: the compiled robot and the names by which Python addresses bodies and joints.
class BoundTree {
public:
    // One row a body, as kido.tree writes them; see compile.hpp. armature: one row, of the dofs.
    BoundTree(nb::handle integers, nb::handle numbers, nb::handle armature, nb::handle gravity, nb::str name,
              nb::tuple body_names, nb::tuple joint_names);

    const Model& model() const { return storage_->model(); }
    const std::shared_ptr<const ModelStorage>& storage() const { return storage_; }

    // Index of a body or joint given by name or index. Raises UnknownNameError, IndexError or TypeError.
    int body(nb::handle key) const { return find(body_names_, body_index_, "body", key); }
    int joint(nb::handle key) const { return find(joint_names_, joint_index_, "joint", key); }
    const CompiledJoint& joint_at(int index) const { return joints_[index]; }
    const nb::str& name() const { return name_; }
    // Of a tree with user joints: the Python half's function of q and v (or None) that gives the numbers of the links of kind
    // user (..., num_user_links * kUserNumbers). It stays with the Python half, where the collector of garbage sees it.
    nb::object user_motion() const { return nb::find(*this).attr("_user_motion"); }
    // Names of the joints that move nothing of mass, and have no armature that makes up for it.
    nb::list massless_joints() const;

private:
    int find(const nb::tuple& names, nb::dict& index, const char* kind, nb::handle key) const;

    std::shared_ptr<const ModelStorage> storage_;
    std::vector<CompiledJoint> joints_;
    nb::str name_;
    nb::tuple body_names_, joint_names_;
    mutable nb::dict body_index_, joint_index_;  // made when a name is first asked for
};

}  // namespace kido
