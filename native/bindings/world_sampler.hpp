#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "bound_state.hpp"
#include "bound_world.hpp"

namespace kido {

// What is read of a world in each sample, beside positions, velocities and commands.
struct SampledParts {
    bool accelerations, forces, contacts, constraints;
};

// Rows of numbers, which take no memory as long as all are zero.
class SparseRows {
public:
    explicit SparseRows(int columns = 0) : columns_(columns) {}
    // A row to write to, of zeros.
    double* add() {
        numbers_.resize(numbers_.size() + static_cast<std::size_t>(zeros_ + 1) * columns_);
        zeros_ = 0;
        return numbers_.data() + numbers_.size() - columns_;
    }
    void add_zeros() {
        if (numbers_.empty()) {
            ++zeros_;
        } else {
            add();
        }
    }
    std::size_t size() const { return numbers_.size(); }
    // The rows, which are forgotten here; none where all are zero.
    std::vector<double>& numbers() { return numbers_; }
    void clear() {
        numbers_.clear();
        zeros_ = 0;
    }

private:
    int columns_;
    long zeros_ = 0;
    std::vector<double> numbers_;
};

// Copies of the numbers of a world after every so many steps, in memory until they are taken, and what was set between steps:
// that, and the numbers that a step starts from, make the same steps again.
class WorldSampler {
public:
    // states: of all skeletons, those that do not move too; row_constraints: how many.
    WorldSampler(BoundWorld& world, std::vector<std::shared_ptr<State>> states, long every, long keyframe_every, SampledParts parts,
                 int body_constraints, int row_constraints, bool fresh);

    // World time [s] and number of steps when the native world had made `at` steps.
    void set_clock(double time, double time_step, long steps, long at);
    // Steps until the next sample.
    long due() const { return next_ - world_.steps(); }
    // Before a step: takes the first sample, with a keyframe, where that was not done yet; else notes what was set since the last step.
    void prepare();
    // The next step begins anew, as `prepare` says.
    void begin(long every, long keyframe_every);
    // Something that was set, as `kind` of whoever reads it says.
    void note(int kind, int skeleton, const double* numbers, std::size_t count);
    // After steps: takes what they changed for known.
    void see();
    // What Python reads is asked for first: where that raises, there is no sample.
    void sample(bool keyframe, bool asks = true);
    void sample_if_due(bool keyframe);
    // The last sample of these states, with a keyframe, unless there was one after the last step, or motions were set since: those
    // are of no step. `asks`: whether Python is asked before.
    void finish(bool asks);
    void want_keyframe() { since_keyframe_ = keyframe_every_; }
    BoundWorld& world() const { return world_; }
    void close() { open_ = false; }
    bool is_open() const { return open_; }
    bool asks() const { return !asked.is_none(); }
    bool begins() const { return begins_; }
    std::size_t bytes() const;
    long samples() const { return static_cast<long>(steps_.size()); }
    // All numbers by name, which are forgotten here.
    nb::dict take();

    nb::object asked;  // called before each sample; None: nothing is
    nb::object full;   // called after a sample where there are more bytes than `most_bytes`, or some time has passed
    std::size_t most_bytes = 1 << 20;
    double longest = 0.25;  // between calls of `full` [s]

private:
    struct Seen {
        unsigned long long positions, velocities, commands;
    };
    static Seen seen_of(const State& state);
    bool was_moved() const;
    double time() const;
    void sample_motion();
    void sample_commands();
    void sample_forces();
    void sample_contacts();
    void sample_constraints();
    void sample_keyframe();
    void note_inputs();
    void call_full();

    BoundWorld& world_;
    std::vector<std::shared_ptr<State>> states_;
    std::vector<int> first_column_;
    std::vector<Seen> seen_;
    int columns_ = 0, body_constraints_, row_constraints_;
    long every_, keyframe_every_, next_ = 0, since_keyframe_ = 0, last_ = -1;  // steps of the native world
    SampledParts parts_;
    bool open_ = true, begins_ = true, fresh_;
    double last_call_;
    double start_time_ = 0.0, time_step_ = 0.0;
    long start_steps_ = 0, start_at_ = 0;

    std::vector<std::int64_t> steps_;
    std::vector<double> times_, positions_, velocities_, accelerations_;
    SparseRows commands_, actuators_, friction_, limits_;
    bool has_joints_ = false;  // whether any skeleton is more than rigid bodies
    std::vector<std::int64_t> contact_counts_, row_sizes_;
    std::vector<std::int32_t> contact_pairs_;
    std::vector<float> contact_numbers_;
    std::vector<double> wrenches_, row_forces_;
    std::vector<std::int64_t> keyframes_;  // (k, 4): step, sample since the last `take`, bytes, whether the solver remembers nothing
    std::vector<double> keyframe_states_;
    std::vector<char> keyframe_bytes_;
    std::vector<std::int64_t> inputs_;  // (i, 4): step, kind, skeleton, how many numbers
    std::vector<double> input_numbers_;
};

// Steps of a world that samplers look at.
class SampledWorld {
public:
    SampledWorld(BoundWorld& world, std::vector<WorldSampler*> samplers) : world_(world), samplers_(std::move(samplers)) {}
    // As that of the world.
    bool step(nb::handle steps);
    // Around a step that is made elsewhere, of which nobody knows what was set in it.
    void before();
    void after();

private:
    void see();
    void sample(bool keyframe);

    BoundWorld& world_;
    std::vector<WorldSampler*> samplers_;
    ExclusiveUse use_;
};

}  // namespace kido
