#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "bound_shape.hpp"
#include "bound_state.hpp"
#include "bound_tree.hpp"
#include "exclusive_use.hpp"
#include "held_loads.hpp"
#include "instruction_set.hpp"
#include "python_surfaces.hpp"
#include "simulated_skeleton.hpp"

namespace kido {

// Raises ValueError for a number that no long holds.
long count_of_steps(nb::handle steps);

// The native half of kido.World.
class BoundWorld : public MotionSource {
public:
    BoundWorld() : world_(active_kernels().world.make()) {}
    BoundWorld(const BoundWorld&) = delete;
    ~BoundWorld() { settle(); }
    // softs: bodies and the point masses around them.
    int add_skeleton(const BoundTree& tree, const BoundState& state, bool plain, bool whole,
                     const std::vector<std::pair<int, std::shared_ptr<SoftState>>>& softs);
    void set_loads(int index, nb::object constants, nb::object actuators, nb::object wrenches, nb::object limited);
    void set_couplings(int index, const std::vector<std::tuple<int, int, double, double, bool>>& couplings);
    int add_collider(int skeleton, int body, const BoundShape& shape, nb::object pose, nb::object surface, int group,
                     bool meets_own, int parent);
    // Balls around the points of a body, all with one surface; returns the first one's index.
    int add_point_colliders(int skeleton, int body, int count, const BoundShape& ball, nb::object surface, int group, bool meets_own,
                            bool with_faces, bool meets_itself);
    void set_mask(int collider, std::uint32_t category, std::uint32_t collides_with);
    void exclude(int first, int second);
    // With the motions that were set since the last step.
    nb::tuple near_pairs();
    // Rows of points: normal, on the first, on the second, gap.
    void set_contacts(int pair, nb::object points, double size, bool single);
    // Skeleton -1: the world.
    int add_constraint(int first_skeleton, int first_body, nb::object first_pose, int second_skeleton, int second_body,
                       nb::object second_pose, const std::array<bool, 6>& held, std::optional<double> length,
                       const std::array<double, 4>& softness, bool pulls, bool pushes);
    nb::object constraint_wrench(int index) const;
    bool constraint_unmet(int index) const;
    nb::object constraint_error(int index);
    // Terms: skeleton, dof, factor, whether forces act there; the sum of factor * position and the offset is the error.
    int add_gear(const std::vector<std::tuple<int, int, double, bool>>& terms, double offset, double lower, double upper,
                 const std::array<double, 4>& softness);
    int add_rows(const std::vector<int>& skeletons);
    // Numbers (m, 6): error, speed, lower, upper, coupled row, coefficient; Jacobians (m, num_dofs) of skeletons.
    void set_rows(int index, nb::object numbers, const std::vector<std::pair<int, nb::object>>& jacobians,
                  const std::array<double, 4>& softness);
    nb::tuple row_numbers(int index);
    void set_settings(double step, nb::object gravity, double longest_substep, int sweeps, int relaxing_sweeps,
                      double bounce_threshold, int integrator, double contact_frequency, double contact_damping,
                      double push_speed);
    // When islands fall asleep [s, m/s, rad/s]; never where `after` is infinite.
    void set_sleeping(double after, double linear, double angular);
    // Of a skeleton, all of it, or the tree of one of its bodies; body -1: of the skeleton.
    bool is_asleep(int index, int body) const;
    void wake(int index, int body);
    // False where numbers were no longer finite. After a few steps states are owed what became of them: most of them nobody looks
    // at before the next call.
    bool step(nb::handle steps);
    // The same, without taking over what was set since the last step where `bring` is false.
    bool advance(long count, bool bring = true);
    // For several runs in a row: `begin_runs` before, which others cannot use the world after, then runs without the interpreter's
    // lock, which return how many steps were made, then `take_runs`.
    ExclusiveUse::Turn begin_runs();
    long run(long count, StopSignal* stop);
    void take_runs();
    // Stages of one step, from the first to the last; false where numbers were no longer finite. What acts is brought until it has
    // accelerated; what moved is taken at the end.
    bool run_stages(int first, int last);
    void cancel_step();
    // Whether the states of skeletons were set by others since the world took them.
    bool was_moved() const;
    bool has_tree(int index, int tree) const;
    bool moves_smoothly(int index) const;
    nb::object accelerations(int index, nb::object positions, nb::object velocities);
    void give_motion(int index, nb::object positions, nb::object velocities);
    // Whole numbers of rows (n, 7): kind, first, second, part, normal, island, place in it; numbers (n, 6): lower, upper,
    // correcting, keeping, softness, impulse; how many islands.
    nb::tuple step_rows(double share, double push_speed);
    nb::object step_matrix(int island) const;
    bool give_impulses(nb::object correcting, nb::object keeping, int count, bool last);
    // With what was set since the last step.
    nb::bytes save();
    // Among the same skeletons, whose states have been written.
    bool load(const nb::bytes& bytes, const std::vector<int>& moved);
    // Commands (samples, commands, dofs), each for `hold` steps; start (2, samples, dofs) or None; groups of the colliders, -1:
    // none. Of every `every`-th step positions, velocities, accelerations or None (samples, kept, dofs), wrenches of contacts
    // (samples, kept, groups, 6), their counts (samples, kept, groups); steps done.
    // Of the world as it is now: what other Python threads do to it meanwhile does not reach the rollouts.
    nb::tuple roll_out_commands(nb::object commands, nb::object start, int threads, int hold, int every, bool accelerations,
                                std::vector<int> group_of_collider, int groups);
    // Of a skeleton in the last step: numbers of its dofs, wrenches on its bodies, positions and velocities at the end.
    nb::tuple last_step(int index);
    // Where the last step that failed was not finite: skeleton, -1: not known, and its body.
    std::tuple<int, int> diverged() const;
    nb::tuple contacts(bool at_start);
    nb::dict counts();
    // With what was set since the last step.
    std::shared_ptr<NativeWorld> copy();
    // Takes a copy's place among the same skeletons, whose states have been written.
    void restore(const NativeWorld& copy);
    long steps() const { return steps_; }
    // What samples of a world read: the skeletons that move, points of contact, forces of constraints in the last step.
    const std::vector<SimulatedSkeleton>& skeletons() const { return skeletons_; }
    NativeWorld& native() { return *world_; }
    std::vector<char> archive();
    void set_surface_rules(int friction, int restitution, int rolling);
    void set_surface_source(nb::object function);
    // What Python's collector of garbage looks at.
    PyObject* surface_function() const { return surfaces_ ? surfaces_->function().ptr() : nullptr; }
    void forget_surfaces() {
        world_->set_surface_source(nullptr);
        surfaces_.reset();
    }
    double recorded() const;
    void bring_state(int index) override { skeletons_[index].take_motion(*world_); }

private:
    // What the last step of a skeleton knew of it.
    struct Known {
        unsigned long long commands = 0;  // their version
        bool has_loads = false;           // whether nothing but commands can be others before the next step
    };
    // With Python's lock, for a short time, as many steps as there are; how many were made, -1: numbers were no longer finite.
    long step_at_once(long count);
    void bring_all();
    void owe_all();
    // Positions and velocities that were set, of the skeletons whose states are not owed.
    void bring_motions();
    // Brings what is owed, before the world's numbers are others, or others than Python look at the states.
    void settle();
    // The world's numbers have loads of another time.
    void forget_loads();
    void check_surfaces();
    // Row of the solver and pose in its axes of what is fixed to a body.
    int place(int skeleton, int body, const double* offset, double* pose) const;
    void require_ready() const;
    // The articulation of a skeleton that is simulated as one.
    int whole_tree(int index) const;
    // A step that is cancelled knows nothing of motions that were set inside it.
    void forget_inside();

    ExclusiveUse use_;
    std::size_t colliders_ = 0, constraints_ = 0;
    std::unique_ptr<NativeWorld> world_;
    std::vector<SimulatedSkeleton> skeletons_;
    std::vector<HeldLoads> loads_;
    std::vector<Known> known_;
    std::vector<std::array<double, 12>> frames_;  // of the bodies' origins in their rows, by colliders
    std::unique_ptr<PythonSurfaces> surfaces_;
    std::vector<std::size_t> moved_inside_;  // skeletons whose motion was set inside the present step
    WorldSettings settings_ = {};
    long steps_ = 0;
    bool owes_ = false;  // whether states may be owed what became of them
};

}  // namespace kido
