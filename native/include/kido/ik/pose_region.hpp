#pragma once

#include "kido/algorithm/kinematics.hpp"
#include "kido/spatial/euler.hpp"

// Where a frame is wanted: at a target's pose, or within bounds of it.

namespace kido {

struct PoseRegion {
    double weight[6];  // of the components of the error, angles first [1/rad], [1/m]
    // Bounded: the displacement from the target, in `axes`, as three angles (R = Rx Ry Rz) and three lengths, lies between
    // two bounds. Else the target's pose is wanted, and the first and the last three weights are the same.
    bool bounded, from_center;  // whether errors are taken from the middle of finite bounds
    double axes[9];             // by columns
    double low[6], high[6];
};

}  // namespace kido

KIDO_BEGIN

// What leads to the target, or to its region; of a region also what turns angular velocities into rates of its angles,
// and which components count.
template <class T>
struct PoseError {
    Vec3<T> angular, linear;
    Mat3<T> rates;
    T on[6];
};

// Nearer to a right angle, the second angle of a region leaves its neighbours no rates of their own.
inline constexpr double kLeastCosine = 1e-6;

// From a displacement to the bounds: zero where it is between them. A component with two bounds counts there as well, so that
// steps keep it where it is.
template <class T>
KIDO_INLINE T into_bounds(const PoseRegion& g, int k, const T& displacement, T& on) {
    const double low = g.low[k], high = g.high[k];
    const bool finite = is_finite(low) && is_finite(high);
    const T inside = min(max(displacement, T(low)), T(high));
    const T outside = select(inside == displacement, T(0.0), T(1.0));
    on = finite ? T(1.0) : outside;
    return ((g.from_center && finite ? T(0.5 * (low + high)) : inside) - displacement) * outside;
}

template <class T>
KIDO_INLINE PoseError<T> bounded_error(const PoseRegion& g, const Mat3<T>& turn, const Vec3<T>& apart) {
    const Mat3<double> axes = mat3(g.axes);
    const Vec3<T> angles = euler_angles(transpose(axes) * (turn * axes), EulerOrder{0, 1, 2});
    const Vec3<T> lengths = transposed_times(axes, apart);
    PoseError<T> e;
    e.angular = {into_bounds(g, 0, angles.x, e.on[0]), into_bounds(g, 1, angles.y, e.on[1]),
                 into_bounds(g, 2, angles.z, e.on[2])};
    e.linear = {into_bounds(g, 3, lengths.x, e.on[3]), into_bounds(g, 4, lengths.y, e.on[4]),
                into_bounds(g, 5, lengths.z, e.on[5])};
    const SinCos<T> a = sincos(angles.x), b = sincos(angles.y);
    const T inverse = 1.0 / max(b.cos, T(kLeastCosine)), o(0.0);
    const Vec3<T> third = {o, -a.sin * inverse, a.cos * inverse};
    const Vec3<T> first = {T(1.0), -b.sin * third.y, -b.sin * third.z}, second = {o, a.cos, a.sin};
    e.rates = transpose(Mat3<T>{axes * first, axes * second, axes * third});
    return e;
}

// What leads from a pose to the target, or into its region; what has no weight is no error.
template <class T>
KIDO_INLINE PoseError<T> region_error(const PoseRegion& g, const Pose<T>& target, const Pose<T>& pose) {
    if (g.bounded) return bounded_error<T>(g, pose.R * transpose(target.R), pose.p - target.p);
    const double turns = g.weight[0] == 0.0 ? 0.0 : 1.0, slides = g.weight[3] == 0.0 ? 0.0 : 1.0;
    return {so3_log(target.R * transpose(pose.R)) * turns, (target.p - pose.p) * slides, {}, {}};
}

// A column of the Jacobian in the coordinates of a region, weighted; rows that do not count are zero.
template <class T>
KIDO_INLINE Motion<T> region_column(const PoseRegion& g, const PoseError<T>& e, const Motion<T>& J) {
    const double* w = g.weight;
    if (!g.bounded) return {J.angular * w[0], J.linear * w[3]};
    const Vec3<T> rates = e.rates * J.angular, slide = transposed_times(mat3(g.axes), J.linear);
    return {{rates.x * (e.on[0] * w[0]), rates.y * (e.on[1] * w[1]), rates.z * (e.on[2] * w[2])},
            {slide.x * (e.on[3] * w[3]), slide.y * (e.on[4] * w[4]), slide.z * (e.on[5] * w[5])}};
}

template <class T>
KIDO_INLINE void weighted(const PoseRegion& g, const PoseError<T>& e, T (&error)[6]) {
    const T x[6] = {e.angular.x, e.angular.y, e.angular.z, e.linear.x, e.linear.y, e.linear.z};
    for (int k = 0; k < 6; ++k) error[k] = x[k] * g.weight[k];
}

// Weighted, squared; of a pose from the squares of angle and distance.
template <class T>
KIDO_INLINE T weighted_square(const PoseRegion& g, const PoseError<T>& e, const T& angular, const T& linear) {
    if (!g.bounded) return angular * (g.weight[0] * g.weight[0]) + linear * (g.weight[3] * g.weight[3]);
    T x[6], sum(0.0);
    weighted(g, e, x);
    for (const T& component : x) sum = sum + component * component;
    return sum;
}

KIDO_END
