#include "world_sampler.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <string>

#include "long_call.hpp"
#include "result_arrays.hpp"

namespace kido {

namespace {

constexpr int kRaw = NativeWorld::kBodyNumbers;
constexpr int kInputPositions = 0, kInputVelocities = 1, kInputCommands = 2, kInputPoints = 7;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

int code_of(double) { return NPY_DOUBLE; }
int code_of(float) { return NPY_FLOAT; }
int code_of(std::int64_t) { return NPY_INT64; }
int code_of(std::int32_t) { return NPY_INT32; }

template <class X, class Allocator>
nb::object taken(std::vector<X, Allocator>& numbers, std::initializer_list<npy_intp> shape) {
    nb::object out = array_of(static_cast<int>(shape.size()), shape.begin(), code_of(X{}));
    std::copy(numbers.begin(), numbers.end(), static_cast<X*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(out.ptr()))));
    numbers.clear();
    return out;
}
template <class X, class Allocator>
nb::object taken(std::vector<X, Allocator>& numbers) {
    return taken(numbers, {static_cast<npy_intp>(numbers.size())});
}

}  // namespace

WorldSampler::WorldSampler(BoundWorld& world, std::vector<std::shared_ptr<State>> states,
                           std::vector<std::shared_ptr<const SoftState>> softs, long every, long keyframe_every, SampledParts parts,
                           int body_constraints, int row_constraints, bool fresh)
    : world_(world), states_(std::move(states)), softs_(std::move(softs)), seen_points_(softs_.size()),
      body_constraints_(body_constraints), row_constraints_(row_constraints), parts_(parts), fresh_(fresh), last_take_(now()), full_at_(most_bytes) {
    begin(every, keyframe_every);
    for (const auto& state : states_) {
        first_column_.push_back(columns_);
        columns_ += state->num_dofs();
        seen_.push_back(seen_of(*state));
    }
    rows_ = SampledRows(columns_);
    given_ = SampledRows(columns_);
    for (const auto& state : states_) {
        const auto own = std::find_if(world.skeletons().begin(), world.skeletons().end(), [&](const auto& s) { return &s.state() == state.get(); });
        simulated_.push_back(own == world.skeletons().end() ? -1 : static_cast<int>(own - world.skeletons().begin()));
        const bool known = own != world.skeletons().end();
        const auto is_free = [](const SimulatedTree& t) { return t.is_rigid_body() && t.model().num_dofs == 6; };
        const bool free = known && std::all_of(own->trees().begin(), own->trees().end(), is_free) &&
                          own->trees().size() * 6 == static_cast<std::size_t>(state->num_dofs());
        is_free_.push_back(free);
        if (!free) {
            others_.push_back(static_cast<int>(is_free_.size()) - 1);
            continue;
        }
        for (const SimulatedTree& tree : own->trees()) {
            free_bodies_.push_back({&tree, first_column_[is_free_.size() - 1] + tree.first_dof()});
            free_rows_.push_back(tree.first_row());
        }
    }
    for (const SimulatedSkeleton& skeleton : world.skeletons()) {
        for (const SimulatedTree& tree : skeleton.trees()) has_joints_ = has_joints_ || !tree.is_rigid_body();
    }
}

WorldSampler::Seen WorldSampler::seen_of(const State& state) {
    return {state.version(Quantity::position), state.version(Quantity::velocity), state.version(Quantity::command)};
}

void WorldSampler::set_clock(double time, double time_step, long steps, long at) {
    start_time_ = time;
    time_step_ = time_step;
    start_steps_ = steps;
    start_at_ = at;
}

double WorldSampler::time() const { return start_time_ + static_cast<double>(world_.steps() - start_at_) * time_step_; }

void WorldSampler::note(int kind, int skeleton, const double* numbers, std::size_t count) {
    const std::lock_guard lock(adding_);
    const std::int64_t step = start_steps_ + (world_.steps() - start_at_);
    for (const std::int64_t k : {step, std::int64_t{kind}, std::int64_t{skeleton}, static_cast<std::int64_t>(count)}) {
        rows_.inputs.push_back(k);
    }
    rows_.input_numbers.insert(rows_.input_numbers.end(), numbers, numbers + count);
}

