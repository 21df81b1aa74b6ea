#pragma once

#include <chrono>
#include <cmath>
#include <limits>

#include "kido/algorithm/jacobian.hpp"
#include "kido/algorithm/kinematics.hpp"
#include "kido/ik/pose_problem.hpp"
#include "kido/ik/random_start.hpp"
#include "kido/tree/scratch.hpp"

// Inverse kinematics of one pose by damped least squares with an active set of joint limits, many starts at once: every
// lane works on a start of its own, and takes the next one when it is done. What a start gives depends on the problem, the
// target and the start's number only, so results do not depend on lanes, threads, or the other targets. The answer for a target is that of the first
// start, in their numbering, that reaches it; start 0 is the given one.
// Damping: Sugihara, "Solvability-unconcerned inverse kinematics by the Levenberg-Marquardt method" (2011).

KIDO_BEGIN

template <class T>
struct PoseStep {
    T *q, *sine, *cosine, *step, *free;
    Pose<T>* pose;
    Motion<T>* column;

    PoseStep(const PoseProblem& p, Scratch& s)
        : q(s.take<T>(p.dofs)),
          sine(s.take<T>(p.dofs)),
          cosine(s.take<T>(p.dofs)),
          step(s.take<T>(p.dofs)),
          free(s.take<T>(p.dofs)),
          pose(s.take<Pose<T>>(p.path_links)),
          column(s.take<Motion<T>>(p.dofs)) {}
};

// Poses of the path, and the point's distance from the target.
template <class T>
KIDO_INLINE PoseError<T> pose_error(const PoseProblem& p, const PoseStep<T>& w, const Mat3<T>& target_R,
                                    const Vec3<T>& target_p, Vec3<T>& point) {
    sincos(w.q, p.dofs, w.sine, w.cosine);
    int dof = 0;
    for (int k = 0; k < p.path_links; ++k) {
        const Link& link = p.model->links[p.path[k]];
        const Pose<T>* parent = k == 0 ? nullptr : w.pose + k - 1;
        visit(link.kind, [&](auto joint) {
            using J = decltype(joint);
            const Mat3<T> base = parent ? parent->R * mat3(link.R) : lift<T>(mat3(link.R));
            Vec3<T> at = parent ? parent->p + parent->R * vec3(link.p) : lift<T>(vec3(link.p));
            if constexpr (J::slides) at += J::translate(link, base, w.q + dof);
            w.pose[k] = {J::rotate(base, w.q + dof, w.sine[dof], w.cosine[dof]), at};
            dof += J::dofs;
        });
    }
    const Pose<T>& last = w.pose[p.path_links - 1];
    const Mat3<T> R = last.R * mat3(p.R);
    point = last.p + last.R * vec3(p.p);
    return region_error<T>(p.wanted, {target_R, target_p}, {R, point});
}

template <class T>
KIDO_INLINE void pose_columns(const PoseProblem& p, const PoseStep<T>& w, const Vec3<T>& point) {
    int dof = 0;
    for (int k = 0; k < p.path_links; ++k) {
        const Link& link = p.model->links[p.path[k]];
        const Vec3<T> arm = point - w.pose[k].p;
        visit(link.kind, [&](auto joint) {
            for_axes(joint, link, w.pose[k].R,
                     [&](int i, const auto& axis) { w.column[dof + i] = axis_velocity(axis, arm); });
        });
        dof += link.dof_count;
    }
}

// Symmetric positive definite 6 x 6, by L D L^T, in place; only the lower triangle is read.
template <class T>
KIDO_INLINE void solve6(T (&A)[6][6], T (&x)[6]) {
    T inverse[6];
    KIDO_UNROLL
    for (int j = 0; j < 6; ++j) {
        T d = A[j][j];
        for (int k = 0; k < j; ++k) d = d - A[j][k] * A[j][k] * A[k][k];
        A[j][j] = d;
        inverse[j] = 1.0 / d;
        for (int i = j + 1; i < 6; ++i) {
            T sum = A[i][j];
            for (int k = 0; k < j; ++k) sum = sum - A[i][k] * A[j][k] * A[k][k];
            A[i][j] = sum * inverse[j];
        }
    }
    for (int i = 0; i < 6; ++i) {
        for (int k = 0; k < i; ++k) x[i] = x[i] - A[i][k] * x[k];
    }
    for (int i = 0; i < 6; ++i) x[i] = x[i] * inverse[i];
    for (int i = 5; i >= 0; --i) {
        for (int k = i + 1; k < 6; ++k) x[i] = x[i] - A[k][i] * x[k];
    }
}

