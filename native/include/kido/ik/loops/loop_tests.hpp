#pragma once

#include "kido/ik/loops/sector.hpp"

// Tests that prove, box by box, that loops cannot close while their joints are in a box. A line fixed to the axis of one joint is
// carried both ways round to another joint, where its two enclosures have to meet. Whoever fails has no posture in the box; whoever
// passes may have none either.
//
// Rounding: an operation errs by at most 2^-53 of its result, and no number here is larger than the reach of the loop times the number
// of symbols. A point goes through at most 32 joints of 40 operations each, and products with a direction add up at most 64 symbols in
// 9 components: less than 4e-12 of the reach, by which every enclosure is larger than in exact arithmetic. Angles get 1e-12 rad.

KIDO_BEGIN

template <class T>
class LoopTests {
public:
    explicit LoopTests(const LoopProblem& problem) : p_(problem) {}

    T lower[kMostVariables], upper[kMostVariables];
    T score[kMostVariables];  // lengths of generators: what a split would make smaller

    // Boxes in which some loop cannot close, `dead` being those that are known already. Others may become smaller.
    Mask<T> run(Mask<T> dead) {
        for (int v = 0; v < p_.variables(); ++v) score[v] = 0.0;
        for (const LinearRow& row : p_.rows) dead = dead | violates(row);
        for (const AngleRow& row : p_.angles) dead = dead | violates(row);
        for (const Loop& loop : p_.loops) {
            if (all(dead)) return dead;
            const int n = static_cast<int>(loop.joints.size());
            for (int i = 0; i < n; ++i) find_range(loop, i);
            for (const LoopTest& test : loop.tests) {
                if (all(dead)) return dead;
                dead = dead | cannot_meet(loop, test, dead);
            }
        }
        return dead;
    }

private:
    static constexpr int kMostPoints = 3, kMostRows = 3 * kMostPoints;
    static constexpr double kRounding = 4e-12, kAngleRounding = 1e-12;
    static constexpr std::size_t kShort = 4;
    static constexpr double kWidest = 1.3;  // [rad] of a joint by which enclosures are still worth turning

    void find_range(const Loop& loop, int i) {
        const LoopJoint& joint = loop.joints[i];
        set_range(ranges_[i], joint.prismatic, joint.scale, lower[joint.variable], upper[joint.variable]);
    }

    Mask<T> violates(const LinearRow& row) const {
        T least = 0.0, size = 0.0;
        for (std::size_t k = 0; k < row.variables.size(); ++k) {
            const double a = row.coefficients[k];
            const int v = row.variables[k];
            least += (a > 0.0 ? lower[v] : upper[v]) * a;
            size += max(T(abs(lower[v])), T(abs(upper[v]))) * (a < 0.0 ? -a : a);
        }
        return least - (size + (row.bound < 0.0 ? -row.bound : row.bound)) * 1e-14 > T(row.bound);
    }

    // The angle of a product of rotations is at least that at the centre less half the widths.
    Mask<T> violates(const AngleRow& row) const {
        T sine[3], cosine[3], width = kAngleRounding;
        for (int k = 0; k < 3; ++k) {
            const int v = row.variables[k];
            const SinCos<T> at = sincos(T((lower[v] + upper[v]) * 0.25));  // of half the centre
            sine[k] = at.sin;
            cosine[k] = at.cos;
            width += (upper[v] - lower[v]) * 0.5;
        }
        // The quaternion of Rz Ry Rx.
        const T w = cosine[0] * cosine[1] * cosine[2] + sine[0] * sine[1] * sine[2];
        const T x = cosine[0] * cosine[1] * sine[2] - sine[0] * sine[1] * cosine[2];
        const T y = cosine[0] * sine[1] * cosine[2] + sine[0] * cosine[1] * sine[2];
        const T z = sine[0] * cosine[1] * cosine[2] - cosine[0] * sine[1] * sine[2];
        const T angle = atan2(T(sqrt(x * x + y * y + z * z)), T(abs(w))) * 2.0;
        return angle - width > T(row.angle);
    }