void WorldSampler::note_inputs() {
    for (std::size_t i = 0; i < states_.size(); ++i) {
        const State& state = *states_[i];
        const Seen seen = seen_of(state), known = seen_[i];
        const auto note_row = [&](int kind, Quantity quantity) { note(kind, static_cast<int>(i), state.row(quantity), state.num_dofs()); };
        if (seen.positions != known.positions) note_row(kInputPositions, Quantity::position);
        if (seen.velocities != known.velocities) note_row(kInputVelocities, Quantity::velocity);
        if (seen.commands != known.commands) note_row(kInputCommands, Quantity::command);
        seen_[i] = seen;
    }
    for (std::size_t i = 0; i < softs_.size(); ++i) {
        if (softs_[i]->version() != seen_points_[i]) note_points(static_cast<int>(i));
        seen_points_[i] = softs_[i]->version();
    }
}

void WorldSampler::note_points(int index) {
    const SoftState& soft = *softs_[index];
    std::vector<double> numbers;
    for (const auto* of : {&soft.displacements, &soft.velocities, &soft.yielded, &soft.forces, &soft.targets, &soft.target_velocities}) {
        numbers.insert(numbers.end(), of->begin(), of->end());
    }
    note(kInputPoints, index, numbers.data(), numbers.size());
}

void WorldSampler::begin(long every, long keyframe_every) {
    if (every < 1 || keyframe_every < 1) throw nb::value_error("every, keyframe_every: expected 1 or above");
    every_ = every;
    keyframe_every_ = keyframe_every;
    begins_ = true;
}

void WorldSampler::prepare() {
    has_asked_ = false;
    if (!open_) return;
    if (!begins_) {
        note_inputs();
        return;
    }
    next_ = world_.steps() + every_;
    for (std::size_t i = 0; i < states_.size(); ++i) seen_[i].commands = states_[i]->version(Quantity::command);
    see();
    // The model that was kept may have had them elsewhere. Where the solver goes on, its numbers say where they are.
    for (std::size_t i = 0; fresh_ && i < softs_.size(); ++i) note_points(static_cast<int>(i));
    sample(true);
    begins_ = fresh_ = false;
}

void WorldSampler::see() {
    for (std::size_t i = 0; i < states_.size(); ++i) {
        seen_[i].positions = states_[i]->version(Quantity::position);
        seen_[i].velocities = states_[i]->version(Quantity::velocity);
    }
    for (std::size_t i = 0; i < softs_.size(); ++i) seen_points_[i] = softs_[i]->version();
}

void WorldSampler::sample(bool keyframe, bool asks) {
    if (asks && (asks_always || asks_next_) && !asked.is_none()) {
        asked();
        asks_next_ = false;
        has_asked_ = true;
    }
    from_world_ = false;
    add(keyframe);
}

void WorldSampler::sample_quietly() {
    if (!open_ || due() > 0) return;
    while (next_ <= world_.steps()) next_ += every_;
    from_world_ = true;
    add(false);
}

bool WorldSampler::is_quiet() const {
    return !open_ || (!begins_ && (asked.is_none() || (!asks_always && !asks_next_)) && since_keyframe_ + 1 < keyframe_every_ && !is_full());
}

bool WorldSampler::reads_all() const {
    return std::none_of(states_.begin(), states_.end(), [](const auto& state) { return state->has_followers() || state->users(); });
}

void WorldSampler::add(bool keyframe) {
    const std::lock_guard lock(adding_);
    last_ = world_.steps();
    rows_.steps.push_back(start_steps_ + (world_.steps() - start_at_));
    rows_.times.push_back(time());
    sample_motion();
    sample_commands();
    if (parts_.forces) sample_forces();
    if (parts_.contacts) sample_contacts();
    if (parts_.constraints) sample_constraints();
    if (keyframe || ++since_keyframe_ >= keyframe_every_) sample_keyframe();
}

bool WorldSampler::was_moved() const {
    for (std::size_t i = 0; i < states_.size(); ++i) {
        const Seen seen = seen_of(*states_[i]);
        if (seen.positions != seen_[i].positions || seen.velocities != seen_[i].velocities) return true;
    }
    for (std::size_t i = 0; i < softs_.size(); ++i) {
        if (softs_[i]->version() != seen_points_[i]) return true;
    }
    return false;
}

void WorldSampler::finish(bool asks) {
    if (!open_) return;
    asks_next_ = true;
    if (begins_) {
        if (asks) prepare();
    } else if (last_ != world_.steps() && !was_moved()) {
        sample(true, asks);
    }
}

