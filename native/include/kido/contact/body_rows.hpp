#pragma once

#include <cstddef>
#include <cstring>
#include <utility>

#include "kido/scalar/lanes.hpp"
#include "kido/scalar/transpose.hpp"
#include "kido/spatial/vector.hpp"

// What the solver of contacts reads and writes of bodies: rows of eight doubles, so that lanes load the rows of as many bodies as
// they are wide and transpose them in registers. All in world axes, at the bodies' centers of mass. Row 0 is the world: zeros.

KIDO_BEGIN

// A velocity, or a displacement within a time step: linear (3), angular (3), two zeros.
struct alignas(64) MotionRow {
    double v[8];
};

// Center of mass (3), principal axes by columns (9), inverse inertia (6: xx xy xz yy yz zz), inverse mass, zeros.
struct alignas(64) PoseRow {
    double v[24];
};
inline constexpr int kRowAxes = 3, kRowInertia = 12, kRowMass = 18;

template <class T>
struct BodyMotion {
    Vec3<T> linear, angular;
};

template <class T>
struct BodyPose {
    Vec3<T> center;
    Mat3<T> axes;
    Sym3<T> inverse_inertia;
    T inverse_mass;
};

// R diag(d) R^T: what `rotate` makes of a diagonal tensor.
template <class T>
KIDO_INLINE Sym3<T> rotated_diagonal(const Mat3<T>& r, const T& first, const T& second, const T& third) {
    const Vec3<T> x = r.x * first, y = r.y * second, z = r.z * third;
    return {x.x * r.x.x + y.x * r.y.x + z.x * r.z.x, x.y * r.x.x + y.y * r.y.x + z.y * r.z.x,
            x.z * r.x.x + y.z * r.y.x + z.z * r.z.x, x.y * r.x.y + y.y * r.y.y + z.y * r.z.y,
            x.z * r.x.y + y.z * r.y.y + z.z * r.z.y, x.z * r.x.z + y.z * r.y.z + z.z * r.z.z};
}

// One lane of what is in memory: loads this number alone. A whole register would wait for a lane that was just written.
KIDO_INLINE double stored_lane(const double& x, int) { return x; }
template <int W>
KIDO_INLINE double stored_lane(const Lanes<W>& x, int lane) {
    double number;
    std::memcpy(&number, reinterpret_cast<const char*>(&x) + static_cast<std::size_t>(lane) * sizeof number, sizeof number);
    return number;
}

template <class T>
KIDO_INLINE Vec3<double> stored_vector(const Vec3<T>& v, int lane) {
    return {stored_lane(v.x, lane), stored_lane(v.y, lane), stored_lane(v.z, lane)};
}

// Number by number: a whole register would wait for numbers that were just written.
template <std::size_t... K>
KIDO_INLINE void copy_each(const double* from, double* to, std::index_sequence<K...>) {
    ((to[K] = from[K]), ...);
}

// Eight numbers of each of the rows `index`, `stride` doubles apart.
KIDO_INLINE void load_eight(const double* base, int stride, const int* index, double (&out)[8]) {
    copy_each(base + static_cast<std::size_t>(index[0]) * stride, out, std::make_index_sequence<8>());
}
KIDO_INLINE void store_eight(double* base, int stride, const int* index, const double (&in)[8]) {
    copy_each(in, base + static_cast<std::size_t>(index[0]) * stride, std::make_index_sequence<8>());
}
template <int W>
KIDO_INLINE void load_eight(const double* base, int stride, const int* index, Lanes<W> (&out)[8]) {
    KIDO_UNROLL
    for (int c = 0; c < 8; c += W) {
        LaneBlock<W> block;
        KIDO_UNROLL
        for (int i = 0; i < W; ++i) {
            std::memcpy(&block.row[i].v, base + static_cast<std::size_t>(index[i]) * stride + c, sizeof block.row[i].v);
        }
        transpose(block);
        KIDO_UNROLL
        for (int i = 0; i < W; ++i) out[c + i] = block.row[i];
    }
}
template <int W>
KIDO_INLINE void store_eight(double* base, int stride, const int* index, const Lanes<W> (&in)[8]) {
    KIDO_UNROLL
    for (int c = 0; c < 8; c += W) {
        LaneBlock<W> block;
        KIDO_UNROLL
        for (int i = 0; i < W; ++i) block.row[i] = in[c + i];
        transpose(block);
        KIDO_UNROLL
        for (int i = 0; i < W; ++i) {
            std::memcpy(base + static_cast<std::size_t>(index[i]) * stride + c, &block.row[i].v, sizeof block.row[i].v);
        }
    }
}

template <class T>
KIDO_INLINE BodyMotion<T> load_motion(const MotionRow* rows, const int* index) {
    T x[8];
    load_eight(rows->v, 8, index, x);
    return {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
}
template <class T>
KIDO_INLINE void store_motion(MotionRow* rows, const int* index, const BodyMotion<T>& m) {
    const T x[8] = {m.linear.x, m.linear.y, m.linear.z, m.angular.x, m.angular.y, m.angular.z, T(0.0), T(0.0)};
    store_eight(rows->v, 8, index, x);
}
// The same but for the world's row, which threads share; it stays as it is anyway.
KIDO_INLINE void store_bodies(MotionRow* rows, const int* index, const BodyMotion<double>& m) {
    if (index[0] != 0) store_motion(rows, index, m);
}
template <int W>
KIDO_INLINE void store_bodies(MotionRow* rows, const int* index, const BodyMotion<Lanes<W>>& m) {
    using T = Lanes<W>;
    const T x[8] = {m.linear.x, m.linear.y, m.linear.z, m.angular.x, m.angular.y, m.angular.z, T(0.0), T(0.0)};
    KIDO_UNROLL
    for (int c = 0; c < 8; c += W) {
        LaneBlock<W> block;
        KIDO_UNROLL
        for (int i = 0; i < W; ++i) block.row[i] = x[c + i];
        transpose(block);
        for (int i = 0; i < W; ++i) {
            if (index[i] != 0) std::memcpy(rows[index[i]].v + c, &block.row[i].v, sizeof block.row[i].v);
        }
    }
}
template <bool Shared, class T>
KIDO_INLINE void store_motion(MotionRow* rows, const int* index, const BodyMotion<T>& m) {
    if constexpr (Shared) {
        store_bodies(rows, index, m);
    } else {
        store_motion(rows, index, m);
    }
}
template <class T>
KIDO_INLINE BodyPose<T> load_pose(const PoseRow* rows, const int* index) {
    T x[8], y[8], z[8];
    load_eight(rows->v, 24, index, x);
    load_eight(rows->v + 8, 24, index, y);
    load_eight(rows->v + 16, 24, index, z);
    return {{x[0], x[1], x[2]},
            {{x[3], x[4], x[5]}, {x[6], x[7], y[0]}, {y[1], y[2], y[3]}},
            {y[4], y[5], y[6], y[7], z[0], z[1]},
            z[2]};
}

// Of these centers and axes.
template <class T>
KIDO_INLINE void load_frame(const PoseRow* rows, const int* index, Vec3<T>& center, Mat3<T>& axes) {
    T x[8], y[8];
    load_eight(rows->v, 24, index, x);
    load_eight(rows->v + 8, 24, index, y);
    center = {x[0], x[1], x[2]};
    axes = {{x[3], x[4], x[5]}, {x[6], x[7], y[0]}, {y[1], y[2], y[3]}};
}

KIDO_END