    // ---- the two sides

    // What a loop is closed with lets its points and directions be anywhere nearby.
    void tolerate(const Loop& loop, Enclosure<T>& e) const {
        if (e.is_direction) {
            e.radius += loop.closes_orientation ? T(loop.chord * p_.lever) : T(0.0);
        } else {
            e.radius += e.extent() * (loop.closes_orientation ? loop.chord : 0.0) + loop.radius;
        }
    }

    // From the moved frame before joint i... to that joint's frame, or the other way.
    void step_out(const Loop& loop, int i, Enclosure<T>& e) const {
        e.transform(loop.joints[i].before);
        if (i > 0) return;
        tolerate(loop, e);
        e.transform(loop.tool);
    }
    void step_in(const Loop& loop, int i, Enclosure<T>& e) const {
        if (i == 0) {
            e.transform(loop.tool_inverse);
            tolerate(loop, e);
        }
        e.transform(loop.joints[i].before_inverse);
    }

    void start(const Loop& loop, const LoopTest& test) {
        points_ = 0;
        const double lever = p_.lever;
        const T slack = kRounding * loop.reach;
        const auto add = [&](double x, double y, double z, bool direction) {
            towards_tip_[points_].start(x, y, z, slack, direction);
            towards_base_[points_++].start(x, y, z, slack, direction);
        };
        if (loop.closes_position) add(0.0, 0.0, 0.0, false);
        if (!loop.closes_orientation) return;
        add(0.0, 0.0, lever, true);
        if (test.cut < 0) add(lever, 0.0, 0.0, true);
    }

    // towards_base: down the chain from the axis of joint `cut` to the moved frame of joint `meet`; towards_tip: up, to its frame.
    void carry(const Loop& loop, const LoopTest& test, Enclosure<T>& down, Enclosure<T>& up) {
        const int n = static_cast<int>(loop.joints.size()), j = test.meet, m = test.cut;
        const auto move = [&](Enclosure<T>& e, int i, double sign) { e.move(ranges_[i], loop.joints[i].prismatic, i, sign); };
        if (m < 0) {
            down.transform(loop.tool);
            for (int i = n - 1; i > j; --i) {
                move(down, i, 1.0);
                down.transform(loop.joints[i].before);
            }
            tolerate(loop, up);
            up.transform(loop.joints[0].before_inverse);
            for (int i = 0; i < j; ++i) {
                move(up, i, -1.0);
                up.transform(loop.joints[i + 1].before_inverse);
            }
            return;
        }
        step_out(loop, m, down);
        for (int i = (m + n - 1) % n; i != j; i = (i + n - 1) % n) {
            move(down, i, 1.0);
            step_out(loop, i, down);
        }
        for (int i = (m + 1) % n; i != j; i = (i + 1) % n) {
            step_in(loop, i, up);
            move(up, i, -1.0);
        }
        step_in(loop, j, up);
    }

    KIDO_NOINLINE Mask<T> cannot_meet(const Loop& loop, const LoopTest& test, Mask<T> dead) {
        start(loop, test);
        const int j = test.meet;
        const LoopJoint& joint = loop.joints[j];
        for (int k = 0; k < points_; ++k) {
            Enclosure<T>&down = towards_base_[k], &up = towards_tip_[k];
            carry(loop, test, down, up);
            count_scores(loop, down);
            count_scores(loop, up);
            dead = dead | (joint.prismatic ? slide_apart(joint, down, up) : turn_apart(joint, down, up));
            if (all(dead)) return dead;
        }
        find_range(loop, j);
        const Mask<T> narrow_enough = T(joint.prismatic ? T(0.0) : ranges_[j].half_width) < T(kWidest);
        if (!any(narrow_enough)) return dead;
        for (int k = 0; k < points_; ++k) {
            Enclosure<T>& e = towards_base_[k];
            e.move(ranges_[j], joint.prismatic, j, 1.0);
            // Short loops have too few tests for every joint to be between others in one.
            if (loop.joints.size() < kShort && e.count > 0) score[joint.variable] += Enclosure<T>::norm(e.g[e.count - 1]);
        }
        return dead | separated(dead, narrow_enough);
    }