// The damped step of the dofs that are free, for what remains of the error.
template <class T>
KIDO_INLINE void damped_step(const PoseProblem& p, const PoseStep<T>& w, const T (&error)[6], const T& damping) {
    T A[6][6], y[6];
    for (int r = 0; r < 6; ++r) {
        y[r] = error[r];
        for (int c = 0; c < r; ++c) A[r][c] = T(0.0);
        A[r][r] = damping;
    }
    for (int j = 0; j < p.dofs; ++j) {
        const Motion<T>& J = w.column[j];
        const T row[6] = {J.angular.x, J.angular.y, J.angular.z, J.linear.x, J.linear.y, J.linear.z};
        KIDO_UNROLL
        for (int r = 0; r < 6; ++r) {
            const T scaled = row[r] * w.free[j];
            for (int c = 0; c <= r; ++c) A[r][c] = A[r][c] + scaled * row[c];
        }
    }
    solve6(A, y);
    for (int j = 0; j < p.dofs; ++j) {
        const Motion<T>& J = w.column[j];
        const T d = J.angular.x * y[0] + J.angular.y * y[1] + J.angular.z * y[2] + J.linear.x * y[3] +
                    J.linear.y * y[4] + J.linear.z * y[5];
        w.step[j] = select(w.free[j] > T(0.0), d * w.free[j], w.step[j]);
    }
}

// Way to a limit [rad, m] from which on a dof moves without regard to it, and what one counts at least.
inline constexpr double kRoom = 4.0, kLeastWeight = 1e-3;

// One iteration: weighted columns and error, an active set of limits, a bounded step.
template <class T>
KIDO_INLINE void pose_iterate(const PoseProblem& p, const PoseStep<T>& w, const PoseError<T>& e, const T& squared,
                              Mask<T> moving) {
    T error[6];
    weighted(p.wanted, e, error);
    for (int j = 0; j < p.dofs; ++j) {
        Motion<T>& J = w.column[j];
        J = region_column(p.wanted, e, J);
        const T downhill = J.angular.x * error[0] + J.angular.y * error[1] + J.angular.z * error[2] +
                           J.linear.x * error[3] + J.linear.y * error[4] + J.linear.z * error[5];
        // The nearer the limit that a dof moves to, the less it moves; a part of Coleman and Li's scaling (1996).
        const T room = select(downhill > T(0.0), T(p.upper[j]) - w.q[j], w.q[j] - T(p.lower[j]));
        const T weight = min(max(room * (1.0 / kRoom), T(kLeastWeight)), T(1.0));
        w.free[j] = select(room > T(0.0), weight, T(0.0)) * T(p.moves[j] ? 1.0 : 0.0);
        w.step[j] = T(0.0);
    }
    const T damping = squared * p.damping + p.least_damping;
    for (int round = 0; round < 3; ++round) {
        damped_step(p, w, error, damping);
        Mask<T> over = T(1.0) < T(0.0);
        for (int j = 0; j < p.dofs; ++j) {
            const T low = T(p.lower[j]) - w.q[j], high = T(p.upper[j]) - w.q[j];
            const auto beyond = ((w.step[j] < low) | (w.step[j] > high)) & (w.free[j] > T(0.0));
            if (!any(beyond)) continue;
            over = over | beyond;
            const T allowed = min(max(w.step[j], low), high);
            const T taken = select(beyond, allowed, T(0.0));
            w.step[j] = select(beyond, allowed, w.step[j]);
            w.free[j] = select(beyond, T(0.0), w.free[j]);
            const Motion<T>& J = w.column[j];
            const T row[6] = {J.angular.x, J.angular.y, J.angular.z, J.linear.x, J.linear.y, J.linear.z};
            for (int r = 0; r < 6; ++r) error[r] = error[r] - row[r] * taken;
        }
        if (!any(over)) break;
    }
    T largest = T(p.largest_step);
    for (int j = 0; j < p.dofs; ++j) largest = max(largest, T(abs(w.step[j])));
    const T scale = p.largest_step / largest;
    int dof = 0;
    for (int k = 0; k < p.path_links; ++k) {
        const Link& link = p.model->links[p.path[k]];
        T* q = w.q + dof;
        const T* d = w.step + dof;
        if (link.kind == JointKind::ball || link.kind == JointKind::free) {
            const Mat3<T> R = so3_exp(read3(q));
            const Vec3<T> turn = read3(d) * scale;
            write3(q, select<T>(moving, so3_log(R * so3_exp(turn)), read3(q)));
            if (link.kind == JointKind::free) {
                const Vec3<T> slide = R * (so3_left_jacobian(turn) * (read3(d + 3) * scale));
                write3(q + 3, select<T>(moving, read3(q + 3) + slide, read3(q + 3)));
            }
        } else {
            q[0] = select(moving, min(max(q[0] + d[0] * scale, T(p.lower[dof])), T(p.upper[dof])), q[0]);
        }
        dof += link.dof_count;
    }
}

