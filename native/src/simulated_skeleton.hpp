#pragma once

#include <cstdint>
#include <memory>

#include "kido/contact/native_world.hpp"
#include "kido/spatial/vector.hpp"
#include "state.hpp"
#include "state_dynamics.hpp"

namespace kido {

// Numbers of dofs in the last step: motion at its beginning, and forces as means over it.
enum class StepRow : int {
    position, velocity, acceleration, actuator, friction, limit, spring, damper, constraint, prescribed, count
};

// A skeleton in a world: brings what its state says to the world before steps, and what became of it back. A skeleton that is one
// rigid body is a row of the solver, any other an articulation.
class SimulatedSkeleton {
public:
    // plain: nothing acts in its joints but forces.
    SimulatedSkeleton(std::shared_ptr<const ModelStorage> model, std::shared_ptr<State> state, bool plain,
                      NativeWorld& world);

    bool is_rigid_body() const { return tree_ < 0; }
    int tree() const { return tree_; }
    const State& state() const { return *state_; }
    // The first body of a row of the solver; -1: none of this skeleton.
    int body_of(int row) const;
    // Row of the solver and pose (12: origin, axes) in its axes of what is fixed to a body.
    int place(int body, const double* offset, double* pose) const;

    // Positions and velocities where they were changed, else nothing; true where they were.
    bool bring_motion(NativeWorld& world);
    // The same from numbers of their own: positions and velocities (num_dofs).
    void write_motion(NativeWorld& world, const double* q, const double* v) const;
    // a: means over the last step; null: not asked for.
    void read_motion(NativeWorld& world, double* q, double* v, double* a) const;
    void write_loads(NativeWorld& world, const Loads& loads, const unsigned char* limited, const double* commands) const;
    // Constants, actuators, commands and wrenches. limited: of the dofs (num_dofs), whether limits of positions hold.
    void bring_loads(NativeWorld& world, const Loads& loads, const unsigned char* limited) const {
        write_loads(world, loads, limited, state_->row(Quantity::command));
    }
    // Adds what a row of a constraint has of this skeleton: factors (num_dofs) of the velocities; `gives`: whether forces act here.
    void add_shares(int row, const double* factors, bool gives, RowConstraint& constraint) const;
    // Row of the solver of a rigid body, else -1.
    int free_row() const { return is_rigid_body() ? first_row_ : -1; }
    void take_motion(NativeWorld& world);
    // Whether positions or velocities were set by others since.
    bool was_moved() const {
        return !known_ || state_->version(Quantity::position) != seen_positions_ ||
               state_->version(Quantity::velocity) != seen_velocities_;
    }
    // What acted in the last step: rows (StepRow::count, num_dofs), and wrenches (num_bodies, 6) of contacts and constraints on
    // the bodies that lead links, about their origins in their axes at the beginning. False where there was no step.
    bool read_last_step(const NativeWorld& world, double* rows, double* wrenches) const;
    // Takes what the state says now for what the world has.
    void remember() {
        seen_positions_ = state_->version(Quantity::position);
        seen_velocities_ = state_->version(Quantity::velocity);
        known_ = true;
        seen_nap_ = 0;
    }
    void forget() { known_ = false; }
    // Row of the solver of its first link.
    int first_row() const { return first_row_; }

private:
    void write_rigid_motion(NativeWorld& world, const double* q, const double* v) const;
    void read_rigid_motion(const NativeWorld& world, double* q, double* v) const;
    // From center, quaternion and velocity (linear, angular) of the solver's row; returns the link's axes.
    Mat3<double> rigid_motion(const double* center, const double* turn, const double* velocity, double* q, double* v) const;
    void read_rigid_acceleration(const NativeWorld& world, double* a) const;
    bool read_rigid_step(const NativeWorld& world, double* rows, double* wrenches) const;
    bool read_tree_step(const NativeWorld& world, double* rows, double* wrenches) const;
    void bring_wrenches(double* wrenches, const double* of_bodies) const;
    const Link& link() const { return model_->model().links[0]; }

    std::shared_ptr<const ModelStorage> model_;
    std::shared_ptr<State> state_;
    int first_row_, tree_;
    double center_[3], axes_[9], moments_[3];  // of a rigid body: center of mass and principal axes in its link
    unsigned long long seen_positions_ = 0, seen_velocities_ = 0;
    bool known_ = false;
    std::int64_t seen_nap_ = 0;  // in which its motion was taken; 0: it was awake
};

}  // namespace kido