    void count_scores(const Loop& loop, const Enclosure<T>& e) {
        for (int k = 0; k < e.count; ++k) {
            if (e.symbol[k] % 2 == 0) score[loop.joints[e.symbol[k] / 2].variable] += Enclosure<T>::norm(e.g[k]);
        }
    }

    // ---- what the sides say about the joint between them

    // Makes the interval of a joint's variable smaller: joint positions in [least, most], where that holds. Boxes left empty.
    Mask<T> narrow(const LoopJoint& joint, T least, T most) {
        T &low = lower[joint.variable], &high = upper[joint.variable];
        const double back = 1.0 / joint.scale;
        T from = least * back, to = most * back;
        if (back < 0.0) std::swap(from, to);
        const T margin = (abs(from) + abs(to)) * 1e-15;
        from = max(low, T(from - margin));
        to = min(high, T(to + margin));
        const Mask<T> empty = from > to;
        low = select(empty, low, from);
        high = select(empty, high, to);
        return empty;
    }

    Mask<T> slide_apart(const LoopJoint& joint, const Enclosure<T>& down, const Enclosure<T>& up) {
        T difference[3], width[3];
        for (int i = 0; i < 3; ++i) {
            difference[i] = up.c[i] - down.c[i];
            width[i] = down.radius + up.radius;
            for (int k = 0; k < down.count; ++k) width[i] += abs(down.g[k][i]);
            for (int k = 0; k < up.count; ++k) width[i] += abs(up.g[k][i]);
        }
        Mask<T> dead = (abs(difference[0]) > width[0]) | (abs(difference[1]) > width[1]);
        if (down.is_direction) return dead | (abs(difference[2]) > width[2]);
        return dead | narrow(joint, difference[2] - width[2], difference[2] + width[2]);
    }

    // Whole numbers of turns are chosen by rounding to the nearest: sums with 1.5 * 2^52.
    static KIDO_INLINE T rounded_up(T x) {
        const T nearest = (x + 0x1.8p52) - 0x1.8p52;
        return select(nearest < x, T(nearest + 1.0), nearest);
    }

    Mask<T> turn_apart(const LoopJoint& joint, const Enclosure<T>& down, const Enclosure<T>& up) {
        const Sector<T> a = sector_of(down), b = sector_of(up);
        Mask<T> dead = (abs(a.height - b.height) > a.half_height + b.half_height) | (a.inner > b.outer) | (b.inner > a.outer);
        const T half = a.half_azimuth + b.half_azimuth + kAngleRounding;
        const Mask<T> useful = (a.inner > T(0.0)) & (b.inner > T(0.0)) & (half < T(kPi));
        if (!any(useful)) return dead;
        const T middle = b.azimuth - a.azimuth;
        const double turn = 2.0 * kPi;
        // Joint positions middle + turn k +- half: the first that reaches above the lower limit, the last below the upper one.
        const T low = (joint.scale < 0.0 ? upper : lower)[joint.variable] * joint.scale;
        const T high = (joint.scale < 0.0 ? lower : upper)[joint.variable] * joint.scale;
        const T first = middle + rounded_up((low - half - middle) / turn) * turn - half;
        const T last = middle - rounded_up((middle - half - high) / turn) * turn + half;
        const T everything = 1e9;
        return dead | narrow(joint, select(useful, first, -everything), select(useful, last, everything));
    }

    // ---- all points and the joint between the sides, at once

