#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "bound_state.hpp"
#include "bound_world.hpp"

namespace kido {

// What is read of a world in each sample, beside positions, velocities and commands.
struct SampledParts {
    bool accelerations, forces, contacts, constraints;
};

// Numbers that are written right after there is room for them: growing leaves them as they are.
template <class X>
struct LeavesUnset : std::allocator<X> {
    template <class Y>
    struct rebind {
        using other = LeavesUnset<Y>;
    };
    template <class Y, class... Arguments>
    void construct(Y* y, Arguments&&... arguments) {
        if constexpr (sizeof...(Arguments) == 0) {
            ::new (static_cast<void*>(y)) Y;
        } else {
            ::new (static_cast<void*>(y)) Y(std::forward<Arguments>(arguments)...);
        }
    }
};
template <class X>
using UnsetVector = std::vector<X, LeavesUnset<X>>;

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

// Numbers of samples, in the order in which they were taken.
struct SampledRows {
    std::vector<std::int64_t> steps;
    std::vector<double> times;
    UnsetVector<double> positions, velocities, accelerations;
    SparseRows commands, actuators, friction, limits;
    std::vector<std::int64_t> contact_counts, row_sizes;
    UnsetVector<std::int32_t> contact_pairs;
    UnsetVector<float> contact_numbers;
    std::vector<double> wrenches, row_forces;
    std::vector<std::int64_t> keyframes;  // (k, 4): step, sample since the last `take`, bytes, whether the solver remembers nothing
    std::vector<double> keyframe_states;
    std::vector<char> keyframe_bytes;
    std::vector<std::int64_t> inputs;  // (i, 4): step, kind, skeleton, how many numbers
    std::vector<double> input_numbers;
    // Motions that are not brought to coordinates yet: samples, and of each the center (3), turn (4) and velocity (6) of each free body.
    std::vector<std::size_t> raw_samples;
    UnsetVector<double> raw;

    explicit SampledRows(int columns = 0) : commands(columns), actuators(columns), friction(columns), limits(columns) {}
    std::size_t bytes() const;
};

// Copies of the numbers of a world after every so many steps, in memory until they are taken, and what was set between steps:
// that, and the numbers that a step starts from, make the same steps again.
class WorldSampler {
public:
    // states: of all skeletons, those that do not move too; softs: of all soft bodies; row_constraints: how many.
    WorldSampler(BoundWorld& world, std::vector<std::shared_ptr<State>> states, std::vector<std::shared_ptr<const SoftState>> softs, long every, long keyframe_every, SampledParts parts,
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
    // Before some steps in a row: Python may have changed what it is asked for.
    void begin_steps() {
        asks_next_ = true;
        has_asked_ = false;
    }
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
    // Whether Python was asked since steps began, and may have set something.
    bool has_asked() const { return has_asked_; }
    bool begins() const { return begins_; }
    std::size_t bytes() const;
    long samples() const;
    // Whether `full` is to be called, and that.
    bool is_full() const;
    void call_full();
    // Whether the next sample can be taken without the interpreter's lock, and before states have got the motion of the world; that
    // then. Keyframes cannot.
    bool is_quiet() const;
    // Before such steps: what is commanded in all of them.
    void hold_commands();
    void sample_quietly();
    // Whether motions of all states can be read in the world.
    bool reads_all() const;
    // All numbers by name, which are forgotten here.
    nb::dict take();

    nb::object asked;  // called before samples; None: nothing is
    bool asks_always = true;  // before each sample; else before the first one of some steps
    nb::object full;   // called after a sample where there are `most_bytes` more than before, or some time has passed since they were taken
    std::size_t most_bytes = 1 << 20;
    double longest = 0.25;  // since `take` [s]

private:
    struct Seen {
        unsigned long long positions, velocities, commands;
    };
    static Seen seen_of(const State& state);
    bool was_moved() const;
    double time() const;
    // Adds a sample of what the world, and its states, have now.
    void add(bool keyframe);
    void sample_motion();
    void sample_raw_motion(double* q, double* v, double* a);
    // Coordinates of what was sampled raw.
    void finish_motion(SampledRows& rows) const;
    void sample_commands();
    void sample_forces();
    void sample_contacts();
    void sample_constraints();
    void sample_keyframe();
    void note_inputs();
    void note_points(int index);

    BoundWorld& world_;
    std::vector<std::shared_ptr<State>> states_;
    std::vector<std::shared_ptr<const SoftState>> softs_;
    std::vector<int> first_column_;
    std::vector<Seen> seen_;
    std::vector<unsigned long long> seen_points_;  // of soft bodies
    int columns_ = 0, body_constraints_, row_constraints_;
    long every_, keyframe_every_, next_ = 0, since_keyframe_ = 0, last_ = -1;  // steps of the native world
    SampledParts parts_;
    std::atomic<bool> open_ = true;
    bool begins_ = true, fresh_;
    bool asks_next_ = true, has_asked_ = false;
    std::atomic<double> last_take_;
    double start_time_ = 0.0, time_step_ = 0.0;
    long start_steps_ = 0, start_at_ = 0;

    bool has_joints_ = false;  // whether any skeleton is more than rigid bodies
    std::vector<WorldContact> contacts_;  // of the last sample
    std::vector<int> simulated_;          // of each state: the skeleton of the native world; -1: none
    struct FreeBody {
        const SimulatedTree* tree;
        int column;
    };
    std::vector<char> is_free_;           // of each state, whether it consists of free bodies alone
    std::vector<FreeBody> free_bodies_;   // of these
    std::vector<int> free_rows_;          // theirs in the native world
    std::vector<int> others_;             // states that consist of more
    std::vector<double> held_commands_;   // of all states during steps that are made quietly; empty: zeros
    bool from_world_ = false;             // whether motions are those of the native world, which states have not got yet
    // Samples are taken without the interpreter's lock, and handed out with it, to another thread: of two sets of rows, the sampler
    // adds to one, and Python is given the other.
    mutable std::mutex adding_;
    SampledRows rows_, given_;
    std::size_t full_at_;  // bytes
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
    void prepare();
    void see();
    void sample(bool keyframe);
    long until_due(long left) const;
    // Steps without the interpreter's lock as long as no sampler needs it; false where numbers were not finite.
    bool step_quietly(long& left);

    BoundWorld& world_;
    std::vector<WorldSampler*> samplers_;
    ExclusiveUse use_;
};

}  // namespace kido
