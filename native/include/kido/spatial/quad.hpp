#pragma once

#include "kido/spatial/vector.hpp"

// A vector of three doubles in one register of four, for the poses of a single sample: each operation is one
// instruction, and each of the three numbers is what Vec3<double> gives. The fourth number means nothing.

KIDO_BEGIN

#if KIDO_VECTOR_EXTENSION
typedef double Quad __attribute__((vector_size(32)));

struct QuadMat3 {
    Quad x, y, z;
};

struct QuadPose {
    QuadMat3 R;
    Quad p;
};

KIDO_INLINE Quad operator*(const QuadMat3& m, const Vec3<double>& v) { return m.x * v.x + m.y * v.y + m.z * v.z; }
KIDO_INLINE QuadMat3 operator*(const QuadMat3& m, const Mat3<double>& n) { return {m * n.x, m * n.y, m * n.z}; }
KIDO_INLINE Quad quad(const Vec3<double>& v) { return Quad{v.x, v.y, v.z, 0.0}; }
KIDO_INLINE QuadMat3 quad(const Mat3<double>& m) { return {quad(m.x), quad(m.y), quad(m.z)}; }

// Writes three numbers, and one more that the caller overwrites or has room for.
KIDO_INLINE void store_loose(double* to, const Quad& v) { std::memcpy(to, &v, sizeof v); }

// The upper three rows of a 4 x 4 transform.
KIDO_INLINE void write_rows(const QuadPose& pose, double* out) {
    typedef std::int64_t Index __attribute__((vector_size(32)));
#if defined(__clang__)
    const Quad xy_low = __builtin_shufflevector(pose.R.x, pose.R.y, 0, 4, 2, 6);
    const Quad xy_high = __builtin_shufflevector(pose.R.x, pose.R.y, 1, 5, 3, 7);
    const Quad zp_low = __builtin_shufflevector(pose.R.z, pose.p, 0, 4, 2, 6);
    const Quad zp_high = __builtin_shufflevector(pose.R.z, pose.p, 1, 5, 3, 7);
    store_loose(out, __builtin_shufflevector(xy_low, zp_low, 0, 1, 4, 5));
    store_loose(out + 4, __builtin_shufflevector(xy_high, zp_high, 0, 1, 4, 5));
    store_loose(out + 8, __builtin_shufflevector(xy_low, zp_low, 2, 3, 6, 7));
#else
    const Quad xy_low = __builtin_shuffle(pose.R.x, pose.R.y, Index{0, 4, 2, 6});
    const Quad xy_high = __builtin_shuffle(pose.R.x, pose.R.y, Index{1, 5, 3, 7});
    const Quad zp_low = __builtin_shuffle(pose.R.z, pose.p, Index{0, 4, 2, 6});
    const Quad zp_high = __builtin_shuffle(pose.R.z, pose.p, Index{1, 5, 3, 7});
    store_loose(out, __builtin_shuffle(xy_low, zp_low, Index{0, 1, 4, 5}));
    store_loose(out + 4, __builtin_shuffle(xy_high, zp_high, Index{0, 1, 4, 5}));
    store_loose(out + 8, __builtin_shuffle(xy_low, zp_low, Index{2, 3, 6, 7}));
#endif
}
#endif

KIDO_END