    // Rows of all points: their centres' difference and the generators', by symbol.
    void gather() {
        std::fill(row_of_, row_of_ + 2 * kMostLoopJoints, -1);
        rows_ = 0;
        for (int k = 0; k < points_; ++k) {
            const Enclosure<T>&down = towards_base_[k], &up = towards_tip_[k];
            for (int i = 0; i < 3; ++i) difference_[3 * k + i] = down.c[i] - up.c[i];
            radius_[k] = down.radius + up.radius;
            gather(down, k, 1.0);
            gather(up, k, -1.0);
        }
    }
    void gather(const Enclosure<T>& e, int point, double sign) {
        for (int k = 0; k < e.count; ++k) {
            int& row = row_of_[e.symbol[k]];
            if (row < 0) {
                row = rows_++;
                for (int i = 0; i < 3 * points_; ++i) generators_[row][i] = 0.0;
            }
            for (int i = 0; i < 3; ++i) generators_[row][3 * point + i] = e.g[k][i] * sign;
        }
    }

    // Whether some direction separates all sums difference + generators . s, |s| <= 1, from what the radii allow, where `active`. The
    // directions tried are those of what least squares in the box leave, after few sweeps by coordinates. What becomes of a box does not
    // depend on those beside it.
    Mask<T> separated(Mask<T> dead, Mask<T> active) {
        gather();
        const int size = 3 * points_;
        T s[2 * kMostLoopJoints], inverse[2 * kMostLoopJoints], left[kMostRows];
        for (int r = 0; r < rows_; ++r) {
            T sum = 1e-30;
            for (int i = 0; i < size; ++i) sum += generators_[r][i] * generators_[r][i];
            inverse[r] = 1.0 / sum;
            s[r] = 0.0;
        }
        for (int i = 0; i < size; ++i) left[i] = difference_[i];
        T allowed = 0.0;
        for (int k = 0; k < points_; ++k) allowed += radius_[k] * radius_[k];
        for (int sweep = 0; sweep < kSweeps; ++sweep) {
            T moved = 0.0;
            for (int r = 0; r < rows_; ++r) {
                const T* g = generators_[r];
                T along = 0.0;
                for (int i = 0; i < size; ++i) along += g[i] * left[i];
                const T next = max(T(-1.0), min(T(1.0), T(s[r] - along * inverse[r])));
                const T change = next - s[r];
                s[r] = next;
                moved += abs(change);
                for (int i = 0; i < size; ++i) left[i] += change * g[i];
            }
            const bool is_check = sweep == 0 || sweep == 2 || sweep == kSweeps - 1;
            const Mask<T> checked = active & (moved < T(is_check ? 1e300 : kSettled));
            if (any(checked)) {
                dead = dead | (separates(left, size) & checked);
                T remaining = 0.0;
                for (int i = 0; i < size; ++i) remaining += left[i] * left[i];
                const T hopeless = select(checked, T(allowed * 0.3), T(-1.0));
                active = active & (remaining >= hopeless);
            }
            active = active & (moved >= T(kSettled));
            if (all(dead | (select(active, T(1.0), T(0.0)) == T(0.0)))) break;
        }
        return dead;
    }

    Mask<T> separates(const T* direction, int size) const {
        T margin = 0.0;
        for (int i = 0; i < size; ++i) margin += direction[i] * difference_[i];
        for (int r = 0; r < rows_; ++r) {
            T along = 0.0;
            for (int i = 0; i < size; ++i) along += direction[i] * generators_[r][i];
            margin = margin - abs(along);
        }
        for (int k = 0; k < points_; ++k) margin = margin - radius_[k] * Enclosure<T>::norm(direction + 3 * k);
        return margin > T(0.0);
    }

    static constexpr int kSweeps = 6;
    static constexpr double kSettled = 1e-3;  // sum of changes in a sweep

    const LoopProblem& p_;
    JointRange<T> ranges_[kMostLoopJoints];
    Enclosure<T> towards_base_[kMostPoints], towards_tip_[kMostPoints];
    int points_ = 0;
    T difference_[kMostRows], radius_[kMostPoints], generators_[2 * kMostLoopJoints][kMostRows];
    int row_of_[2 * kMostLoopJoints], rows_ = 0;
};

KIDO_END
