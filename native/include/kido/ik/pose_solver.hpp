#pragma once

#include <algorithm>
#include <chrono>
#include <limits>

#include "kido/ik/pose_step.hpp"
#include "kido/ik/random_start.hpp"

// Inverse kinematics of one frame, many starts at once: every lane works on a start of its own, and takes the next one when it
// is done. The result of a start depends on the problem, the target and the start's number only, so results do not depend on
// lanes, threads, or the other targets. The answer for a target is that of the first start, in their numbering, that reaches
// it, or of the nearest one; start 0 is the given one.

KIDO_BEGIN

// A start that a lane works on.
struct PoseTask {
    int slot = -1;  // of its target among the open ones; -1: none
    int start = 0, iteration = 0;
    int since = 0, mirrors = 0;  // iterations since it was placed, times that it was mirrored
    double checkpoint = 0.0;     // squared error some iterations ago
    bool releases = false;       // whether steps may move what is between its bounds
};

// A target that lanes work on.
struct OpenTarget {
    std::size_t index = 0;
    int next_start = 0;   // that is handed out next
    int best = -1;        // start whose numbers are kept
    bool open = false, reached = false;
    double squared = 0.0, displacement = 0.0;  // of the numbers kept: error, largest change of a dof from the given ones
    int cut = std::numeric_limits<int>::max();  // first start that the time budget ended, which would have gone on
};

template <class T>
struct PoseMemory : PoseStep<T> {
    T* target;  // 12 numbers

    PoseMemory(const PoseProblem& p, Scratch& s) : PoseStep<T>(p, s), target(s.take<T>(PoseProblem::target_numbers)) {}
};

// Iterations between two looks at the stop signal.
inline constexpr unsigned kPolled = 16;

template <class T>
class PoseSolver {
public:
    PoseSolver(const PoseProblem& problem, const PoseResults& results, std::size_t begin, std::size_t end, void* memory)
        : p_(problem), out_(results), scratch_(memory), w_(problem, scratch_), next_(begin), end_(end) {
        for (int j = 0; j < p_.dofs; ++j) w_.q[j] = T(0.0);
        for (int k = 0; k < PoseProblem::target_numbers; ++k) w_.target[k] = T(k % 4 == 0 && k < 9 ? 1.0 : 0.0);
        int dof = 0;
        for (int k = 0; k < p_.path_links; ++k) {
            const Link& link = p_.model->links[p_.path[k]];
            for (int i = 0; i < link.dof_count; ++i, ++dof) {
                w_.prismatic[dof] = is_prismatic(link, i);
                translates_ = translates_ || (w_.prismatic[dof] && p_.moves[dof]);
            }
        }
    }

    void run() {
        const auto begin = std::chrono::steady_clock::now();
        for (std::size_t i = next_; i < end_; ++i) write_unsolved(i);
        fill();
        for (unsigned rounds = 1; busy(); ++rounds) {
            if (p_.stop && rounds % kPolled == 0 && p_.stop->poll()) return;
            late_ = p_.time_budget < std::numeric_limits<double>::infinity() &&
                    std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() > p_.time_budget;
            Vec3<T> point;
            const T* x = w_.target;
            PoseError<T> e = pose_error<T>(p_, w_, {read3(x), read3(x + 3), read3(x + 6)}, read3(x + 9), point);
            measure_starts(e.linear);
            e.linear = e.linear * length_.inverse;
            const T angular = dot(e.angular, e.angular), linear = dot(e.linear, e.linear);
            const T squared = weighted_square(p_.region, e, angular, linear);
            judge(e, angular, linear, squared);
            if (late_) return;
            if (p_.region.bounded) release(e);
            T moving(0.0);
            for (int lane = 0; lane < W; ++lane) {
                const bool stays = task_[lane].slot < 0 || task_[lane].since == 0;  // since 0: just placed
                set_lane(moving, lane, stays ? 0.0 : 1.0);
            }
            fill();
            pose_columns(p_, w_, point);
            pose_iterate<T>(p_, w_, e, squared, damping_, length_, moving > T(0.0));
        }
    }

private:
    static constexpr int W = lanes_of<T>;

    bool busy() const {
        for (const PoseTask& task : task_) {
            if (task.slot >= 0) return true;
        }
        return false;
    }

    // The characteristic lengths of lanes that were just placed, by their errors of position.
    void measure_starts(const Vec3<T>& linear) {
        for (int lane = 0; lane < W; ++lane) {
            if (task_[lane].slot < 0 || task_[lane].since > 0) continue;
            const double x = abs(get_lane(linear.x, lane)), y = abs(get_lane(linear.y, lane)), z = abs(get_lane(linear.z, lane));
            const double length = characteristic_length(reach_, max(x, max(y, z)), translates_);
            set_lane(length_.value, lane, length);
            set_lane(length_.inverse, lane, 1.0 / length);
        }
    }

    // Gives idle lanes something to do. They start to move in the iteration after.
    void fill() {
        for (int lane = 0; lane < W; ++lane) {
            if (task_[lane].slot >= 0) continue;
            int slot = abandoned();
            if (slot < 0) slot = next_ < end_ ? open_next() : another_start();
            if (slot >= 0) load(lane, slot);
        }
    }

