#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bound_shape.hpp"
#include "bound_state.hpp"
#include "bound_tree.hpp"
#include "exclusive_use.hpp"
#include "held_loads.hpp"
#include "instruction_set.hpp"
#include "kept_array.hpp"
#include "long_call.hpp"
#include "rollout.hpp"
#include "simulated_skeleton.hpp"
#include "topics.hpp"
#include "world_threads.hpp"

#define FLOATS "numpy.typing.NDArray[numpy.float64]"
#define BYTES "numpy.typing.NDArray[numpy.uint8]"
#define INTEGERS "numpy.typing.NDArray[numpy.int64]"

namespace kido {

using namespace nb::literals;

namespace {

nb::object array_of(int dimensions, const npy_intp* shape, int type) {
    nb::object array = nb::steal(PyArray_SimpleNew(dimensions, shape, type));
    if (!array.is_valid()) throw nb::python_error();
    return array;
}
nb::object floats(npy_intp rows, npy_intp columns) {
    const npy_intp shape[] = {rows, columns};
    return array_of(2, shape, NPY_DOUBLE);
}
std::int64_t* integers_of(const nb::object& array) {
    return static_cast<std::int64_t*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(array.ptr())));
}
double* numbers_of(const nb::object& array) {
    return static_cast<double*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(array.ptr())));
}
void require_index(const char* name, int index, std::size_t count) {
    if (index >= 0 && static_cast<std::size_t>(index) < count) return;
    throw nb::index_error((std::string(name) + ": there is none of index " + std::to_string(index)).c_str());
}

nb::object row_of(npy_intp count) {
    nb::object array = nb::steal(PyArray_SimpleNew(1, &count, NPY_DOUBLE));
    if (!array.is_valid()) throw nb::python_error();
    return array;
}
// Stiffness, damping, frequency, damping ratio.
ConstraintSoftness softness_of(const std::array<double, 4>& s) { return {s[0], s[1], s[2], s[3]}; }

}  // namespace

// Sixteen numbers: friction, restitution, friction across the direction, direction (3), slip, slip across, motion of the surface:
// linear (3), angular (3), rolling and torsional friction. From the axes of a body to those of its row, whose pose is `frame`.
ContactSurface surface_of(const nb::object& numbers, const double* frame) {
    const auto* x = static_cast<const double*>(kept_array("surface", numbers, NPY_DOUBLE, 16, kNoColumns));
    const auto turned = [&](const double* v, double* out) {
        for (int i = 0; i < 3; ++i) out[i] = frame[3 + i] * v[0] + frame[6 + i] * v[1] + frame[9 + i] * v[2];
    };
    ContactSurface s = {};
    s.friction = x[0];
    s.restitution = x[1];
    s.secondary_friction = x[2];
    turned(x + 3, s.direction);
    s.slip = x[6];
    s.secondary_slip = x[7];
    turned(x + 8, s.motion.linear);
    turned(x + 11, s.motion.angular);
    // At the center of the row: the place of the body's origin there is the frame's.
    const double *w = s.motion.angular, *p = frame;
    const double at[3] = {w[1] * p[2] - w[2] * p[1], w[2] * p[0] - w[0] * p[2], w[0] * p[1] - w[1] * p[0]};
    for (int i = 0; i < 3; ++i) s.motion.linear[i] -= at[i];
    s.rolling = x[14];
    s.torsional = x[15];
    return s;
}

// A Python function that says how two colliders meet: numbers as of `surface_of`, in the axes of the first body.
class PythonSurfaces : public SurfaceSource {
public:
    PythonSurfaces(nb::object function, const std::vector<std::array<double, 12>>& frames) : function_(std::move(function)), frames_(frames) {}
    const nb::object& function() const { return function_; }
    PairSurface combine(int first, int second) override {
        const nb::gil_scoped_acquire lock;
        PairSurface pair = {};
        if (failure) return pair;
        try {
            const ContactSurface s = surface_of(function_(first, second), frames_.at(first).data());
            pair = {s.friction, s.restitution, s.secondary_friction, s.slip, s.secondary_slip, s.rolling, s.torsional, {}, false,
                    s.motion, {}};
            std::copy_n(s.direction, 3, pair.direction);
        } catch (...) {
            failure = std::current_exception();
        }
        return pair;
    }
    // Raises what went wrong.
    void check() {
        if (failure) std::rethrow_exception(std::exchange(failure, nullptr));
    }

private:
    nb::object function_;
    const std::vector<std::array<double, 12>>& frames_;  // of the bodies' origins in their rows, by colliders
};

// The native half of kido.World.
class BoundWorld {
public:
    BoundWorld() : world_(active_kernels().world.make()) {}

