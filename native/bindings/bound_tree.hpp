#pragma once

#include <memory>

#include "model_storage.hpp"
#include "numpy_api.hpp"

namespace kido {

namespace nb = nanobind;

// The native half of kido.Tree: the compiled robot and the names by which Python addresses bodies and joints.
class BoundTree {
public:
    // Rows of the arrays are links and bodies, as kido.tree compiles them; see bind_tree.cpp.
    BoundTree(nb::handle link_integers, nb::handle link_numbers, nb::handle body_links, nb::handle body_frames,
              nb::handle joint_integers, nb::handle gravity, nb::str name, nb::dict body_names,
              nb::dict joint_names);

    const Model& model() const { return storage_->model(); }

    struct Joint {
        int link_begin, link_end;  // the links that make it up; none for a weld
        int parent_body;           // -1: the world
    };

    // Index of a body or joint given by name or index. Raises UnknownNameError, IndexError or TypeError.
    int body(nb::handle key) const { return find(body_names_, "body", key); }
    int joint(nb::handle key) const { return find(joint_names_, "joint", key); }
    const Joint& joint_at(int index) const { return joints_[index]; }
    const nb::str& name() const { return name_; }
    // Names of the joints that move nothing of mass.
    nb::list massless_joints() const;

private:
    int find(const nb::dict& names, const char* kind, nb::handle key) const;

    std::unique_ptr<ModelStorage> storage_;
    std::vector<Joint> joints_;
    nb::str name_;
    nb::dict body_names_, joint_names_;
};

}  // namespace kido
