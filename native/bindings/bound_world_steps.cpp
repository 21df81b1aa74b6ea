#include "bound_world.hpp"

#include <algorithm>
#include <chrono>
#include <limits>

#include "kept_array.hpp"
#include "long_call.hpp"
#include "result_arrays.hpp"
#include "world_threads.hpp"

// Steps of a world, whole and by stages.

namespace kido {

// Steps are made with Python's lock for so long, twice that at the most, then without it. Nobody else can look at states meanwhile,
// so they may be owed.
static constexpr std::chrono::milliseconds kLongestHold(2);

void BoundWorld::set_settings(double step, nb::object gravity, double longest_substep, int sweeps, int relaxing_sweeps,
                              double bounce_threshold, int integrator, double contact_frequency, double contact_damping,
                              double push_speed) {
    use_.require_free();
    const auto* g = static_cast<const double*>(kept_array("gravity", gravity, NPY_DOUBLE, 3, kNoColumns));
    if (!(step > 0.0 && longest_substep > 0.0) || step > 1e6 * longest_substep) {
        throw nb::value_error("step: expected a positive time");
    }
    if (integrator < 0 || integrator >= static_cast<int>(Integrator::count)) throw nb::value_error("integrator: unknown one");
    settings_ = {step, {g[0], g[1], g[2]}, longest_substep, sweeps, relaxing_sweeps, bounce_threshold,
                 static_cast<Integrator>(integrator), contact_frequency, contact_damping, push_speed, settings_.sleep};
}

void BoundWorld::set_sleeping(double after, double linear, double angular) {
    use_.require_free();
    if (!(after > 0.0 && linear >= 0.0 && angular >= 0.0)) throw nb::value_error("after, linear, angular: expected positive numbers");
    settings_.sleep = {after, linear, angular};
}

bool BoundWorld::is_asleep(int index, int body) const {
    use_.require_free();
    require_index("index", index, skeletons_.size());
    const SimulatedSkeleton& skeleton = skeletons_[index];
    if (body >= 0) require_index("body", body, skeleton.state().model().num_bodies);
    const std::vector<int> rows = skeleton.sleeping_rows(body);
    return !rows.empty() && (skeleton.state().is_owed_by(*this) || !skeleton.was_moved(*world_)) &&
           std::all_of(rows.begin(), rows.end(), [&](int row) { return world_->nap(row) != 0; });
}

void BoundWorld::wake(int index, int body) {
    use_.require_free();
    require_index("index", index, skeletons_.size());
    const SimulatedSkeleton& skeleton = skeletons_[index];
    if (body >= 0) require_index("body", body, skeleton.state().model().num_bodies);
    for (const int row : skeleton.sleeping_rows(body)) world_->wake(row);
}

long count_of_steps(nb::handle steps) {
    const long count = PyLong_AsLong(steps.ptr());
    if (count == -1 && PyErr_Occurred()) {
        if (!PyErr_ExceptionMatches(PyExc_OverflowError)) throw nb::python_error();
        PyErr_Clear();
        throw nb::value_error("n: expected at most 9223372036854775807 steps");
    }
    return count;
}

bool BoundWorld::step(nb::handle steps) {
    const long count = count_of_steps(steps);
    if (count == 0 || surfaces_) return advance(count);
    const long made = step_at_once(count);
    return made == count || (made < 0 ? false : advance(count - made, false));
}

long BoundWorld::step_at_once(long count) {
    const ExclusiveUse::Turn turn(use_);
    require_ready();
    bring_all();
    using Clock = std::chrono::steady_clock;
    const Clock::time_point end = count > 1 ? Clock::now() + kLongestHold : Clock::time_point::max();
    const int threads = threads_for(*world_);
    std::exception_ptr stopped;
    long made = 0;
    bool goes_on = true;
    try {
        while (goes_on && made < count && (made == 0 || Clock::now() < end)) {
            const long piece = std::min(std::max(made, 1L), count - made);  // for clocks are slow
            if (threads == 1 || !step_on_free_threads(*world_, settings_, piece, threads)) {
                world_->step(settings_, piece, nullptr, true);
            }
            goes_on = world_->made() == piece;
            made += world_->made();
        }
    } catch (...) {
        stopped = std::current_exception();
        made += world_->made();
    }
    owe_all();
    steps_ += made;
    if (stopped) std::rethrow_exception(stopped);
    return goes_on ? made : -1;
}

void BoundWorld::bring_all() {
    for (std::size_t i = 0; i < skeletons_.size(); ++i) {
        SimulatedSkeleton& skeleton = skeletons_[i];
        Known& known = known_[i];
        if (!skeleton.state().is_owed_by(*this)) skeleton.bring_motion(*world_);
        const unsigned long long commands = skeleton.state().version(Quantity::command);
        if (known.has_loads && known.commands == commands) continue;
        skeleton.bring_loads(*world_, loads_[i].loads(), loads_[i].limited());
        known = {commands, skeleton.is_one_rigid_body() && !loads_[i].loads().wrenches};
    }
}

void BoundWorld::owe_all() {
    owes_ = true;
    for (std::size_t i = 0; i < skeletons_.size(); ++i) {
        if (skeletons_[i].can_owe()) {
            skeletons_[i].state().owe(*this, static_cast<int>(i));
        } else {
            skeletons_[i].take_motion(*world_);
        }
    }
}

bool BoundWorld::advance(long count, bool bring) {
    if (count == 0) return true;
    const ExclusiveUse::Turn turn(use_);
    require_ready();
    settle();
    if (bring) bring_all();
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
    owe_all();
    steps_ += done;
    check_surfaces();
    if (stopped) std::rethrow_exception(stopped);
    return done == count;
}

void BoundWorld::bring_motions() {
    for (SimulatedSkeleton& skeleton : skeletons_) {
        if (!skeleton.state().is_owed_by(*this)) skeleton.bring_motion(*world_);
    }
}

void BoundWorld::settle() {
    if (!owes_) return;
    for (const SimulatedSkeleton& skeleton : skeletons_) {
        if (skeleton.state().is_owed_by(*this)) skeleton.state().settle();
    }
    owes_ = false;
}

ExclusiveUse::Turn BoundWorld::begin_runs() {
    use_.require_free();
    require_ready();
    settle();
    return ExclusiveUse::Turn(use_);
}

long BoundWorld::run(long count, StopSignal* stop) {
    long done = 0;
    const int threads = threads_for(*world_);
    const auto add_made = [&] { steps_ += threads == 1 ? world_->made() : done; };
    try {
        if (threads > 1) {
            step_on_threads(*world_, settings_, count, threads, stop, done);
        } else {
            world_->step(settings_, count, stop, true);
        }
    } catch (...) {
        add_made();
        throw;
    }
    add_made();
    return threads == 1 ? world_->made() : done;
}

void BoundWorld::take_runs() {
    for (SimulatedSkeleton& skeleton : skeletons_) skeleton.take_motion(*world_);
    check_surfaces();
}

bool BoundWorld::run_stages(int first, int last) {
    use_.require_free();
    require_ready();
    if (first < 0 || last < first || last > static_cast<int>(WorldStage::move)) {
        throw nb::value_error("first, last: expected stages in order");
    }
    settle();
    if (first <= static_cast<int>(WorldStage::accelerate)) {
        forget_loads();
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

void BoundWorld::cancel_step() {
    use_.require_free();
    world_->cancel_step();
    forget_inside();
}

bool BoundWorld::was_moved() const {
    use_.require_free();
    for (const SimulatedSkeleton& skeleton : skeletons_) {
        if (!skeleton.state().is_owed_by(*this) && skeleton.was_moved(*world_)) return true;
    }
    return false;
}

bool BoundWorld::has_tree(int index, int tree) const {
    use_.require_free();
    const std::vector<SimulatedTree>& trees = skeletons_.at(index).trees();
    return std::any_of(trees.begin(), trees.end(), [&](const SimulatedTree& t) { return t.tree() == tree; });
}

int BoundWorld::whole_tree(int index) const {
    const std::vector<SimulatedTree>& trees = skeletons_.at(index).trees();
    if (trees.size() != 1 || trees[0].is_rigid_body()) throw nb::value_error("index: expected a skeleton of joints that is whole");
    return trees[0].tree();
}

bool BoundWorld::moves_smoothly(int index) const {
    use_.require_free();
    const std::vector<SimulatedTree>& trees = skeletons_.at(index).trees();
    return std::all_of(trees.begin(), trees.end(),
                       [&](const SimulatedTree& t) { return !t.is_rigid_body() && world_->moves_smoothly(t.tree()); });
}

nb::object BoundWorld::accelerations(int index, nb::object positions, nb::object velocities) {
    use_.require_free();
    const SimulatedSkeleton& skeleton = skeletons_.at(index);
    const npy_intp n = skeleton.state().num_dofs();
    const auto* q = static_cast<const double*>(kept_array("positions", positions, NPY_DOUBLE, n, kNoColumns));
    const auto* v = static_cast<const double*>(kept_array("velocities", velocities, NPY_DOUBLE, n, kNoColumns));
    nb::object out = nb::steal(PyArray_SimpleNew(1, &n, NPY_DOUBLE));
    if (!out.is_valid()) throw nb::python_error();
    if (!world_->accelerations(whole_tree(index), settings_.gravity, q, v, numbers_of(out))) {
        std::fill_n(numbers_of(out), n, std::numeric_limits<double>::quiet_NaN());
    }
    return out;
}

void BoundWorld::give_motion(int index, nb::object positions, nb::object velocities) {
    use_.require_free();
    const SimulatedSkeleton& skeleton = skeletons_.at(index);
    const npy_intp n = skeleton.state().num_dofs();
    world_->give_motion(whole_tree(index),
                        static_cast<const double*>(kept_array("positions", positions, NPY_DOUBLE, n, kNoColumns)),
                        static_cast<const double*>(kept_array("velocities", velocities, NPY_DOUBLE, n, kNoColumns)));
}

nb::tuple BoundWorld::step_rows(double share, double push_speed) {
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

nb::object BoundWorld::step_matrix(int island) const {
    use_.require_free();
    const npy_intp n = static_cast<npy_intp>(world_->step_island(island).size());
    nb::object A = floats(n, n);
    world_->step_matrix(island, numbers_of(A));
    return A;
}

bool BoundWorld::give_impulses(nb::object correcting, nb::object keeping, int count, bool last) {
    use_.require_free();
    const auto* x = static_cast<const double*>(kept_array("correcting", correcting, NPY_DOUBLE, count, kNoColumns));
    const auto* y = static_cast<const double*>(kept_array("keeping", keeping, NPY_DOUBLE, count, kNoColumns));
    return world_->give_impulses(settings_, x, y, last);
}

void BoundWorld::require_ready() const {
    bool ready = settings_.step > 0.0;
    for (const HeldLoads& loads : loads_) ready = ready && loads.are_set();
    if (!ready) throw nb::value_error("world: expected settings, and loads of all skeletons, before the first step");
}

void BoundWorld::forget_loads() {
    for (Known& known : known_) known.has_loads = false;
}

void BoundWorld::forget_inside() {
    for (const std::size_t i : moved_inside_) skeletons_[i].forget();
    moved_inside_.clear();
}

}  // namespace kido