    int add_skeleton(const BoundTree& tree, const BoundState& state, bool plain) {
        use_.require_free();
        if (state.shared()->model().id != tree.model().id) throw nb::value_error("state: expected one of the tree");
        skeletons_.emplace_back(tree.storage(), state.shared(), plain, *world_);
        loads_.emplace_back();
        world_->keep(tree.storage());
        return static_cast<int>(skeletons_.size()) - 1;
    }
    void set_loads(int index, nb::object constants, nb::object actuators, nb::object wrenches, nb::object limited) {
        use_.require_free();
        require_index("index", index, skeletons_.size());
        loads_[index] = HeldLoads(skeletons_[index], constants, actuators, wrenches, limited);
    }
    void set_couplings(int index, const std::vector<std::tuple<int, int, double, double, bool>>& couplings) {
        use_.require_free();
        require_index("index", index, skeletons_.size());
        const SimulatedSkeleton& skeleton = skeletons_[index];
        if (skeleton.is_rigid_body()) throw nb::value_error("couplings: expected a skeleton of joints");
        std::vector<Coupling> native;
        for (const auto& [follower, leader, ratio, offset, motor] : couplings) {
            for (const int dof : {follower, leader}) require_index("dof", dof, skeleton.state().num_dofs());
            native.push_back({follower, leader, ratio, offset, motor});
        }
        world_->set_couplings(skeleton.tree(), std::move(native));
    }
    int add_collider(int skeleton, int body, const BoundShape& shape, nb::object pose, nb::object surface, int group,
                     bool meets_own, int parent) {
        use_.require_free();
        const auto* p = static_cast<const double*>(kept_array("pose", pose, NPY_DOUBLE, 12, kNoColumns));
        world_->keep(shape.storage());
        Collider collider = {0, &shape.shape(), {}, {}, group, meets_own, -1};
        std::array<double, 12> frame = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
        if (skeleton >= 0) {
            const std::array<double, 12> own = frame;
            place(skeleton, body, own.data(), frame.data());
        }
        collider.surface = surface_of(surface, frame.data());
        if (skeleton < 0) {
            std::copy(p, p + 12, collider.pose);
        } else {
            collider.body = place(skeleton, body, p, collider.pose);
            double unused[12];
            if (parent >= 0) collider.parent = place(skeleton, parent, p, unused);
        }
        frames_.push_back(frame);
        ++colliders_;
        return world_->add_collider(collider);
    }
    void set_mask(int collider, std::uint32_t category, std::uint32_t collides_with) {
        use_.require_free();
        require_index("collider", collider, colliders_);
        world_->set_mask(collider, category, collides_with);
    }
    void exclude(int first, int second) {
        use_.require_free();
        for (const int collider : {first, second}) require_index("collider", collider, colliders_);
        world_->exclude(first, second);
    }
    // With the motions that were set since the last step.
    nb::tuple near_pairs() {
        use_.require_free();
        for (SimulatedSkeleton& skeleton : skeletons_) skeleton.bring_motion(*world_);
        const std::vector<NearPair> found = world_->near_pairs(settings_.step);
        const npy_intp n = static_cast<npy_intp>(found.size()), shape[] = {n, 3};
        nb::object indices = nb::steal(PyArray_SimpleNew(2, shape, NPY_INT64)), numbers = floats(n, 25);
        if (!indices.is_valid()) throw nb::python_error();
        auto* index = static_cast<std::int64_t*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(indices.ptr())));
        double* x = numbers_of(numbers);
        for (const NearPair& pair : found) {
            for (const int i : {pair.index, pair.first, pair.second}) *index++ = i;
            *x++ = pair.margin;
            for (const auto& pose : pair.poses) x = std::copy(pose, pose + 12, x);
        }
        return nb::make_tuple(indices, numbers);
    }
    // Rows of points: normal, on the first, on the second, gap.
    void set_contacts(int pair, nb::object points, double size, bool single) {
        use_.require_free();
        auto* array = reinterpret_cast<PyArrayObject*>(points.ptr());
        if (!PyArray_Check(points.ptr()) || PyArray_NDIM(array) != 2) throw nb::value_error("points: expected shape (n, 10)");
        const npy_intp n = PyArray_DIM(array, 0);
        const auto* x = static_cast<const double*>(kept_array("points", points, NPY_DOUBLE, n, 10));
        std::vector<double> columns(10 * n);
        double *normals = columns.data(), *on_first = normals + 3 * n, *on_second = on_first + 3 * n, *gaps = on_second + 3 * n;
        for (npy_intp k = 0; k < n; ++k) {
            std::copy(x + 10 * k, x + 10 * k + 3, normals + 3 * k);
            std::copy(x + 10 * k + 3, x + 10 * k + 6, on_first + 3 * k);
            std::copy(x + 10 * k + 6, x + 10 * k + 9, on_second + 3 * k);
            gaps[k] = x[10 * k + 9];
        }
        ContactManifold found[kMostManifolds];
        const int count = active_kernels().geometry.gather(normals, on_first, on_second, gaps, static_cast<int>(n), size, single, found,
                                                           kMostManifolds);
        try {
            world_->set_manifolds(pair, found, count);
        } catch (const SurfaceFailure&) {
            check_surfaces();
        }
    }
    // Skeleton -1: the world.
    int add_constraint(int first_skeleton, int first_body, nb::object first_pose, int second_skeleton, int second_body,
                       nb::object second_pose, const std::array<bool, 6>& held, std::optional<double> length,
                       const std::array<double, 4>& softness, bool pulls, bool pushes) {
        use_.require_free();
        BodyConstraint c = {};
        const auto frame = [&](int skeleton, int body, const nb::object& pose, double* out) {
            const auto* p = static_cast<const double*>(kept_array("pose", pose, NPY_DOUBLE, 12, kNoColumns));
            if (skeleton >= 0) return place(skeleton, body, p, out);
            std::copy(p, p + 12, out);
            return 0;
        };
        c.first = frame(first_skeleton, first_body, first_pose, c.first_pose);
        c.second = frame(second_skeleton, second_body, second_pose, c.second_pose);
        c.law = length ? ConstraintLaw::distance : ConstraintLaw::components;
        std::copy(held.begin(), held.end(), c.components);
        c.length = length.value_or(0.0);
        c.softness = softness_of(softness);
        c.pulls = pulls;
        c.pushes = pushes;
        ++constraints_;
        return world_->add_constraint(c);
    }
    nb::object constraint_wrench(int index) const {
        use_.require_free();
        require_index("index", index, constraints_);
        const npy_intp count = 6;
        nb::object out = nb::steal(PyArray_SimpleNew(1, &count, NPY_DOUBLE));
        if (!out.is_valid()) throw nb::python_error();
        world_->constraint_wrench(index, numbers_of(out));
        return out;
    }
    bool constraint_unmet(int index) const {
        use_.require_free();
        return world_->constraint_unmet(index);
    }
    nb::object constraint_error(int index) {
        use_.require_free();
        for (SimulatedSkeleton& skeleton : skeletons_) skeleton.bring_motion(*world_);
        nb::object out = row_of(6);
        world_->constraint_error(index, numbers_of(out));
        return out;
    }
    // Terms: skeleton, dof, factor, whether forces act there; the sum of factor * position and the offset is the error.
    int add_gear(const std::vector<std::tuple<int, int, double, bool>>& terms, double offset, double lower, double upper,
                 const std::array<double, 4>& softness) {
        use_.require_free();
        RowConstraint c = {{{offset, 0.0, lower, upper, -1, 0.0}}, {}, {}, softness_of(softness), true};
        for (const auto& [skeleton, dof, factor, gives] : terms) {
            c.tree_shares.push_back({0, skeletons_.at(skeleton).tree(), dof, factor, gives});
        }
        std::stable_sort(c.tree_shares.begin(), c.tree_shares.end(),
                         [](const TreeShare& a, const TreeShare& b) { return a.tree < b.tree; });
        return world_->add_row_constraint(std::move(c), {});
    }
    int add_rows(const std::vector<int>& skeletons) {
        use_.require_free();
        std::vector<int> bodies;
        for (const int i : skeletons) {
            if (skeletons_.at(i).free_row() >= 0) bodies.push_back(skeletons_.at(i).free_row());
        }
        return world_->add_row_constraint({}, bodies);
    }
    // Numbers (m, 6): error, speed, lower, upper, coupled row, coefficient; Jacobians (m, num_dofs) of skeletons.
    void set_rows(int index, nb::object numbers, const std::vector<std::pair<int, nb::object>>& jacobians,
                  const std::array<double, 4>& softness) {
        use_.require_free();
        const npy_intp m = PyArray_Check(numbers.ptr()) ? PyArray_DIM(reinterpret_cast<PyArrayObject*>(numbers.ptr()), 0) : 0;
        const auto* x = static_cast<const double*>(kept_array("numbers", numbers, NPY_DOUBLE, m, 6));
        RowConstraint c = {{}, {}, {}, softness_of(softness), false};
        for (npy_intp i = 0; i < m; ++i, x += 6) c.rows.push_back({x[0], x[1], x[2], x[3], static_cast<int>(x[4]), x[5]});
        for (const auto& [skeleton, jacobian] : jacobians) {
            const npy_intp n = skeletons_.at(skeleton).state().num_dofs();
            const auto* J = static_cast<const double*>(kept_array("jacobian", jacobian, NPY_DOUBLE, m, n));
            for (npy_intp i = 0; i < m; ++i) skeletons_[skeleton].add_shares(static_cast<int>(i), J + i * n, true, c);
        }
        world_->set_rows(index, std::move(c));
    }
    nb::tuple row_numbers(int index) {
        use_.require_free();
        for (SimulatedSkeleton& skeleton : skeletons_) skeleton.bring_motion(*world_);
        std::vector<double> forces, errors;
        bool unmet = false;
        world_->row_numbers(index, forces, errors, unmet);
        nb::object out[2];
        for (nb::object& o : out) o = row_of(static_cast<npy_intp>(forces.size()));
        std::copy(forces.begin(), forces.end(), numbers_of(out[0]));
        std::copy(errors.begin(), errors.end(), numbers_of(out[1]));
        return nb::make_tuple(out[0], out[1], unmet);
    }
    void set_settings(double step, nb::object gravity, double longest_substep, int sweeps, int relaxing_sweeps,
                      double bounce_threshold, int integrator, double contact_frequency, double contact_damping,
                      double push_speed) {
        use_.require_free();
        const auto* g = static_cast<const double*>(kept_array("gravity", gravity, NPY_DOUBLE, 3, kNoColumns));
        if (!(step > 0.0 && longest_substep > 0.0) || step > 1e6 * longest_substep) throw nb::value_error("step: expected a positive time");
        if (integrator < 0 || integrator >= static_cast<int>(Integrator::count)) throw nb::value_error("integrator: unknown one");
        settings_ = {step, {g[0], g[1], g[2]}, longest_substep, sweeps, relaxing_sweeps, bounce_threshold,
                     static_cast<Integrator>(integrator), contact_frequency, contact_damping, push_speed};
    }
    // False where numbers were no longer finite.
    bool step(nb::handle steps) {
        const long count = PyLong_AsLong(steps.ptr());
        if (count == -1 && PyErr_Occurred()) {
            if (!PyErr_ExceptionMatches(PyExc_OverflowError)) throw nb::python_error();
            PyErr_Clear();
            throw nb::value_error("n: expected at most 9223372036854775807 steps");
        }
        if (count == 0) return true;
        const ExclusiveUse::Turn turn(use_);
        require_ready();
        for (std::size_t i = 0; i < skeletons_.size(); ++i) {
            skeletons_[i].bring_motion(*world_);
            skeletons_[i].bring_loads(*world_, loads_[i].loads(), loads_[i].limited());
        }
        long done = 0;
        std::exception_ptr stopped;
        const int threads = threads_for(*world_);
        try {
            if (threads > 1) {
                without_lock([&](StopSignal* stop) { step_on_threads(*world_, settings_, count, threads, stop, done); });
            } else if (count == 1) {
                world_->step(settings_, 1, nullptr, true);
            } else {
                without_lock([&](StopSignal* stop) { world_->step(settings_, count, stop, true); });
            }
        } catch (...) {
            stopped = std::current_exception();
        }
        if (threads == 1) done = world_->made();
        for (SimulatedSkeleton& skeleton : skeletons_) skeleton.take_motion(*world_);
        steps_ += done;
        check_surfaces();
        if (stopped) std::rethrow_exception(stopped);
        return done == count;
    }
    // Stages of one step, from the first to the last; false where numbers were no longer finite. What acts is brought until it has
    // accelerated; what moved is taken at the end.
    bool run_stages(int first, int last) {
        use_.require_free();
        require_ready();
        if (first < 0 || last < first || last > static_cast<int>(WorldStage::move)) throw nb::value_error("first, last: expected stages in order");
        if (first <= static_cast<int>(WorldStage::accelerate)) {
            for (std::size_t i = 0; i < skeletons_.size(); ++i) {
                const bool moved = skeletons_[i].bring_motion(*world_);
                if (moved && first != static_cast<int>(WorldStage::detect)) moved_inside_.push_back(i);
                skeletons_[i].bring_loads(*world_, loads_[i].loads(), loads_[i].limited());
            }
        }
        if (!world_->run_stages(static_cast<WorldStage>(first), static_cast<WorldStage>(last), settings_)) {
            forget_inside();
            check_surfaces();
            return false;
        }
        if (last == static_cast<int>(WorldStage::move)) {
            for (SimulatedSkeleton& skeleton : skeletons_) skeleton.take_motion(*world_);
            ++steps_;
            moved_inside_.clear();
        }
        return true;
    }
    void cancel_step() {
        use_.require_free();
        world_->cancel_step();
        forget_inside();
    }
    // Whether the states of skeletons were set by others since the world took them.
    bool was_moved() const {
        use_.require_free();
        for (const SimulatedSkeleton& skeleton : skeletons_) {
            if (skeleton.was_moved()) return true;
        }
        return false;
    }
    int tree_of(int index) const {
        use_.require_free();
        return skeletons_.at(index).tree();
    }
    bool moves_smoothly(int index) const {
        use_.require_free();
        const SimulatedSkeleton& skeleton = skeletons_.at(index);
        return !skeleton.is_rigid_body() && world_->moves_smoothly(skeleton.tree());
    }
    nb::object accelerations(int index, nb::object positions, nb::object velocities) {
        use_.require_free();
        const SimulatedSkeleton& skeleton = skeletons_.at(index);
        const npy_intp n = skeleton.state().num_dofs();
        const auto* q = static_cast<const double*>(kept_array("positions", positions, NPY_DOUBLE, n, kNoColumns));
        const auto* v = static_cast<const double*>(kept_array("velocities", velocities, NPY_DOUBLE, n, kNoColumns));
        nb::object out = nb::steal(PyArray_SimpleNew(1, &n, NPY_DOUBLE));
        if (!out.is_valid()) throw nb::python_error();
        if (!world_->accelerations(skeleton.tree(), settings_.gravity, q, v, numbers_of(out))) {
            std::fill_n(numbers_of(out), n, std::numeric_limits<double>::quiet_NaN());
        }
        return out;
    }
    void give_motion(int index, nb::object positions, nb::object velocities) {
        use_.require_free();
        const SimulatedSkeleton& skeleton = skeletons_.at(index);
        const npy_intp n = skeleton.state().num_dofs();
        world_->give_motion(skeleton.tree(),
                            static_cast<const double*>(kept_array("positions", positions, NPY_DOUBLE, n, kNoColumns)),
                            static_cast<const double*>(kept_array("velocities", velocities, NPY_DOUBLE, n, kNoColumns)));
    }
    // Whole numbers of rows (n, 7): kind, first, second, part, normal, island, place in it; numbers (n, 6): lower, upper,
    // correcting, keeping, softness, impulse; how many islands.
    nb::tuple step_rows(double share, double push_speed) {
        use_.require_free();
        int islands = 0;
        const std::vector<SystemRow>& rows = world_->step_rows(settings_, {1.0 / settings_.step, share, push_speed}, islands);
        const npy_intp n = static_cast<npy_intp>(rows.size()), shape[] = {n, 7};
        nb::object whole = nb::steal(PyArray_SimpleNew(2, shape, NPY_INT64)), numbers = floats(n, 6);
        if (!whole.is_valid()) throw nb::python_error();
        auto* i = static_cast<std::int64_t*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(whole.ptr())));
        double* x = numbers_of(numbers);
        for (const SystemRow& r : rows) {
            for (const int k : {static_cast<int>(r.kind), r.first, r.second, r.part, r.normal, r.island, r.place}) *i++ = k;
            for (const double y : {r.lower, r.upper, r.correcting, r.keeping, r.softness, r.impulse}) *x++ = y;
        }
        return nb::make_tuple(whole, numbers, islands);
    }
    nb::object step_matrix(int island) const {
        use_.require_free();
        const npy_intp n = static_cast<npy_intp>(world_->step_island(island).size());
        nb::object A = floats(n, n);
        world_->step_matrix(island, numbers_of(A));
        return A;
    }
    bool give_impulses(nb::object correcting, nb::object keeping, int count, bool last) {
        use_.require_free();
        const auto* x = static_cast<const double*>(kept_array("correcting", correcting, NPY_DOUBLE, count, kNoColumns));
        const auto* y = static_cast<const double*>(kept_array("keeping", keeping, NPY_DOUBLE, count, kNoColumns));
        return world_->give_impulses(settings_, x, y, last);
    }
    // With what was set since the last step.
    nb::bytes save() {
        use_.require_free();
        for (SimulatedSkeleton& skeleton : skeletons_) skeleton.bring_motion(*world_);
        const std::vector<char> bytes = world_->save();
        return nb::bytes(bytes.data(), bytes.size());
    }
    // Among the same skeletons, whose states have been written.
    bool load(const nb::bytes& bytes, const std::vector<int>& moved) {
        use_.require_free();
        const bool fits = world_->load(static_cast<const char*>(bytes.data()), bytes.size());
        for (SimulatedSkeleton& skeleton : skeletons_) skeleton.remember();
        for (const int index : moved) skeletons_.at(index).forget();
        return fits;
    }
    // Commands (samples, commands, dofs), each for `hold` steps; start (2, samples, dofs) or None; groups of the colliders, -1:
    // none. Of every `every`-th step positions, velocities, accelerations or None (samples, kept, dofs), wrenches of contacts
    // (samples, kept, groups, 6), their counts (samples, kept, groups); steps done.
    // Of the world as it is now: what other Python threads do to it meanwhile does not reach the rollouts.
    nb::tuple roll_out_commands(nb::object commands, nb::object start, int threads, int hold, int every, bool accelerations,
                                std::vector<int> group_of_collider, int groups) {
        use_.require_free();
        require_ready();
        auto* array = reinterpret_cast<PyArrayObject*>(commands.ptr());
        Rollout r = {};
        r.settings = settings_;
        for (const SimulatedSkeleton& skeleton : skeletons_) r.dofs += skeleton.state().num_dofs();
        if (!PyArray_Check(commands.ptr()) || PyArray_TYPE(array) != NPY_DOUBLE || !PyArray_ISCARRAY_RO(array) ||
            PyArray_NDIM(array) != 3 || static_cast<std::size_t>(PyArray_DIM(array, 2)) != r.dofs) {
            throw nb::value_error("commands: expected a C-contiguous array of shape (samples, steps, dofs)");
        }
        if (hold < 1 || every < 1) throw nb::value_error("hold, every: expected 1 or above");
        r.samples = PyArray_DIM(array, 0);
        r.commands_each = PyArray_DIM(array, 1);
        r.hold = hold;
        r.every = every;
        r.commands = static_cast<const double*>(PyArray_DATA(array));
        if (groups < 0 || group_of_collider.size() != colliders_) throw nb::value_error("group_of_collider: expected one for each collider");
        for (const int group : group_of_collider) {
            if (group < -1 || group >= groups) throw nb::index_error("group_of_collider: there is no such group");
        }
        r.group_of_collider = std::move(group_of_collider);
        r.groups = groups;
        if (!start.is_none()) {
            const auto* x = static_cast<const double*>(
                kept_array("start", start, NPY_DOUBLE, 2, static_cast<npy_intp>(r.samples * r.dofs)));
            r.start_positions = x;
            r.start_velocities = x + r.samples * r.dofs;
        }
        std::vector<HeldLoads> loads;
        for (std::size_t i = 0; i < skeletons_.size(); ++i) {
            skeletons_[i].bring_motion(*world_);
            loads.push_back(loads_[i].copy());
            r.loads.push_back({loads[i].loads(), loads[i].limited()});
        }
        const std::unique_ptr<const NativeWorld> world = world_->clone();
        const std::vector<SimulatedSkeleton> skeletons = skeletons_;
        r.world = world.get();
        r.skeletons = &skeletons;
        const auto samples = static_cast<npy_intp>(r.samples), kept = static_cast<npy_intp>(r.kept());
        const npy_intp numbers[] = {samples, kept, static_cast<npy_intp>(r.dofs)}, touched[] = {samples, kept, groups, 6};
        nb::object positions = array_of(3, numbers, NPY_DOUBLE), velocities = array_of(3, numbers, NPY_DOUBLE);
        nb::object rates = accelerations ? array_of(3, numbers, NPY_DOUBLE) : nb::none();
        nb::object wrenches = array_of(4, touched, NPY_DOUBLE), counts = array_of(3, touched, NPY_INT64);
        nb::object done = array_of(1, numbers, NPY_INT64);
        r.positions = numbers_of(positions);
        r.velocities = numbers_of(velocities);
        r.accelerations = accelerations ? numbers_of(rates) : nullptr;
        r.wrenches = numbers_of(wrenches);
        r.counts = integers_of(counts);
        r.done = integers_of(done);
        without_lock([&](StopSignal* stop) { roll_out(r, threads, stop); });
        check_surfaces();
        return nb::make_tuple(positions, velocities, rates, wrenches, counts, done);
    }
    // Of a skeleton in the last step: numbers of its dofs, wrenches on its bodies, positions and velocities at the end.
    nb::tuple last_step(int index) {
        use_.require_free();
        require_index("index", index, skeletons_.size());
        const SimulatedSkeleton& skeleton = skeletons_[index];
        const npy_intp n = skeleton.state().num_dofs();
        nb::object rows = floats(static_cast<npy_intp>(StepRow::count), n);
        nb::object wrenches = floats(skeleton.state().model().num_bodies, 6), end = floats(2, n);
        skeleton.read_last_step(*world_, numbers_of(rows), numbers_of(wrenches));
        skeleton.read_motion(*world_, numbers_of(end), numbers_of(end) + n, nullptr);
        return nb::make_tuple(rows, wrenches, end);
    }
    // Where the last step that failed was not finite: skeleton, -1: not known, and its body.
    std::tuple<int, int> diverged() const {
        use_.require_free();
        const int row = world_->diverged_row();
        for (std::size_t i = 0; i < skeletons_.size(); ++i) {
            const int body = skeletons_[i].body_of(row);
            if (body >= 0) return {static_cast<int>(i), body};
        }
        return {-1, -1};
    }
    nb::tuple contacts(bool at_start) {
        use_.require_free();
        const std::vector<WorldContact> all = world_->contacts(at_start);
        const npy_intp n = static_cast<npy_intp>(all.size()), shape[] = {n, 2};
        nb::object indices = nb::steal(PyArray_SimpleNew(2, shape, NPY_INT64)), numbers = floats(n, 10);
        if (!indices.is_valid()) throw nb::python_error();
        auto* index = static_cast<std::int64_t*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(indices.ptr())));
        double* x = numbers_of(numbers);
        for (const WorldContact& c : all) {
            *index++ = c.first;
            *index++ = c.second;
            for (const double* v : {c.point, c.normal, c.force}) x = std::copy(v, v + 3, x);
            *x++ = c.depth;
        }
        return nb::make_tuple(indices, numbers);
    }
    nb::dict counts() {
        use_.require_free();
        const WorldCounts c = world_->counts();
        nb::dict out;
        out["pairs"] = c.pairs;
        out["manifolds"] = c.manifolds;
        out["tests"] = c.tests;
        out["colors"] = c.colors;
        out["rows"] = c.rows;
        out["direct"] = c.direct;
        return out;
    }
    // With what was set since the last step.
    std::shared_ptr<NativeWorld> copy() {
        use_.require_free();
        for (SimulatedSkeleton& skeleton : skeletons_) skeleton.bring_motion(*world_);
        return world_->clone();
    }
    // Takes a copy's place among the same skeletons, whose states have been written.
    void restore(const NativeWorld& copy) {
        use_.require_free();
        world_ = copy.clone();
        world_->set_surface_source(surfaces_.get());
        for (SimulatedSkeleton& skeleton : skeletons_) skeleton.remember();
    }
    long steps() const { return steps_; }
    void set_surface_rules(int friction, int restitution, int rolling) {
        use_.require_free();
        world_->set_surface_rules(
            {static_cast<CombineRule>(friction), static_cast<CombineRule>(restitution), static_cast<CombineRule>(rolling)});
    }
    void set_surface_source(nb::object function) {
        use_.require_free();
        surfaces_ = std::make_unique<PythonSurfaces>(std::move(function), frames_);
        world_->set_surface_source(surfaces_.get());
    }
    // What Python's collector of garbage looks at.
    PyObject* surface_function() const { return surfaces_ ? surfaces_->function().ptr() : nullptr; }
    void forget_surfaces() {
        world_->set_surface_source(nullptr);
        surfaces_.reset();
    }
    double recorded() const {
        use_.require_free();
        return world_->recorded();
    }