void WorldSampler::sample_if_due(bool keyframe) {
    if (!open_ || due() > 0) return;
    while (next_ <= world_.steps()) next_ += every_;
    sample(keyframe);
    call_full();
}

bool WorldSampler::is_full() const {
    if (!open_ || full.is_none()) return false;
    if (now() - last_take_ >= longest) return true;
    const std::lock_guard lock(adding_);
    return rows_.bytes() >= full_at_;
}

void WorldSampler::call_full() {
    if (!is_full()) return;
    {
        const std::lock_guard lock(adding_);
        full_at_ = rows_.bytes() + most_bytes;
    }
    full();
}

void WorldSampler::sample_motion() {
    const auto add = [&](UnsetVector<double>& numbers, Quantity quantity) {
        numbers.resize(numbers.size() + columns_);
        double* row = numbers.data() + numbers.size() - columns_;
        const auto copy = [&](std::size_t i) { std::copy_n(states_[i]->row(quantity), states_[i]->num_dofs(), row + first_column_[i]); };
        if (from_world_) {  // `finish_motion` brings what is missing
            for (const int i : others_) copy(i);
        } else {
            for (std::size_t i = 0; i < states_.size(); ++i) copy(i);
        }
        return row;
    };
    double *q = add(rows_.positions, Quantity::position), *v = add(rows_.velocities, Quantity::velocity);
    double* a = parts_.accelerations ? add(rows_.accelerations, Quantity::acceleration) : nullptr;
    if (from_world_) sample_raw_motion(q, v, a);
}

void WorldSampler::sample_raw_motion(double* q, double* v, double* a) {
    rows_.raw_samples.push_back(rows_.steps.size() - 1);
    rows_.raw.resize(rows_.raw.size() + kRaw * free_rows_.size());
    world_.native().bodies(free_rows_.data(), free_rows_.size(), rows_.raw.data() + rows_.raw.size() - kRaw * free_rows_.size());
    const auto read = [&](std::size_t i) {
        if (simulated_[i] < 0 || states_[i]->num_dofs() == 0) return;
        const int k = first_column_[i];
        world_.skeletons()[simulated_[i]].read_motion(world_.native(), q + k, v + k, a ? a + k : nullptr);
    };
    if (a) {
        for (std::size_t i = 0; i < states_.size(); ++i) read(i);
    } else {
        for (const int i : others_) read(i);
    }
}

void WorldSampler::finish_motion(SampledRows& rows) const {
    const double* raw = rows.raw.data();
    for (const std::size_t sample : rows.raw_samples) {
        double *q = rows.positions.data() + sample * columns_, *v = rows.velocities.data() + sample * columns_;
        for (const FreeBody& body : free_bodies_) {
            body.tree->rigid_motion(raw, raw + 3, raw + 7, q + body.column, v + body.column);
            raw += kRaw;
        }
    }
    rows.raw_samples.clear();
    rows.raw.clear();
}

void WorldSampler::hold_commands() {
    const auto is_commanded = [](const std::shared_ptr<State>& state) {
        const double* row = state->row(Quantity::command);
        return std::any_of(row, row + state->num_dofs(), [](double x) { return x != 0.0; });
    };
    held_commands_.clear();
    if (std::none_of(states_.begin(), states_.end(), is_commanded)) return;
    for (const auto& state : states_) {
        const double* row = state->row(Quantity::command);
        held_commands_.insert(held_commands_.end(), row, row + state->num_dofs());
    }
}

void WorldSampler::sample_commands() {
    if (!from_world_) hold_commands();
    if (held_commands_.empty()) {
        rows_.commands.add_zeros();
    } else {
        std::copy(held_commands_.begin(), held_commands_.end(), rows_.commands.add());
    }
}

void WorldSampler::sample_forces() {
    if (!has_joints_ || world_.native().recorded() == 0.0) {
        for (SparseRows* rows : {&rows_.actuators, &rows_.friction, &rows_.limits}) rows->add_zeros();
        return;
    }
    double *actuators = rows_.actuators.add(), *friction = rows_.friction.add(), *limits = rows_.limits.add();
    for (const SimulatedSkeleton& skeleton : world_.skeletons()) {
        const auto own = std::find_if(states_.begin(), states_.end(), [&](const auto& s) { return s.get() == &skeleton.state(); });
        if (own == states_.end()) continue;
        const int first = first_column_[own - states_.begin()];
        for (const SimulatedTree& tree : skeleton.trees()) {
            tree.read_forces(world_.native(), actuators + first, friction + first, limits + first);
        }
    }
}

