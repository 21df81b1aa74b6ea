#include "world_sampler.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <string>

#include "result_arrays.hpp"

namespace kido {

namespace {

constexpr int kInputPositions = 0, kInputVelocities = 1, kInputCommands = 2;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

int code_of(double) { return NPY_DOUBLE; }
int code_of(float) { return NPY_FLOAT; }
int code_of(std::int64_t) { return NPY_INT64; }
int code_of(std::int32_t) { return NPY_INT32; }

template <class X>
nb::object taken(std::vector<X>& numbers, std::initializer_list<npy_intp> shape) {
    nb::object out = array_of(static_cast<int>(shape.size()), shape.begin(), code_of(X{}));
    std::copy(numbers.begin(), numbers.end(), static_cast<X*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(out.ptr()))));
    numbers.clear();
    return out;
}
template <class X>
nb::object taken(std::vector<X>& numbers) {
    return taken(numbers, {static_cast<npy_intp>(numbers.size())});
}

}  // namespace

WorldSampler::WorldSampler(BoundWorld& world, std::vector<std::shared_ptr<State>> states, long every, long keyframe_every,
                           SampledParts parts, int body_constraints, int row_constraints, bool fresh)
    : world_(world), states_(std::move(states)), body_constraints_(body_constraints), row_constraints_(row_constraints),
      parts_(parts), fresh_(fresh), last_call_(now()) {
    begin(every, keyframe_every);
    for (const auto& state : states_) {
        first_column_.push_back(columns_);
        columns_ += state->num_dofs();
        seen_.push_back(seen_of(*state));
    }
    for (SparseRows* rows : {&commands_, &actuators_, &friction_, &limits_}) *rows = SparseRows(columns_);
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
    const std::int64_t step = start_steps_ + (world_.steps() - start_at_);
    for (const std::int64_t k : {step, std::int64_t{kind}, std::int64_t{skeleton}, static_cast<std::int64_t>(count)}) {
        inputs_.push_back(k);
    }
    input_numbers_.insert(input_numbers_.end(), numbers, numbers + count);
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
}

void WorldSampler::begin(long every, long keyframe_every) {
    if (every < 1 || keyframe_every < 1) throw nb::value_error("every, keyframe_every: expected 1 or above");
    every_ = every;
    keyframe_every_ = keyframe_every;
    begins_ = true;
}

void WorldSampler::prepare() {
    if (!open_) return;
    if (!begins_) {
        note_inputs();
        return;
    }
    next_ = world_.steps() + every_;
    for (std::size_t i = 0; i < states_.size(); ++i) seen_[i] = seen_of(*states_[i]);
    sample(true);
    begins_ = fresh_ = false;
}

void WorldSampler::see() {
    for (std::size_t i = 0; i < states_.size(); ++i) {
        seen_[i].positions = states_[i]->version(Quantity::position);
        seen_[i].velocities = states_[i]->version(Quantity::velocity);
    }
}

void WorldSampler::sample(bool keyframe, bool asks) {
    if (asks && !asked.is_none()) asked();
    last_ = world_.steps();
    steps_.push_back(start_steps_ + (world_.steps() - start_at_));
    times_.push_back(time());
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
    return false;
}

