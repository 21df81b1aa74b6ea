#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "simulated_soft.hpp"
#include "simulated_tree.hpp"
#include "state.hpp"

namespace kido {

// A skeleton in a world: brings what its state says to the world before steps, and what became of it back. Its trees, which have
// nothing to do with each other but that, are simulated each by itself.
class SimulatedSkeleton {
public:
    // plain: nothing acts in its joints but forces. whole: its trees are to be one, for its dofs are coupled, or moved together.
    SimulatedSkeleton(std::shared_ptr<const ModelStorage> model, std::shared_ptr<State> state, bool plain, bool whole, NativeWorld& world,
                      const std::vector<SoftPlace>& softs = {});

    const std::vector<SimulatedTree>& trees() const { return trees_; }
    const State& state() const { return *state_; }
    State& state() { return *state_; }
    // Whether its state need not be up to date while nobody looks at it: none of its joints are functions, none of its bodies soft.
    bool can_owe() const { return !state_->users() && softs_.empty(); }
    // Whether loads are nothing but commands and wrenches on one rigid body.
    bool is_one_rigid_body() const { return trees_.size() == 1 && trees_[0].is_rigid_body(); }
    // The first body of a row of the solver; -1: none of this skeleton.
    int body_of(int row) const;
    // Row of the solver of a body's first point mass.
    int row_of_points(int body) const;
    // The points around a body; null where there are none.
    const SimulatedSoft* soft_of(int body) const;
    // Rows of what sleeps by itself of all, or of a body's tree: the first links of trees that move, and those that soft bodies hang on.
    std::vector<int> sleeping_rows(int body) const;
    // The tree of a body; null: it is fixed to the world.
    const SimulatedTree* tree_of_body(int body) const;
    // Index of the articulation that a dof belongs to, and of the dof there.
    std::pair<int, int> place_of_dof(int dof) const;
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
    void take_motion(NativeWorld& world);
    // Whether positions or velocities are others than the world's: who set them elsewhere and back has moved nothing.
    bool was_moved(NativeWorld& world) const {
        return softs_were_set() || (was_set() && (!known_ || differs(world)));
    }
    // After the world went back to other numbers: see SimulatedSoft::resume.
    void resume(NativeWorld& world, bool takes_targets) {
        for (SimulatedSoft& soft : softs_) soft.resume(world, takes_targets);
        remember();
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
    void forget() {
        known_ = false;
        for (SimulatedSoft& soft : softs_) soft.forget();
    }

private:
    // Whether positions or velocities were set by others since.
    bool was_set() const {
        return !known_ || state_->version(Quantity::position) != seen_positions_ ||
               state_->version(Quantity::velocity) != seen_velocities_;
    }
    bool softs_were_set() const {
        return std::any_of(softs_.begin(), softs_.end(), [](const SimulatedSoft& soft) { return soft.was_set(); });
    }
    void add_softs(const std::vector<SoftPlace>& softs, const SimulatedTree* tree, NativeWorld& world);
    bool differs(NativeWorld& world) const;
    // The last of the naps of its trees, of which each has another number; 0: one of them is awake.
    std::int64_t nap(const NativeWorld& world) const;
    // Sums wrenches on bodies, null: none, to wrenches (6) on all links, about the links' origins, in their axes.
    void bring_wrenches(double* wrenches, const double* of_bodies) const;

    std::shared_ptr<const ModelStorage> model_;
    std::shared_ptr<State> state_;
    std::vector<SimulatedTree> trees_;
    std::vector<SimulatedSoft> softs_;
    unsigned long long seen_positions_ = 0, seen_velocities_ = 0;
    bool known_ = false;
    std::int64_t seen_nap_ = 0;  // in which its motion was taken; 0: it was awake
};

}  // namespace kido
