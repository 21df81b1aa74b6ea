#pragma once

#include "kido/ik/loops/joint_range.hpp"
#include "kido/ik/loops/loop_problem.hpp"

// Where a point or a direction can be while joints are somewhere in their intervals: a centre, generators times numbers in [-1, 1] that
// are the same for all points carried by the same joints, and a ball (affine arithmetic; Stolfi and de Figueiredo, "Self-validated
// numerical methods and applications", 1997).

KIDO_BEGIN

template <class T>
struct Enclosure {
    static constexpr int kMost = 2 * kMostLoopJoints;

    T c[3];
    T g[kMost][3];
    T radius;
    int symbol[kMost];  // 2 i and 2 i + 1: of joint i
    int count;
    bool is_direction;

    KIDO_INLINE void start(double x, double y, double z, T slack, bool direction) {
        c[0] = x;
        c[1] = y;
        c[2] = z;
        radius = slack;
        count = 0;
        is_direction = direction;
    }

    KIDO_INLINE void transform(const LoopTransform& by) {
        rotate(by.R, c);
        if (!is_direction) {
            for (int i = 0; i < 3; ++i) c[i] = c[i] + by.p[i];
        }
        for (int k = 0; k < count; ++k) rotate(by.R, g[k]);
    }

    // Moved by joint `index`, or by its inverse where sign is -1.
    KIDO_INLINE void move(const JointRange<T>& r, bool prismatic, int index, double sign) {
        if (prismatic) {
            slide(r, index, sign);
        } else {
            turn(r, index, sign);
        }
    }

    // Largest distance from the origin.
    KIDO_INLINE T extent() const {
        T sum = norm(c) + radius;
        for (int k = 0; k < count; ++k) sum += norm(g[k]);
        return sum;
    }

    static KIDO_INLINE T norm(const T* v) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

private:
    static KIDO_INLINE void rotate(const double* R, T* v) {
        const T x = v[0], y = v[1], z = v[2];
        for (int i = 0; i < 3; ++i) v[i] = x * R[3 * i] + y * R[3 * i + 1] + z * R[3 * i + 2];
    }

    KIDO_INLINE void slide(const JointRange<T>& r, int index, double sign) {
        if (is_direction) return;
        c[2] = c[2] + r.center * sign;
        add(2 * index, T(0.0), T(0.0), r.half_width * sign);
    }

    KIDO_INLINE void turn(const JointRange<T>& r, int index, double sign) {
        const T cosine = r.cosine, sine = r.sine * sign;
        T lengths = 0.0, along_x = 0.0, along_y = 0.0;
        for (int k = 0; k < count; ++k) {
            const T x = cosine * g[k][0] - sine * g[k][1], y = sine * g[k][0] + cosine * g[k][1];
            lengths += sqrt(x * x + y * y);
            along_x += abs(x);
            along_y += abs(y);
            g[k][0] = r.middle * x;
            g[k][1] = r.middle * y;
        }
        radius += r.deviation * min(lengths, T(sqrt(along_x * along_x + along_y * along_y)));
        const T x = cosine * c[0] - sine * c[1], y = sine * c[0] + cosine * c[1];
        c[0] = r.middle * x;
        c[1] = r.middle * y;
        // On the axis nothing turns; rounding leaves that much.
        const T from_axis = x * x + y * y;
        const Mask<T> on_axis = from_axis < T(1e-18);
        radius += select(on_axis, T(sqrt(from_axis)), T(0.0));
        if (all(on_axis)) return;
        const T along_sine = select(on_axis, T(0.0), r.swing_sine), along_cosine = select(on_axis, T(0.0), r.swing_cosine);
        add(2 * index, -(y * along_sine) * sign, x * along_sine * sign, T(0.0));
        add(2 * index + 1, x * along_cosine, y * along_cosine, T(0.0));
    }

    KIDO_INLINE void add(int which, T x, T y, T z) {
        g[count][0] = x;
        g[count][1] = y;
        g[count][2] = z;
        symbol[count++] = which;
    }
};

KIDO_END