    // An open target that no lane works on.
    int abandoned() const {
        bool worked[W] = {};
        for (const PoseTask& task : task_) {
            if (task.slot >= 0) worked[task.slot] = true;
        }
        for (int slot = 0; slot < W; ++slot) {
            if (targets_[slot].open && !worked[slot]) return slot;
        }
        return -1;
    }

    int open_next() {
        int slot = 0;
        while (targets_[slot].open) ++slot;
        targets_[slot] = {next_++, 0, -1, true, false, 0.0, 0.0};
        return slot;
    }

    // The open target with the fewest starts so far.
    int another_start() const {
        int found = -1;
        for (int slot = 0; slot < W; ++slot) {
            const OpenTarget& t = targets_[slot];
            if (!t.open || (t.reached && !p_.nearest) || t.next_start >= p_.starts) continue;
            if (found < 0 || t.next_start < targets_[found].next_start) found = slot;
        }
        return found;
    }

    void load(int lane, int slot) {
        OpenTarget& t = targets_[slot];
        const int start = t.next_start++;
        task_[lane] = {slot, start, 0, 0, 0, std::numeric_limits<double>::infinity(), false};
        for (int k = 0; k < PoseProblem::target_numbers; ++k) {
            set_lane(w_.target[k], lane, p_.target[t.index * PoseProblem::target_numbers + k]);
        }
        set_lane(damping_, lane, p_.dampings ? p_.dampings[t.index] : p_.damping);
        const double* from = p_.start + static_cast<std::ptrdiff_t>(t.index) * p_.start_stride;
        for (int j = 0; j < p_.dofs; ++j) {
            double q = from[j];
            if (p_.moves[j]) {
                if (start > 0) q = p_.low_seed[j] + (p_.high_seed[j] - p_.low_seed[j]) * drawn(p_.seed, start, j);
                q = q < p_.lower[j] ? p_.lower[j] : q > p_.upper[j] ? p_.upper[j] : q;
            }
            set_lane(w_.q[j], lane, q);
        }
    }

    // Whether a component of the error in a lane is between bounds that leave it room.
    bool has_room(const PoseError<T>& e, int lane) const {
        const T x[6] = {e.angular.x, e.angular.y, e.angular.z, e.linear.x, e.linear.y, e.linear.z};
        bool some = false;
        for (int k = 0; k < 6 && p_.region.bounded; ++k) {
            some = some || (get_lane(x[k], lane) == 0.0 && leaves_room(p_.region, k));
        }
        return some;
    }

    // Components between their bounds do not count in steps of lanes that could not go on while these stayed where they are.
    void release(PoseError<T>& e) const {
        T kept(1.0);
        for (int lane = 0; lane < W; ++lane) set_lane(kept, lane, task_[lane].releases ? 0.0 : 1.0);
        const T x[6] = {e.angular.x, e.angular.y, e.angular.z, e.linear.x, e.linear.y, e.linear.z};
        for (int k = 0; k < 6; ++k) e.active[k] = select(x[k] == T(0.0), e.active[k] * kept, e.active[k]);
    }

    // Ends the starts that reached their target or got stuck.
    void judge(const PoseError<T>& error, const T& angular, const T& linear, const T& squared) {
        const double angular_limit = p_.angular_tolerance * p_.angular_tolerance;
        const double linear_limit = p_.linear_tolerance * p_.linear_tolerance;
        for (int lane = 0; lane < W; ++lane) {
            PoseTask& task = task_[lane];
            if (task.slot < 0) continue;
            const double a = get_lane(angular, lane), l = get_lane(linear, lane), e = get_lane(squared, lane);
            const double inverse = get_lane(length_.inverse, lane);
            const bool reached = a <= angular_limit && l <= linear_limit * (inverse * inverse);
            const bool ended = task.iteration >= p_.iterations || !is_finite(e), over = late_ || ended;
            bool stuck = ended;
            if (task.since % kPatience == 0) {
                const bool slow = e > kProgress * task.checkpoint, released = slow && !task.releases && has_room(error, lane);
                stuck = stuck || (slow && !released);
                task.releases = task.releases || released;
                task.checkpoint = released ? std::numeric_limits<double>::infinity() : e;
            }
            ++task.iteration;
            ++task.since;
            const bool mirrors = !ended && task.start == p_.starts - 1 && task.mirrors < p_.mirrors;
            OpenTarget& target = targets_[task.slot];
            if (late_ && !reached && (!stuck || mirrors)) target.cut = std::min(target.cut, task.start);
            if (!reached && !stuck && !over) continue;
            keep(lane, reached, a, l, e);
            if (!reached && !over && mirrors) {
                mirror(lane);
            } else {
                finish(lane);
            }
        }
    }

