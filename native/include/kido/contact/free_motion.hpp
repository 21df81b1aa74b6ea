#pragma once

#include "kido/contact/body_rows.hpp"
#include "kido/contact/free_turn.hpp"
#include "kido/spatial/quaternion.hpp"

// Free bodies at the end of a time step: moved by their displacements, angular momentum kept.

KIDO_BEGIN

// Where a body is: center of mass (3), quaternion (4: x y z w), inverse mass.
struct alignas(64) PlaceRow {
    double v[8];
};
// What stays of a body: inverses of its principal moments (3), the moments (3), radius of the ball about its center of mass that
// holds its shapes, zero.
struct alignas(64) ConstantRow {
    double v[8];
};

inline constexpr double kLargeTurn = 0.25;  // square of the angle of a step up to which its series holds
inline constexpr double kSlowTurn = 1e-6;  // square of the angle of a step below which a series replaces the rotation

// Quaternion of a rotation that is small in a step: its series, to 1e-16 at half a radian.
template <class T>
KIDO_INLINE Quaternion<T> small_rotation(const Vec3<T>& angle) {
    const T t = dot(angle, angle) * 0.25;
    const T s = (1.0 - t * (1.0 / 6.0 - t * (1.0 / 120.0 - t * (1.0 / 5040.0 - t * (1.0 / 362880.0))))) * 0.5;
    return {angle.x * s, angle.y * s, angle.z * s,
            1.0 - t * (0.5 - t * (1.0 / 24.0 - t * (1.0 / 720.0 - t * (1.0 / 40320.0))))};
}

struct FreeRows {
    PlaceRow* places;
    const ConstantRow* constants;
    MotionRow *velocities, *displacements;
    PoseRow* poses;
    double* turned;  // of each body: the path that its points have moved at most by turning [m]
    double step;     // [s]
};

template <class T>
KIDO_INLINE void store_pose(PoseRow* poses, const int* index, const T (&place)[8], const Mat3<T>& R, const Sym3<T>& I) {
    const T o(0.0);
    const T x[8] = {place[0], place[1], place[2], R.x.x, R.x.y, R.x.z, R.y.x, R.y.y};
    const T y[8] = {R.y.z, R.z.x, R.z.y, R.z.z, I.xx, I.xy, I.xz, I.yy};
    const T z[8] = {I.yz, I.zz, place[7], o, o, o, o, o};
    store_eight(poses->v, 24, index, x);
    store_eight(poses->v + 8, 24, index, y);
    store_eight(poses->v + 16, 24, index, z);
}

// Moves the first `count` of the bodies `index`; what lanes are left repeat one of these.
template <class T>
KIDO_NOINLINE void advance(const FreeRows& rows, const int* index, int count) {
    T place[8], constant[8];
    load_eight(rows.places->v, 8, index, place);
    load_eight(rows.constants->v, 8, index, constant);
    const BodyMotion<T> velocity = load_motion<T>(rows.velocities, index), moved = load_motion<T>(rows.displacements, index);
    const Quaternion<T> turned = {place[3], place[4], place[5], place[6]};
    const Mat3<T> before = rotation(turned);
    const Vec3<T> spin = transposed_times(before, velocity.angular);
    const Vec3<T> own = {spin.x * constant[3], spin.y * constant[4], spin.z * constant[5]}, momentum = before * own;
    // The angular velocity turns with the body: to second order.
    const Vec3<T> turns = cross(own, spin), rate = before * Vec3<T>{turns.x * constant[0], turns.y * constant[1], turns.z * constant[2]};
    const Vec3<T> angle = moved.angular + rate * (0.5 * rows.step * rows.step);
    Quaternion<T> q = normalized_near_one(small_rotation(angle) * turned);
    // The axis of a ball's spin stays.
    const Mask<T> round = (constant[3] == constant[4]) & (constant[4] == constant[5]) & (dot(angle, angle) < T(kLargeTurn));
    const Mask<T> fast = select(round, T(0.0), dot(spin, spin) * (rows.step * rows.step)) > T(kSlowTurn);
    if (any(fast)) {
        const Vec3<T> c = before * free_turn(spin, {constant[3], constant[4], constant[5]},
                                             {constant[0], constant[1], constant[2]}, rows.step);
        const Vec3<T> pushed = moved.angular - velocity.angular * rows.step;
        q = select<T>(fast, normalized_near_one(small_rotation(pushed) * (Quaternion<T>{c.x, c.y, c.z, T(1.0)} * turned)), q);
    }
    const Mat3<T> after = rotation(q);
    const Sym3<T> inverse = rotated_diagonal(after, constant[0], constant[1], constant[2]);
    const T now[8] = {place[0] + moved.linear.x, place[1] + moved.linear.y, place[2] + moved.linear.z, q.x, q.y, q.z, q.w,
                      place[7]};
    store_eight(rows.places->v, 8, index, now);
    store_motion(rows.velocities, index, BodyMotion<T>{velocity.linear, inverse * momentum});
    store_pose(rows.poses, index, now, after, inverse);
    const T way = sqrt(dot(moved.angular, moved.angular)) * constant[6];
    for (int i = 0; i < count; ++i) rows.turned[index[i]] += get_lane(way, i);
}

// A body at the start and at the end of a step [s].
struct BodyStep {
    const PlaceRow &start, &end;
    const MotionRow &start_velocity, &end_velocity;
    const ConstantRow& constants;
    double step;
};

// Rates of the components of its velocity in its principal axes at the start, linear and angular: what impulses have given it
// over the step, and what the turning axes take.
inline void step_acceleration(const BodyStep& s, double* out) {
    const auto axes = [](const PlaceRow& p) { return rotation(Quaternion<double>{p.v[3], p.v[4], p.v[5], p.v[6]}); };
    const auto times = [](const double* a, const Vec3<double>& b) { return Vec3<double>{a[0] * b.x, a[1] * b.y, a[2] * b.z}; };
    const double *inverse = s.constants.v, *moments = s.constants.v + 3, per_step = 1.0 / s.step;
    const Mat3<double> first = axes(s.start), last = axes(s.end);
    const Vec3<double> momentum = last * times(moments, transposed_times(last, vec3(s.end_velocity.v + 3)));
    const Vec3<double> spin = transposed_times(first, vec3(s.start_velocity.v + 3));
    const Vec3<double> linear = transposed_times(first, vec3(s.start_velocity.v));
    const Vec3<double> gained = transposed_times(first, vec3(s.end_velocity.v) - vec3(s.start_velocity.v)) * per_step;
    const Vec3<double> turned = (times(inverse, transposed_times(first, momentum)) - spin) * per_step;
    write3(out, gained - cross(spin, linear));
    write3(out + 3, turned + times(inverse, cross(times(moments, spin), spin)));
}

KIDO_END