private:
    void check_surfaces() {
        if (surfaces_) surfaces_->check();
    }
    // Row of the solver and pose in its axes of what is fixed to a body.
    int place(int skeleton, int body, const double* offset, double* pose) const {
        require_index("skeleton", skeleton, skeletons_.size());
        require_index("body", body, skeletons_[skeleton].state().model().num_bodies);
        return skeletons_[skeleton].place(body, offset, pose);
    }
    void require_ready() const {
        bool ready = settings_.step > 0.0;
        for (const HeldLoads& loads : loads_) ready = ready && loads.are_set();
        if (!ready) throw nb::value_error("world: expected settings, and loads of all skeletons, before the first step");
    }

    static constexpr int kMostManifolds = 16;

    // A step that is cancelled knows nothing of motions that were set inside it.
    void forget_inside() {
        for (const std::size_t i : moved_inside_) skeletons_[i].forget();
        moved_inside_.clear();
    }

    ExclusiveUse use_;
    std::size_t colliders_ = 0, constraints_ = 0;
    std::unique_ptr<NativeWorld> world_;
    std::vector<SimulatedSkeleton> skeletons_;
    std::vector<HeldLoads> loads_;
    std::vector<std::array<double, 12>> frames_;  // of the bodies' origins in their rows, by colliders
    std::unique_ptr<PythonSurfaces> surfaces_;
    std::vector<std::size_t> moved_inside_;  // skeletons whose motion was set inside the present step
    WorldSettings settings_ = {};
    long steps_ = 0;
};

