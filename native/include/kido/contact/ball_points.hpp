#pragma once

#include <cmath>

#include "kido/contact/touch.hpp"
#include "kido/geometry/space.hpp"

// Points at which balls touch balls or planes. They follow the centers in each step, in lanes, so that the pairs need not be tested again:
// what rolls moves away from its point of contact, and would be driven by its own weight where that stayed behind.

KIDO_BEGIN

// How such a point moves in a step, one in each lane.
template <class T>
struct BallMotion {
    T gap;       // [m]
    T approach;  // velocity of the first body's point along the normal, from the second's [m/s]
};

// Moves the points of a bundle to where `collide` would find them; others stay. Returns how they move, others as if they were apart.
template <class T>
KIDO_NOINLINE BallMotion<T> follow_balls(const ManifoldBlock<T, 1>& m, const PoseRow* poses, const MotionRow* velocities, ManifoldAnchors<T, 1>& a) {
    const T zero(0.0), one(1.0);
    BallMotion<T> out = {T(HUGE_VAL), zero};
    const Mask<T> follows = a.balls.second > zero;
    if (!any(follows)) return out;
    Vec3<T> first_center, second_center;
    Mat3<T> first, second;
    load_frame(poses, m.first, first_center, first);
    load_frame(poses, m.second, second_center, second);
    const BodyMotion<T> v = load_motion<T>(velocities, m.first), w = load_motion<T>(velocities, m.second);
    const Vec3<T> apart = first_center - second_center;
    const T square = dot(apart, apart), distance = sqrt(square);
    const Mask<T> flat = a.balls.first <= zero, known = follows & (flat | (square > T(geometry::kUnderflow)));
    const T far = select(flat, one, distance);
    const Vec3<T> normal = select<T>(flat, first * a.normal, apart * (1.0 / far));
    // From the second center to the first body's surface, along the normal.
    const T height = select(flat, dot(normal, first * a.on_first[0] + apart), distance - a.balls.first);
    const T gap = height - a.balls.second;
    const Vec3<T> arm_first = normal * height - apart, arm_second = normal * a.balls.second;
    const T approach = dot(normal, v.linear + cross(v.angular, arm_first)) - dot(normal, w.linear + cross(w.angular, arm_second));
    const Vec3<T> wish = first * a.tangent;
    Vec3<T> along = wish - normal * dot(wish, normal);
    T length = sqrt(dot(along, along));
    const Mask<T> vague = length < T(kLeastTangent);
    if (any(vague)) {
        const Mask<T> turned = abs(normal.x) < T(0.7);
        const Vec3<T> axis = {select(turned, one, zero), select(turned, zero, one), zero}, other = axis - normal * dot(axis, normal);
        along = select<T>(vague, other, along);
        length = sqrt(dot(along, along));
    }
    a.normal = select<T>(known, transposed_times(first, normal), a.normal);
    a.tangent = select<T>(known, transposed_times(first, along * (1.0 / length)), a.tangent);
    a.on_first[0] = select<T>(known, transposed_times(first, arm_first), a.on_first[0]);
    a.on_second[0] = select<T>(known, transposed_times(second, arm_second), a.on_second[0]);
    out.gap = select(known, gap, out.gap);
    out.approach = select(known, approach, zero);
    return out;
}

KIDO_END