    // Other positions to go on from: dofs at a limit jump to the opposite side of their range; where none is, all do.
    void mirror(int lane) {
        PoseTask& task = task_[lane];
        ++task.mirrors;
        task.since = 0;
        task.checkpoint = std::numeric_limits<double>::infinity();
        bool some = false;
        for (int j = 0; j < p_.dofs; ++j) some = some || at_limit(j, get_lane(w_.q[j], lane));
        for (int j = 0; j < p_.dofs; ++j) {
            const double low = p_.lower[j], high = p_.upper[j], q = get_lane(w_.q[j], lane);
            if (!p_.moves[j] || !is_finite(low) || !is_finite(high)) continue;
            set_lane(w_.q[j], lane, mirrored(q, low, high, !some || at_limit(j, q)));
        }
    }

    bool at_limit(int j, double q) const { return p_.moves[j] && is_at_limit(q, p_.lower[j], p_.upper[j]); }

    // The result of a target that the time ran out before it was worked on.
    void write_unsolved(std::size_t i) {
        const double* from = p_.start + static_cast<std::ptrdiff_t>(i) * p_.start_stride;
        const double far = std::numeric_limits<double>::infinity();
        for (const PoseEnds& ends : {static_cast<const PoseEnds&>(out_), out_.connected}) {
            for (int j = 0; j < p_.dofs; ++j) ends.positions[i * p_.dofs + j] = from[j];
            ends.angular_error[i] = ends.linear_error[i] = ends.squared[i] = far;
            ends.iterations[i] = 0;
        }
        out_.reached[i] = false;
        out_.timed_out[i] = true;  // until it was worked on
        out_.start[i] = 0;
    }

    const double* given(const OpenTarget& t) const {
        return p_.start + static_cast<std::ptrdiff_t>(t.index) * p_.start_stride;
    }

    // Where a dof is, an angle with the whole turns that bring it nearest to the given positions.
    double turned_back(int j, double q, double near) const {
        return p_.cyclic[j] ? unwound(q, near, p_.lower[j], p_.upper[j]) : q;
    }

    // The largest change of a dof from the given positions.
    double displacement(int lane, const OpenTarget& t) const {
        double most = 0.0;
        for (int j = 0; j < p_.dofs; ++j) {
            most = max(most, abs(turned_back(j, get_lane(w_.q[j], lane), given(t)[j]) - given(t)[j]));
        }
        return most;
    }

    bool is_better(const OpenTarget& t, int start, bool reached, double squared, double displacement) const {
        if (reached != t.reached) return reached;
        const double now = reached ? (p_.nearest ? displacement : 0.0) : squared;
        const double best = reached ? (p_.nearest ? t.displacement : 0.0) : t.squared;
        return now < best || (now == best && start < t.best);
    }

    // Writes the positions of a start if they are the best so far. `linear` and `scaled` are in characteristic lengths.
    void keep(int lane, bool reached, double angular, double linear, double scaled) {
        const PoseTask& done = task_[lane];
        OpenTarget& t = targets_[done.slot];
        const double length = get_lane(length_.value, lane);
        const double squared = min(scaled * (length * length), std::numeric_limits<double>::max());
        const double moved = reached ? displacement(lane, t) : 0.0;
        if (done.start == 0 && done.mirrors == 0) write(out_.connected, lane, t, reached, angular, linear, squared);
        if (t.best < 0 || is_better(t, done.start, reached, squared, moved)) {
            t.best = done.start;
            t.reached = reached;
            t.squared = squared;
            t.displacement = moved;
            out_.reached[t.index] = t.reached;
            out_.start[t.index] = done.start;
            write(out_, lane, t, reached, angular, linear, squared);
        }
    }

    void write(const PoseEnds& ends, int lane, const OpenTarget& t, bool reached, double angular, double linear,
               double squared) {
        ends.angular_error[t.index] = sqrt(angular);
        ends.linear_error[t.index] = sqrt(linear) * get_lane(length_.value, lane);
        ends.squared[t.index] = squared;
        ends.iterations[t.index] = task_[lane].iteration - 1;
        for (int j = 0; j < p_.dofs; ++j) {
            const double q = get_lane(w_.q[j], lane);
            ends.positions[t.index * p_.dofs + j] = reached && p_.moves[j] ? turned_back(j, q, given(t)[j]) : q;
        }
    }

    void finish(int lane) {
        const PoseTask done = task_[lane];
        OpenTarget& t = targets_[done.slot];
        task_[lane].slot = -1;
        bool waiting = false;
        for (int other = 0; other < W; ++other) {
            PoseTask& task = task_[other];
            if (task.slot != done.slot) continue;
            if (t.reached && !p_.nearest && task.start > t.best) {
                task.slot = -1;
            } else {
                waiting = true;
            }
        }
        const bool goes_on = !t.reached || p_.nearest;
        t.open = waiting || (goes_on && t.next_start < p_.starts);
        out_.timed_out[t.index] = t.open || t.cut < (goes_on ? p_.starts : t.best);
    }

    const PoseProblem& p_;
    const PoseResults& out_;
    Scratch scratch_;
    const PoseMemory<T> w_;
    PoseTask task_[W];
    OpenTarget targets_[W];
    std::size_t next_, end_;
    CharacteristicLength<T> length_;
    T damping_{0.0};
    const double reach_ = path_reach(*p_.model, p_.link, p_.p);
    bool translates_ = false;
    bool late_ = false;  // the time is spent
};

KIDO_END