// A world as it stood at some time.
class WorldCopy {
public:
    explicit WorldCopy(BoundWorld& world) : world_(world.copy()) {}
    const NativeWorld& world() const { return *world_; }

private:
    std::shared_ptr<const NativeWorld> world_;
};

static int traverse_world(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    if (nb::inst_ready(self)) Py_VISIT(nb::inst_ptr<BoundWorld>(self)->surface_function());
    return 0;
}
static int clear_world(PyObject* self) {
    nb::inst_ptr<BoundWorld>(self)->forget_surfaces();
    return 0;
}
static PyType_Slot world_slots[] = {
    {Py_tp_traverse, reinterpret_cast<void*>(traverse_world)}, {Py_tp_clear, reinterpret_cast<void*>(clear_world)}, {0, nullptr}};

void bind_world(nb::module_& m) {
    nb::class_<WorldCopy>(m, "WorldCopy", "A world as it stood at some time.");
    nb::class_<BoundWorld>(m, "World", nb::type_slots(world_slots), "A world compiled to numbers: rigid bodies, skeletons, shapes.")
        .def(nb::init<>())
        .def("add_skeleton", &BoundWorld::add_skeleton, "tree"_a, "state"_a, "plain"_a, nb::keep_alive<1, 3>(),
             nb::sig("def add_skeleton(self, tree: Tree, state: State, plain: bool) -> int"),
             "Index of a skeleton; plain: nothing acts in its joints but forces.")
        .def("set_loads", &BoundWorld::set_loads, "index"_a, "constants"_a, "actuators"_a, "wrenches"_a.none(), "limited"_a,
             nb::sig("def set_loads(self, index: int, constants: " FLOATS ", actuators: " BYTES ", wrenches: " FLOATS
                     " | None, limited: " BYTES ") -> None"),
             "What acts on a skeleton's dofs and bodies; the arrays are read at every step.")
        .def("set_couplings", &BoundWorld::set_couplings, "index"_a, "couplings"_a,
             nb::sig("def set_couplings(self, index: int, couplings: list[tuple[int, int, float, float, bool]]) -> None"),
             "Dofs that follow others: follower, leader, ratio, offset, whether by a motor.")
        .def("add_collider", &BoundWorld::add_collider, "skeleton"_a, "body"_a, "shape"_a, "pose"_a, "surface"_a,
             "group"_a, "meets_own"_a, "parent"_a,
             nb::sig("def add_collider(self, skeleton: int, body: int, shape: CollisionShape, pose: " FLOATS
                     ", surface: " FLOATS ", group: int, meets_own: bool, parent: int) -> int"),
             "Index of a shape on a body (skeleton -1: on the world); pose (12,): origin, axes by columns; surface (16,): friction, "
             "restitution, friction across, direction (3), slip, slip across, its velocity (3) and angular velocity (3) at the body's "
             "origin, rolling and torsional friction, in the body's axes; "
             "meets_own: whether it meets others of its group, but for those of body `parent` (-1: none).")
        .def("set_surface_rules", &BoundWorld::set_surface_rules, "friction"_a, "restitution"_a, "rolling"_a,
             nb::sig("def set_surface_rules(self, friction: int, restitution: int, rolling: int) -> None"),
             "How surfaces of two shapes are combined: 0 minimum, 1 mean, 2 maximum, 3 product.")
        .def("set_surface_source", &BoundWorld::set_surface_source, "function"_a,
             nb::sig("def set_surface_source(self, function: collections.abc.Callable[[int, int], " FLOATS "]) -> None"),
             "A function of two colliders that begin to touch, which gives their combined surface (16,), in the axes of the first "
             "one's body.")
        .def("set_mask", &BoundWorld::set_mask, "collider"_a, "category"_a, "collides_with"_a,
             nb::sig("def set_mask(self, collider: int, category: int, collides_with: int) -> None"),
             "Bits of a shape; two shapes meet where each one's category has bits in common with what the other collides with.")
        .def("exclude", &BoundWorld::exclude, "first"_a, "second"_a, nb::sig("def exclude(self, first: int, second: int) -> None"),
             "Two shapes that never meet, before the first step.")
        .def("near_pairs", &BoundWorld::near_pairs, nb::sig("def near_pairs(self) -> tuple[" INTEGERS ", " FLOATS "]"),
             "Pairs to be tested for the next step, whose contacts are to be set before it: index of the pair, "
             "both colliders (n, 3); margin [m], poses (12,) of both (n, 25).")
        .def("set_contacts", &BoundWorld::set_contacts, "pair"_a, "points"_a, "size"_a, "single"_a,
             nb::sig("def set_contacts(self, pair: int, points: " FLOATS ", size: float, single: bool) -> None"),
             "What was found of a pair: normal, points on first and second, gap (n, 10); size of the smaller shape [m]; whether one point "
             "is kept.")
        .def("add_constraint", &BoundWorld::add_constraint, "first_skeleton"_a, "first_body"_a, "first_pose"_a,
             "second_skeleton"_a, "second_body"_a, "second_pose"_a, "held"_a, "length"_a.none(), "softness"_a,
             "pulls"_a, "pushes"_a,
             nb::sig("def add_constraint(self, first_skeleton: int, first_body: int, first_pose: " FLOATS
                     ", second_skeleton: int, second_body: int, second_pose: " FLOATS
                     ", held: tuple[bool, bool, bool, bool, bool, bool], length: float | None, softness: tuple[float, float, float, float]"
                     ", pulls: bool, pushes: bool) -> int"),
             "Index of a constraint between frames (12,) on two bodies; skeleton -1: the world.")
        .def("constraint_wrench", &BoundWorld::constraint_wrench, "index"_a,
             nb::sig("def constraint_wrench(self, index: int) -> " FLOATS),
             "Torque and force (6,) on the first body about its frame's origin in the last step, world axes.")
        .def("constraint_unmet", &BoundWorld::constraint_unmet, "index"_a, nb::sig("def constraint_unmet(self, index: int) -> bool"),
             "Whether a constraint could not be met for a while, and turned soft.")
        .def("constraint_error", &BoundWorld::constraint_error, "index"_a,
             nb::sig("def constraint_error(self, index: int) -> " FLOATS),
             "Errors (6,) at the present poses: linear, angular; of a distance: the first.")
        .def("add_gear", &BoundWorld::add_gear, "terms"_a, "offset"_a, "lower"_a, "upper"_a, "softness"_a,
             nb::sig("def add_gear(self, terms: list[tuple[int, int, float, bool]], offset: float, lower: float, upper: float, "
                     "softness: tuple[float, float, float, float]) -> int"),
             "Index of a sum of positions of dofs and an offset that vanishes; terms: skeleton, dof, factor, whether the force acts "
             "there; softness: stiffness, damping, frequency, damping ratio.")
        .def("add_rows", &BoundWorld::add_rows, "skeletons"_a, nb::sig("def add_rows(self, skeletons: list[int]) -> int"),
             "Index of a constraint whose rows are set before every step.")
        .def("set_rows", &BoundWorld::set_rows, "index"_a, "numbers"_a, "jacobians"_a, "softness"_a,
             nb::sig("def set_rows(self, index: int, numbers: " FLOATS ", jacobians: list[tuple[int, " FLOATS
                     "]], softness: tuple[float, float, float, float]) -> None"),
             "Rows of a constraint: error, speed, lower, upper, coupled row, coefficient (m, 6); Jacobians (m, num_dofs) of skeletons.")
        .def("row_numbers", &BoundWorld::row_numbers, "index"_a,
             nb::sig("def row_numbers(self, index: int) -> tuple[" FLOATS ", " FLOATS ", bool]"),
             "Forces and errors (m,) of rows in the last step; whether they could not be met.")
        .def("set_settings", &BoundWorld::set_settings, "step"_a, "gravity"_a, "longest_substep"_a, "sweeps"_a,
             "relaxing_sweeps"_a, "bounce_threshold"_a, "integrator"_a, "contact_frequency"_a, "contact_damping"_a, "push_speed"_a,
             nb::sig("def set_settings(self, step: float, gravity: " FLOATS
                     ", longest_substep: float, sweeps: int, relaxing_sweeps: int, bounce_threshold: float, integrator: int, contact_frequency: float, contact_damping: float"
                     ", push_speed: float) -> None"),
             "How steps are made, before the first.")
        .def("was_moved", &BoundWorld::was_moved, nb::sig("def was_moved(self) -> bool"),
             "Whether positions or velocities were set since the world took them.")
        .def("tree_of", &BoundWorld::tree_of, "index"_a, nb::sig("def tree_of(self, index: int) -> int"),
             "Place of a skeleton among the trees, -1: it is a rigid body.")
        .def("moves_smoothly", &BoundWorld::moves_smoothly, "index"_a, nb::sig("def moves_smoothly(self, index: int) -> bool"),
             "Whether nothing touches, holds or drives a skeleton in the step that was prepared.")
        .def("accelerations", &BoundWorld::accelerations, "index"_a, "positions"_a, "velocities"_a,
             nb::sig("def accelerations(self, index: int, positions: " FLOATS ", velocities: " FLOATS ") -> " FLOATS),
             "Accelerations of a skeleton elsewhere (num_dofs,); NaN where an inertia is not positive.")
        .def("give_motion", &BoundWorld::give_motion, "index"_a, "positions"_a, "velocities"_a,
             nb::sig("def give_motion(self, index: int, positions: " FLOATS ", velocities: " FLOATS ") -> None"),
             "Where a skeleton that moves smoothly is at the end of the step.")
        .def("step_rows", &BoundWorld::step_rows, "share"_a, "push_speed"_a,
             nb::sig("def step_rows(self, share: float, push_speed: float) -> tuple[" INTEGERS ", " FLOATS ", int]"),
             "Rows of the step that was prepared: kind, first, second, part, normal, island, place (n, 7); lower, upper, correcting, "
             "keeping, softness, impulse (n, 6); how many islands.")
        .def("step_matrix", &BoundWorld::step_matrix, "island"_a, nb::sig("def step_matrix(self, island: int) -> " FLOATS),
             "How the rows of an island (n, n) answer impulses.")
        .def("give_impulses", &BoundWorld::give_impulses, "correcting"_a, "keeping"_a, "count"_a, "last"_a,
             nb::sig("def give_impulses(self, correcting: " FLOATS ", keeping: " FLOATS ", count: int, last: bool) -> bool"),
             "Impulses of all rows, instead of the stage solve; false where there are other rows now, which are to be solved.")
        .def("save", &BoundWorld::save, nb::sig("def save(self) -> bytes"), "All numbers that a step starts from.")
        .def("load", &BoundWorld::load, "numbers"_a, "moved"_a,
             nb::sig("def load(self, numbers: bytes, moved: list[int]) -> bool"),
             "Go to saved numbers of a world made alike, but for skeletons that were moved since; false where they do not fit.")
        .def("step", &BoundWorld::step, nb::sig("def step(self, count: int, /) -> bool"),
             "Make some steps; false where numbers were no longer finite.")
        .def("run_stages", &BoundWorld::run_stages, "first"_a, "last"_a,
             nb::sig("def run_stages(self, first: int, last: int) -> bool"),
             "Run stages of one step (0 detect, 1 accelerate, 2 prepare, 3 solve, 4 move), from `first` to `last`; false where "
             "numbers were no longer finite, and the step is cancelled.")
        .def("cancel_step", &BoundWorld::cancel_step, nb::sig("def cancel_step(self) -> None"),
             "End a step that was begun, before it moves.")
        .def("rollout", &BoundWorld::roll_out_commands, "commands"_a, "start"_a.none(), "threads"_a, "hold"_a, "every"_a,
             "accelerations"_a, "group_of_collider"_a, "groups"_a,
             nb::sig("def rollout(self, commands: " FLOATS ", start: " FLOATS
                     " | None, threads: int, hold: int, every: int, accelerations: bool, group_of_collider: list[int], groups: int) -> tuple["
                     FLOATS ", " FLOATS ", " FLOATS " | None, " FLOATS ", " INTEGERS ", " INTEGERS "]"),
             "Copies of the world under commands (samples, steps, dofs), from `start` (2, samples * dofs): positions, velocities, "
             "accelerations or None (samples, kept, dofs), wrenches of contacts on groups of colliders about the world's origin "
             "(samples, kept, groups, 6), counts of points (samples, kept, groups), steps done (samples,).")
        .def("contacts", &BoundWorld::contacts, "at_start"_a = false,
             nb::sig("def contacts(self, at_start: bool = False) -> tuple[" INTEGERS ", " FLOATS "]"),
             "Colliders (n, 2) that touch; points, normals, forces on the first, depths (n, 10); at_start: where the last "
             "step began.")
        .def("last_step", &BoundWorld::last_step, "index"_a,
             nb::sig("def last_step(self, index: int) -> tuple[" FLOATS ", " FLOATS ", " FLOATS "]"),
             "What acted on a skeleton: rows of its dofs (10, num_dofs), wrenches of contacts and constraints (num_bodies, 6), "
             "positions and velocities at the end (2, num_dofs).")
        .def_prop_ro("recorded", &BoundWorld::recorded, nb::sig("def recorded(self) -> float"),
                     "Duration of the last step [s]; 0 where there was none, or it failed.")
        .def("diverged", &BoundWorld::diverged, nb::sig("def diverged(self) -> tuple[int, int]"),
             "Skeleton and body whose numbers were not finite in the step that failed; -1: not known.")
        .def("counts", &BoundWorld::counts, nb::sig("def counts(self) -> dict[str, int]"), "What the solver has to do with.")
        .def("copy", [](BoundWorld& w) { return WorldCopy(w); }, nb::sig("def copy(self) -> WorldCopy"), "The present numbers.")
        .def("restore", [](BoundWorld& w, const WorldCopy& c) { w.restore(c.world()); }, "copy"_a,
             nb::sig("def restore(self, copy: WorldCopy) -> None"),
             "Go back to a copy, after the states of the skeletons were.")
        .def_prop_ro("steps", &BoundWorld::steps, "How many steps were made.");
}

}  // namespace kido
