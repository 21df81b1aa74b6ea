#pragma once

#include "kido/algorithm/kinematics.hpp"
#include "kido/spatial/euler.hpp"

// The set of poses that a frame shall reach: a target's pose, or bounds about it.

namespace kido {

struct PoseRegion {
    double weight[6];  // of the components of the error, angles first [1/rad], [1/m]
    // Bounded: the displacement from the target, in `axes`, as three angles (R = Rx Ry Rz) and three lengths, lies between
    // two bounds. Else the region is the target's pose, the first three weights are equal, and so are the last three.
    bool bounded, from_center;  // whether errors are taken from the middle of finite bounds
    bool in_target;             // whether the axes are in the target's coordinates, else in the world's
    double axes[9];             // by columns
    double low[6], high[6];
};

}  // namespace kido

KIDO_BEGIN

// Displacement from a pose to the target or into its region [rad], [m]; of bounds also the derivative of the angles by the
// angular velocity, whether each component is active [0 or 1], and the axes in the world where they are the target's.
template <class T>
struct PoseError {
    Vec3<T> angular, linear;
    Mat3<T> angle_jacobian;
    T active[6];
    Mat3<T> axes;
};

// The axes of a region in the world, for a target with some rotation.
template <class T>
KIDO_INLINE Mat3<T> world_axes(const PoseRegion& g, const Mat3<T>& target) {
    return g.in_target ? target * mat3(g.axes) : broadcast<T>(mat3(g.axes));
}

// Cosine of the second angle below which its neighbours have no derivatives of their own: gimbal lock.
inline constexpr double kLeastCosine = 1e-6;

// Displacement of one component into its bounds: zero between them. A component with two finite bounds is active there too, so
// that steps keep it where it is.
template <class T>
KIDO_INLINE T into_bounds(const PoseRegion& g, int k, const T& displacement, T& active) {
    const double low = g.low[k], high = g.high[k];
    const bool finite = is_finite(low) && is_finite(high);
    const T inside = min(max(displacement, T(low)), T(high));
    const T outside = select(inside == displacement, T(0.0), T(1.0));
    active = finite ? T(1.0) : outside;
    return ((g.from_center && finite ? T(0.5 * (low + high)) : inside) - displacement) * outside;
}

// Whether a component may be at different places between two bounds, as steps keep it where it is.
KIDO_INLINE bool leaves_room(const PoseRegion& g, int k) {
    constexpr double least = 1e-4;  // [rad, m]
    const double width = g.high[k] - g.low[k];
    return g.weight[k] > 0.0 && width > least && is_finite(width);
}

// `Axes`: of double where they are the same for all targets.
template <class T, class Axes>
KIDO_INLINE PoseError<T> bounded_error(const PoseRegion& g, const Axes& axes, const Mat3<T>& rotation_error,
                                       const Vec3<T>& position_error) {
    const Vec3<T> angles = euler_angles(transpose(axes) * (rotation_error * axes), EulerOrder{0, 1, 2});
    const Vec3<T> lengths = transposed_times(axes, position_error);
    PoseError<T> e;
    e.angular = {into_bounds(g, 0, angles.x, e.active[0]), into_bounds(g, 1, angles.y, e.active[1]),
                 into_bounds(g, 2, angles.z, e.active[2])};
    e.linear = {into_bounds(g, 3, lengths.x, e.active[3]), into_bounds(g, 4, lengths.y, e.active[4]),
                into_bounds(g, 5, lengths.z, e.active[5])};
    const SinCos<T> a = sincos(angles.x), b = sincos(angles.y);
    const T inverse = 1.0 / max(b.cos, T(kLeastCosine)), o(0.0);
    const Vec3<T> third = {o, -a.sin * inverse, a.cos * inverse};
    const Vec3<T> first = {T(1.0), -b.sin * third.y, -b.sin * third.z}, second = {o, a.cos, a.sin};
    e.angle_jacobian = transpose(Mat3<T>{axes * first, axes * second, axes * third});
    return e;
}

// Displacement from a pose to the target or into its region; components without weight are zero.
template <class T>
KIDO_INLINE PoseError<T> region_error(const PoseRegion& g, const Pose<T>& target, const Pose<T>& pose) {
    if (g.bounded && g.in_target) {
        const Mat3<T> axes = world_axes<T>(g, target.R);
        PoseError<T> e = bounded_error<T>(g, axes, pose.R * transpose(target.R), pose.p - target.p);
        e.axes = axes;
        return e;
    }
    if (g.bounded) return bounded_error<T>(g, mat3(g.axes), pose.R * transpose(target.R), pose.p - target.p);
    const double angular = g.weight[0] == 0.0 ? 0.0 : 1.0, linear = g.weight[3] == 0.0 ? 0.0 : 1.0;
    return {so3_log(target.R * transpose(pose.R)) * angular, (target.p - pose.p) * linear, {}, {}, {}};
}

// Column of the weighted Jacobian in the coordinates of a region; rows that are not active are zero. `scale` is what lengths of
// the error are multiplied by.
template <class T>
KIDO_INLINE Motion<T> region_column(const PoseRegion& g, const PoseError<T>& e, const Motion<T>& J, const T& scale) {
    const double* w = g.weight;
    if (!g.bounded) return {J.angular * w[0], J.linear * (scale * w[3])};
    const Vec3<T> along = g.in_target ? transposed_times(e.axes, J.linear) : transposed_times(mat3(g.axes), J.linear);
    const Vec3<T> angles = e.angle_jacobian * J.angular, lengths = along * scale;
    return {{angles.x * (e.active[0] * w[0]), angles.y * (e.active[1] * w[1]), angles.z * (e.active[2] * w[2])},
            {lengths.x * (e.active[3] * w[3]), lengths.y * (e.active[4] * w[4]), lengths.z * (e.active[5] * w[5])}};
}

// Components of the error, multiplied by their weights.
template <class T>
KIDO_INLINE void weighted(const PoseRegion& g, const PoseError<T>& e, T (&error)[6]) {
    const T x[6] = {e.angular.x, e.angular.y, e.angular.z, e.linear.x, e.linear.y, e.linear.z};
    for (int k = 0; k < 6; ++k) error[k] = x[k] * g.weight[k];
}

// Squared length of the weighted error; of a pose from the squares of angle and distance.
template <class T>
KIDO_INLINE T weighted_square(const PoseRegion& g, const PoseError<T>& e, const T& angular, const T& linear) {
    if (!g.bounded) return angular * (g.weight[0] * g.weight[0]) + linear * (g.weight[3] * g.weight[3]);
    T x[6], sum(0.0);
    weighted(g, e, x);
    for (const T& component : x) sum = sum + component * component;
    return sum;
}

KIDO_END