void WorldSampler::sample_contacts() {
    world_.native().contacts(false, contacts_);
    const std::size_t count = contacts_.size();
    rows_.contact_counts.push_back(static_cast<std::int64_t>(count));
    rows_.contact_pairs.resize(rows_.contact_pairs.size() + 2 * count);
    rows_.contact_numbers.resize(rows_.contact_numbers.size() + 10 * count);
    std::int32_t* pair = rows_.contact_pairs.data() + rows_.contact_pairs.size() - 2 * count;
    float* to = rows_.contact_numbers.data() + rows_.contact_numbers.size() - 10 * count;
    for (const WorldContact& c : contacts_) {
        *pair++ = c.first;
        *pair++ = c.second;
        for (const auto* v : {&c.point, &c.normal, &c.force}) to = std::copy_n(*v, 3, to);
        *to++ = static_cast<float>(c.depth);
    }
}

void WorldSampler::sample_constraints() {
    for (int i = 0; i < body_constraints_; ++i) {
        rows_.wrenches.resize(rows_.wrenches.size() + 6);
        world_.native().constraint_wrench(i, rows_.wrenches.data() + rows_.wrenches.size() - 6);
    }
    std::vector<double> errors;
    bool unmet = false;
    for (int i = 0; i < row_constraints_; ++i) {
        const std::size_t before = rows_.row_forces.size();
        world_.native().row_numbers(i, rows_.row_forces, errors, unmet);
        rows_.row_sizes.push_back(static_cast<std::int64_t>(rows_.row_forces.size() - before));
    }
}

void WorldSampler::sample_keyframe() {
    since_keyframe_ = 0;
    const std::vector<char> numbers = world_.archive();
    for (const std::int64_t k : {rows_.steps.back(), static_cast<std::int64_t>(rows_.steps.size()) - 1, static_cast<std::int64_t>(numbers.size()), std::int64_t{fresh_}}) {
        rows_.keyframes.push_back(k);
    }
    for (const auto& state : states_) {
        const double* rows = state->row(Quantity::position);
        rows_.keyframe_states.insert(rows_.keyframe_states.end(), rows, rows + static_cast<int>(Quantity::count) * state->num_dofs());
    }
    rows_.keyframe_bytes.insert(rows_.keyframe_bytes.end(), numbers.begin(), numbers.end());
}

std::size_t SampledRows::bytes() const {
    std::size_t numbers = 0;
    for (const auto* v : {&times, &wrenches, &row_forces, &keyframe_states, &input_numbers}) numbers += v->size();
    for (const auto* v : {&positions, &velocities, &accelerations, &raw}) numbers += v->size();
    for (const SparseRows* rows : {&commands, &actuators, &friction, &limits}) numbers += rows->size();
    for (const auto* v : {&steps, &contact_counts, &row_sizes, &keyframes, &inputs}) numbers += v->size();
    return 8 * numbers + 4 * (contact_pairs.size() + contact_numbers.size()) + keyframe_bytes.size();
}

std::size_t WorldSampler::bytes() const {
    const std::lock_guard lock(adding_);
    return rows_.bytes();
}

long WorldSampler::samples() const {
    const std::lock_guard lock(adding_);
    return static_cast<long>(rows_.steps.size());
}