void WorldSampler::finish(bool asks) {
    if (!open_) return;
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

void WorldSampler::call_full() {
    if (full.is_none()) return;
    if (bytes() < most_bytes && now() - last_call_ < longest) return;
    full();
    last_call_ = now();
}

void WorldSampler::sample_motion() {
    const auto add = [&](std::vector<double>& numbers, Quantity quantity) {
        numbers.resize(numbers.size() + columns_);
        double* to = numbers.data() + numbers.size() - columns_;
        for (const auto& state : states_) to = std::copy_n(state->row(quantity), state->num_dofs(), to);
    };
    add(positions_, Quantity::position);
    add(velocities_, Quantity::velocity);
    if (parts_.accelerations) add(accelerations_, Quantity::acceleration);
}

void WorldSampler::sample_commands() {
    const auto commanded = [](const std::shared_ptr<State>& state) {
        const double* row = state->row(Quantity::command);
        return std::any_of(row, row + state->num_dofs(), [](double x) { return x != 0.0; });
    };
    if (std::none_of(states_.begin(), states_.end(), commanded)) {
        commands_.add_zeros();
        return;
    }
    double* to = commands_.add();
    for (const auto& state : states_) to = std::copy_n(state->row(Quantity::command), state->num_dofs(), to);
}

void WorldSampler::sample_forces() {
    if (!has_joints_ || world_.recorded() == 0.0) {
        for (SparseRows* rows : {&actuators_, &friction_, &limits_}) rows->add_zeros();
        return;
    }
    double *actuators = actuators_.add(), *friction = friction_.add(), *limits = limits_.add();
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
    const std::vector<WorldContact> all = world_.native().contacts(false);
    contact_counts_.push_back(static_cast<std::int64_t>(all.size()));
    if (contact_numbers_.capacity() < contact_numbers_.size() + 10 * all.size()) {
        contact_numbers_.reserve(2 * (contact_numbers_.size() + 10 * all.size()));
    }
    for (const WorldContact& c : all) {
        contact_pairs_.push_back(c.first);
        contact_pairs_.push_back(c.second);
        for (const double* v : {c.point, c.normal, c.force}) {
            for (int k = 0; k < 3; ++k) contact_numbers_.push_back(static_cast<float>(v[k]));
        }
        contact_numbers_.push_back(static_cast<float>(c.depth));
    }
}

void WorldSampler::sample_constraints() {
    for (int i = 0; i < body_constraints_; ++i) {
        wrenches_.resize(wrenches_.size() + 6);
        world_.native().constraint_wrench(i, wrenches_.data() + wrenches_.size() - 6);
    }
    std::vector<double> errors;
    bool unmet = false;
    for (int i = 0; i < row_constraints_; ++i) {
        const std::size_t before = row_forces_.size();
        world_.native().row_numbers(i, row_forces_, errors, unmet);
        row_sizes_.push_back(static_cast<std::int64_t>(row_forces_.size() - before));
    }
}

void WorldSampler::sample_keyframe() {
    since_keyframe_ = 0;
    const std::vector<char> numbers = world_.archive();
    for (const std::int64_t k : {steps_.back(), static_cast<std::int64_t>(steps_.size()) - 1, static_cast<std::int64_t>(numbers.size()), std::int64_t{fresh_}}) {
        keyframes_.push_back(k);
    }
    for (const auto& state : states_) {
        const double* rows = state->row(Quantity::position);
        keyframe_states_.insert(keyframe_states_.end(), rows, rows + static_cast<int>(Quantity::count) * state->num_dofs());
    }
    keyframe_bytes_.insert(keyframe_bytes_.end(), numbers.begin(), numbers.end());
}

std::size_t WorldSampler::bytes() const {
    std::size_t numbers = 0;
    for (const auto* v : {&times_, &positions_, &velocities_, &accelerations_, &wrenches_, &row_forces_, &keyframe_states_, &input_numbers_}) {
        numbers += v->size();
    }
    for (const SparseRows* rows : {&commands_, &actuators_, &friction_, &limits_}) numbers += rows->size();
    for (const auto* v : {&steps_, &contact_counts_, &row_sizes_, &keyframes_, &inputs_}) numbers += v->size();
    return 8 * numbers + 4 * (contact_pairs_.size() + contact_numbers_.size()) + keyframe_bytes_.size();
}

nb::dict WorldSampler::take() {
    const npy_intp n = static_cast<npy_intp>(steps_.size()), columns = columns_;
    nb::dict out;
    out["step"] = taken(steps_);
    out["time"] = taken(times_);
    out["positions"] = taken(positions_, {n, columns});
    out["velocities"] = taken(velocities_, {n, columns});
    const auto add_sparse = [&](const char* name, SparseRows& rows) {
        if (rows.size() > 0) out[name] = taken(rows.numbers(), {n, columns});
        rows.clear();
    };
    add_sparse("commands", commands_);
    if (parts_.accelerations) out["accelerations"] = taken(accelerations_, {n, columns});
    if (parts_.forces) {
        add_sparse("actuator_forces", actuators_);
        add_sparse("friction_forces", friction_);
        add_sparse("limit_forces", limits_);
    }
    if (parts_.contacts) {
        const npy_intp contacts = static_cast<npy_intp>(contact_pairs_.size() / 2);
        out["contact_counts"] = taken(contact_counts_);
        out["contact_shapes"] = taken(contact_pairs_, {contacts, 2});
        out["contact_numbers"] = taken(contact_numbers_, {contacts, 10});
    }
    if (parts_.constraints) {
        out["constraint_wrenches"] = taken(wrenches_, {n, body_constraints_, 6});
        out["row_sizes"] = taken(row_sizes_, {n, row_constraints_});
        out["row_forces"] = taken(row_forces_);
    }
    const npy_intp keyframes = static_cast<npy_intp>(keyframes_.size() / 4);
    out["keyframes"] = taken(keyframes_, {keyframes, 4});
    out["keyframe_states"] = taken(keyframe_states_, {keyframes, static_cast<npy_intp>(Quantity::count) * columns});
    out["keyframe_numbers"] = nb::bytes(keyframe_bytes_.data(), keyframe_bytes_.size());
    keyframe_bytes_.clear();
    out["inputs"] = taken(inputs_, {static_cast<npy_intp>(inputs_.size() / 4), 4});
    out["input_numbers"] = taken(input_numbers_);
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
    for (WorldSampler* sampler : samplers_) sampler->prepare();
}

void SampledWorld::after() {
    const ExclusiveUse::Turn turn(use_);
    see();
    sample(true);
}

bool SampledWorld::step(nb::handle steps) {
    long left = count_of_steps(steps);
    const ExclusiveUse::Turn turn(use_);
    // What is set meanwhile waits for the next call, as without samplers, unless it is set by what these ask.
    bool bring = true;
    while (left > 0) {
        if (bring) before();
        long piece = left;
        for (const WorldSampler* sampler : samplers_) {
            if (sampler->is_open()) piece = std::min(piece, std::max(sampler->due(), 1L));
        }
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
        bring = std::any_of(samplers_.begin(), samplers_.end(), [](const WorldSampler* s) { return s->asks(); });
        if (left > 0 && PyErr_CheckSignals() != 0) throw nb::python_error();
    }
    return true;
}

}  // namespace kido
