#pragma once

#include <memory>

#include "kido/contact/native_world.hpp"
#include "kido/spatial/vector.hpp"
#include "model_storage.hpp"
#include "state.hpp"
#include "state_dynamics.hpp"

namespace kido {

// Numbers of dofs in the last step: motion at its beginning, and forces as means over it.
enum class StepRow : int {
    position, velocity, acceleration, actuator, friction, limit, spring, damper, constraint, prescribed, count
};

// One tree of a skeleton in a world, or all of its trees as one: a row of the solver where it is one rigid body, else an
// articulation. Arrays are those of its own dofs and links, unless they are tables of the skeleton.
class SimulatedTree {
public:
    // part: a model of these links alone, of which the first is link `first_link` and dof `first_dof` of the skeleton.
    // plain: nothing acts in its joints but forces.
    SimulatedTree(std::shared_ptr<const ModelStorage> part, int first_link, int first_dof, bool plain, NativeWorld& world);

    const Model& model() const { return part_->model(); }
    bool is_rigid_body() const { return tree_ < 0; }
    // Index among the world's articulations; -1: it is a rigid body.
    int tree() const { return tree_; }
    int first_row() const { return first_row_; }
    int first_link() const { return first_link_; }
    int first_dof() const { return first_dof_; }
    bool has_link(int link) const { return link >= first_link_ && link < first_link_ + model().num_links; }
    bool has_dof(int dof) const { return dof >= first_dof_ && dof < first_dof_ + model().num_dofs; }
    // The skeleton's link of a row of the solver, -1: none of these.
    int link_of(int row) const {
        const int link = row - first_row_;
        return link >= 0 && link < model().num_links ? first_link_ + link : -1;
    }

    // Row of the solver and pose (12) in its axes of what is at a pose in one of the links.
    int place(int link, const Vec3<double>& p, const Mat3<double>& R, double* pose) const;
    void write_motion(NativeWorld& world, const double* q, const double* v, const double* users) const;
    // a: means over the last step; null: not asked for.
    void read_motion(NativeWorld& world, double* q, double* v, double* a) const;
    // Of a rigid body, from center, quaternion and velocity (linear, angular) of the solver's row; returns the link's axes.
    Mat3<double> rigid_motion(const double* center, const double* turn, const double* velocity, double* q, double* v) const;
    // loads, limited, commands: tables of the skeleton, of `num_dofs`; wrenches (6) on the links, about their origins in their axes;
    // null: they were written.
    void write_loads(NativeWorld& world, const Loads& loads, int num_dofs, const unsigned char* limited, const double* commands,
                     const double* wrenches) const;
    // Brings what became of it to the state of the skeleton.
    void take_motion(NativeWorld& world, State& state) const;
    // Adds what a row of a constraint has of this tree; factors: of the skeleton's dofs.
    void add_shares(int row, const double* factors, bool gives, const double* q, RowConstraint& constraint) const;
    // What acted in the last step: rows of a table (StepRow::count, num_dofs) of the skeleton, wrenches (6) on the links.
    bool read_last_step(const NativeWorld& world, int num_dofs, double* rows, double* wrenches) const;
    // Forces of the last step (num_dofs of the skeleton); of rigid bodies and where there was no step zeros.
    void read_forces(const NativeWorld& world, double* actuators, double* friction, double* limits) const {
        if (!is_rigid_body()) world.tree_forces(tree_, actuators + first_dof_, friction + first_dof_, limits + first_dof_);
    }

private:
    void write_rigid_motion(NativeWorld& world, const double* q, const double* v) const;
    void write_rigid_loads(NativeWorld& world, const double* commands, const double* wrench) const;
    void read_rigid_motion(const NativeWorld& world, double* q, double* v) const;
    void read_rigid_acceleration(const NativeWorld& world, double* a) const;
    bool read_rigid_step(const NativeWorld& world, int num_dofs, double* rows, double* wrench) const;
    bool read_tree_step(const NativeWorld& world, int num_dofs, double* rows, double* wrenches) const;
    const Link& link() const { return model().links[0]; }

    std::shared_ptr<const ModelStorage> part_;
    int first_link_, first_dof_, first_row_, tree_;
    double center_[3], axes_[9], moments_[3];  // of a rigid body: center of mass and principal axes in its link
};

}  // namespace kido