nb::dict WorldSampler::take() {
    {
        const std::lock_guard lock(adding_);
        std::swap(rows_, given_);
        full_at_ = most_bytes;
    }
    last_take_ = now();
    SampledRows& r = given_;
    finish_motion(r);
    const npy_intp n = static_cast<npy_intp>(r.steps.size()), columns = columns_;
    nb::dict out;
    out["step"] = taken(r.steps);
    out["time"] = taken(r.times);
    out["positions"] = taken(r.positions, {n, columns});
    out["velocities"] = taken(r.velocities, {n, columns});
    const auto add_sparse = [&](const char* name, SparseRows& rows) {
        if (rows.size() > 0) out[name] = taken(rows.numbers(), {n, columns});
        rows.clear();
    };
    add_sparse("commands", r.commands);
    if (parts_.accelerations) out["accelerations"] = taken(r.accelerations, {n, columns});
    if (parts_.forces) {
        add_sparse("actuator_forces", r.actuators);
        add_sparse("friction_forces", r.friction);
        add_sparse("limit_forces", r.limits);
    }
    if (parts_.contacts) {
        const npy_intp contacts = static_cast<npy_intp>(r.contact_pairs.size() / 2);
        out["contact_counts"] = taken(r.contact_counts);
        out["contact_shapes"] = taken(r.contact_pairs, {contacts, 2});
        out["contact_numbers"] = taken(r.contact_numbers, {contacts, 10});
    }
    if (parts_.constraints) {
        out["constraint_wrenches"] = taken(r.wrenches, {n, body_constraints_, 6});
        out["row_sizes"] = taken(r.row_sizes, {n, row_constraints_});
        out["row_forces"] = taken(r.row_forces);
    }
    const npy_intp keyframes = static_cast<npy_intp>(r.keyframes.size() / 4);
    out["keyframes"] = taken(r.keyframes, {keyframes, 4});
    out["keyframe_states"] = taken(r.keyframe_states, {keyframes, static_cast<npy_intp>(Quantity::count) * columns});
    out["keyframe_numbers"] = nb::bytes(r.keyframe_bytes.data(), r.keyframe_bytes.size());
    r.keyframe_bytes.clear();
    out["inputs"] = taken(r.inputs, {static_cast<npy_intp>(r.inputs.size() / 4), 4});
    out["input_numbers"] = taken(r.input_numbers);
    return out;
}

// ---- steps

void SampledWorld::see() {
    for (WorldSampler* sampler : samplers_) sampler->see();
}

void SampledWorld::sample(bool keyframe) {
    std::exception_ptr first;
    for (WorldSampler* sampler : samplers_) {
        try {
            sampler->sample_if_due(keyframe);
        } catch (...) {
            if (!first) first = std::current_exception();
        }
    }
    if (first) std::rethrow_exception(first);
}

void SampledWorld::before() {
    for (WorldSampler* sampler : samplers_) sampler->begin_steps();
    prepare();
}

void SampledWorld::prepare() {
    for (WorldSampler* sampler : samplers_) sampler->prepare();
}

void SampledWorld::after() {
    const ExclusiveUse::Turn turn(use_);
    see();
    sample(true);
}

long SampledWorld::until_due(long left) const {
    for (const WorldSampler* sampler : samplers_) {
        if (sampler->is_open()) left = std::min(left, std::max(sampler->due(), 1L));
    }
    return left;
}

bool SampledWorld::step_quietly(long& left) {
    const auto is_quiet = [](const WorldSampler* s) { return s->is_quiet(); };
    const auto reads_all = [](const WorldSampler* s) { return s->reads_all(); };
    if (!std::all_of(samplers_.begin(), samplers_.end(), reads_all) || !std::all_of(samplers_.begin(), samplers_.end(), is_quiet)) {
        return true;
    }
    bool goes_on = true;
    std::exception_ptr stopped;
    {
        const ExclusiveUse::Turn turn = world_.begin_runs();
        for (WorldSampler* sampler : samplers_) sampler->hold_commands();
        try {
            without_lock([&](StopSignal* stop) {
                while (goes_on && left > 0 && std::all_of(samplers_.begin(), samplers_.end(), is_quiet)) {
                    const long piece = until_due(left), done = world_.run(piece, stop);
                    left -= done;
                    goes_on = done == piece;
                    for (WorldSampler* sampler : samplers_) {
                        if (goes_on) sampler->sample_quietly();
                    }
                }
            });
        } catch (...) {
            stopped = std::current_exception();
        }
    }
    world_.take_runs();
    see();
    if (stopped) std::rethrow_exception(stopped);
    return goes_on;
}

bool SampledWorld::step(nb::handle steps) {
    long left = count_of_steps(steps);
    const ExclusiveUse::Turn turn(use_);
    for (WorldSampler* sampler : samplers_) sampler->begin_steps();
    // What is set meanwhile waits for the next call, as without samplers, unless it is set by what these ask.
    bool bring = true;
    while (left > 0) {
        if (bring) prepare();
        const long piece = until_due(left);
        try {
            if (!world_.advance(piece, bring)) {
                see();
                return false;
            }
        } catch (...) {
            see();
            throw;
        }
        see();
        sample(false);
        left -= piece;
        bring = std::any_of(samplers_.begin(), samplers_.end(), [](const WorldSampler* s) { return s->has_asked(); });
        if (left > 0 && PyErr_CheckSignals() != 0) throw nb::python_error();
        if (!bring && left > 0 && !step_quietly(left)) return false;
    }
    return true;
}

}  // namespace kido