// A start that a lane works on.
struct PoseTask {
    int slot = -1;  // of its target among the open ones; -1: none
    int start = 0, iteration = 0;
    int since = 0, mirrors = 0;  // iterations since it was placed, times that it was mirrored
    double checkpoint = 0.0;     // squared error some iterations ago
};

// A target that lanes work on.
struct OpenTarget {
    std::size_t index = 0;
    int next_start = 0;   // that is handed out next
    int best = -1;        // start whose numbers are kept
    bool open = false, reached = false;
    double squared = 0.0, way = 0.0;  // of the numbers kept: error, largest change of a dof from the given ones
};

template <class T>
struct PoseMemory : PoseStep<T> {
    T* target;  // 12 numbers

    PoseMemory(const PoseProblem& p, Scratch& s) : PoseStep<T>(p, s), target(s.take<T>(PoseProblem::target_numbers)) {}
};

// Iterations in which a start has to halve its error at least.
inline constexpr int kPatience = 10;

// Part of the way to the middle of its range that a mirrored dof is moved.
inline constexpr double kInward = 0.1;

template <class T>
class PoseSolver {
public:
    PoseSolver(const PoseProblem& problem, const PoseResults& results, std::size_t begin, std::size_t end, void* memory)
        : p_(problem), out_(results), scratch_(memory), w_(problem, scratch_), next_(begin), end_(end) {
        for (int j = 0; j < p_.dofs; ++j) w_.q[j] = T(0.0);
        for (int k = 0; k < PoseProblem::target_numbers; ++k) w_.target[k] = T(k % 4 == 0 && k < 9 ? 1.0 : 0.0);
    }

    void run() {
        const auto begin = std::chrono::steady_clock::now();
        for (std::size_t i = next_; i < end_; ++i) write_nothing(i);
        fill();
        while (busy()) {
            if (p_.time_budget < std::numeric_limits<double>::infinity() &&
                std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() > p_.time_budget) {
                return;
            }
            Vec3<T> point;
            const T* x = w_.target;
            const PoseError<T> e = pose_error<T>(p_, w_, {read3(x), read3(x + 3), read3(x + 6)}, read3(x + 9), point);
            const T angular = dot(e.angular, e.angular), linear = dot(e.linear, e.linear);
            const T squared = weighted_square(p_.wanted, e, angular, linear);
            judge(angular, linear, squared);
            T moving(0.0);
            for (int lane = 0; lane < W; ++lane) {
                const bool stays = task_[lane].slot < 0 || task_[lane].since == 0;  // since 0: just placed
                set_lane(moving, lane, stays ? 0.0 : 1.0);
            }
            fill();
            pose_columns(p_, w_, point);
            pose_iterate<T>(p_, w_, e, squared, moving > T(0.0));
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
        task_[lane] = {slot, start, 0, 0, 0, std::numeric_limits<double>::infinity()};
        for (int k = 0; k < PoseProblem::target_numbers; ++k) {
            set_lane(w_.target[k], lane, p_.target[t.index * PoseProblem::target_numbers + k]);
        }
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

    // Ends the starts that reached their target or got stuck.
    void judge(const T& angular, const T& linear, const T& squared) {
        const double angular_limit = p_.angular_tolerance * p_.angular_tolerance;
        const double linear_limit = p_.linear_tolerance * p_.linear_tolerance;
        for (int lane = 0; lane < W; ++lane) {
            PoseTask& task = task_[lane];
            if (task.slot < 0) continue;
            const double a = get_lane(angular, lane), l = get_lane(linear, lane), e = get_lane(squared, lane);
            const bool reached = a <= angular_limit && l <= linear_limit;
            const bool over = task.iteration >= p_.iterations || !is_finite(e);
            bool stuck = over;
            if (task.since % kPatience == 0) {
                stuck = stuck || e > 0.25 * task.checkpoint;
                task.checkpoint = e;
            }
            ++task.iteration;
            ++task.since;
            if (!reached && !stuck) continue;
            keep(lane, reached, a, l, e);
            if (!reached && !over && task.start == p_.starts - 1 && task.mirrors < p_.mirrors) {
                mirror(lane);
            } else {
                finish(lane);
            }
        }
    }

    // Another place to go on from: dofs at a limit jump to the opposite side of their range; where none is, all do.
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
            const double image = some && !at_limit(j, q) ? q : low + high - q;
            set_lane(w_.q[j], lane, image + kInward * (0.5 * (low + high) - image));
        }
    }

    bool at_limit(int j, double q) const { return p_.moves[j] && (q <= p_.lower[j] || q >= p_.upper[j]); }

    // What stands where the time ran out before a target was worked on.
    void write_nothing(std::size_t i) {
        const double* from = p_.start + static_cast<std::ptrdiff_t>(i) * p_.start_stride;
        for (int j = 0; j < p_.dofs; ++j) out_.positions[i * p_.dofs + j] = from[j];
        const double far = std::numeric_limits<double>::infinity();
        out_.angular_error[i] = out_.linear_error[i] = out_.squared[i] = far;
        out_.reached[i] = false;
        out_.start[i] = out_.iterations[i] = 0;
    }

    const double* given(const OpenTarget& t) const {
        return p_.start + static_cast<std::ptrdiff_t>(t.index) * p_.start_stride;
    }

    // By whole turns as near to the given positions as limits let it.
    double turned(int j, double q, double near) const {
        if (!p_.turns[j]) return q;
        const double turn = 2.0 * arctangent::kPiHigh;
        double turns = std::nearbyint((near - q) / turn);
        turns = min(max(turns, std::ceil((p_.lower[j] - q) / turn)), std::floor((p_.upper[j] - q) / turn));
        return min(max(q + turns * turn, p_.lower[j]), p_.upper[j]);
    }

    // The largest change of a dof from the given positions.
    double way(int lane, const OpenTarget& t) const {
        double most = 0.0;
        for (int j = 0; j < p_.dofs; ++j) {
            most = max(most, abs(turned(j, get_lane(w_.q[j], lane), given(t)[j]) - given(t)[j]));
        }
        return most;
    }

    bool is_better(const OpenTarget& t, int start, bool reached, double squared, double way) const {
        if (reached != t.reached) return reached;
        const double now = reached ? (p_.nearest ? way : 0.0) : squared, best = reached ? (p_.nearest ? t.way : 0.0) : t.squared;
        return now < best || (now == best && start < t.best);
    }

    // Takes note of where a start is, where that is the best so far.
    void keep(int lane, bool reached, double angular, double linear, double squared) {
        const PoseTask& done = task_[lane];
        OpenTarget& t = targets_[done.slot];
        const double moved = reached ? way(lane, t) : 0.0;
        if (t.best < 0 || is_better(t, done.start, reached, squared, moved)) {
            t.best = done.start;
            t.reached = reached;
            t.squared = squared;
            t.way = moved;
            out_.angular_error[t.index] = sqrt(angular);
            out_.linear_error[t.index] = sqrt(linear);
            out_.reached[t.index] = t.reached;
            out_.start[t.index] = done.start;
            out_.iterations[t.index] = done.iteration - 1;
            out_.squared[t.index] = squared;
            for (int j = 0; j < p_.dofs; ++j) {
                const double q = get_lane(w_.q[j], lane);
                out_.positions[t.index * p_.dofs + j] = reached && p_.moves[j] ? turned(j, q, given(t)[j]) : q;
            }
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
        t.open = waiting || ((!t.reached || p_.nearest) && t.next_start < p_.starts);
    }

    const PoseProblem& p_;
    const PoseResults& out_;
    Scratch scratch_;
    const PoseMemory<T> w_;
    PoseTask task_[W];
    OpenTarget targets_[W];
    std::size_t next_, end_;
};

KIDO_END
