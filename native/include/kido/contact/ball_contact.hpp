#pragma once

#include <cmath>

#include "kido/contact/contact_margin.hpp"
#include "kido/contact/touch.hpp"

// Contact of two balls, or of a ball and a plane, of as many pairs at once as there are lanes: what `collide` finds and the anchors that
// TouchWriter makes of it, number by number the same.

KIDO_BEGIN

// What is found of them, one in each lane.
template <class T>
struct BallContact {
    Vec3<T> offset, normal;  // from the second center to the first, and from the second shape to the first: world axes
    T gap, margin;           // margin: distance up to which there is a point [m]
    T reach;                 // of the smaller ball [m]
    T approach;              // velocity of the point along the normal [m/s]
    T regular;               // 1 where the normal is known, and the tangent can be had from that before, else 0
    // Of the manifold, in the axes of the bodies.
    Vec3<T> own_normal, own_tangent, on_first, on_second;
};

// Rows of the bodies; tangent: of the manifold that they have, in the first body, else zero; step [s].
template <class T>
KIDO_INLINE void meet_balls(const int* rows_first, const int* rows_second, const BallRadii<T>& radii, const Vec3<T>& tangent, const PoseRow* poses,
                            const MotionRow* velocities, double step, BallContact<T>& out) {
    const T infinite(HUGE_VAL);
    Vec3<T> a, b;
    Mat3<T> first, second;
    load_frame(poses, rows_first, a, first);
    load_frame(poses, rows_second, b, second);
    const BodyMotion<T> v = load_motion<T>(velocities, rows_first), w = load_motion<T>(velocities, rows_second);
    const Vec3<T> d = a - b;
    const T square = dot(d, d), distance = sqrt(square);
    T gap = distance - radii.radius_first - radii.radius_second;
    Vec3<T> normal = d * (1.0 / distance);
    Vec3<T> on_first = b + (d - normal * radii.radius_first), on_second = b + (zero3<T>() + normal * radii.radius_second);
    const T reach = min(radii.radius_first, radii.radius_second);
    const Mask<T> first_flat = radii.radius_first == infinite, flat = first_flat | (radii.radius_second == infinite);
    if (any(flat)) {
        const Vec3<T> up = select<T>(first_flat, first.z, second.z), offset = select<T>(first_flat, b - a, d), origin = select<T>(first_flat, a, b);
        const T above = dot(up, offset) - reach;
        const Vec3<T> lowest = offset - up * reach, on_ball = origin + lowest, on_plane = origin + (lowest - up * above);
        gap = select(flat, above, gap);
        normal = select<T>(flat, select<T>(first_flat, -up, up), normal);
        on_first = select<T>(flat, select<T>(first_flat, on_plane, on_ball), on_first);
        on_second = select<T>(flat, select<T>(first_flat, on_ball, on_plane), on_second);
    }
    const T speed = closing_speed(v, w, radii.reach_first, radii.reach_second);
    const Vec3<T> arm_first = on_first - a, arm_second = on_second - b;
    const Vec3<T> wish = first * tangent, along = wish - normal * dot(wish, normal);
    const T length = sqrt(dot(along, along));
    out.offset = d;
    out.normal = normal;
    out.gap = gap;
    out.margin = contact_margin(speed, step, radii.radius_first, radii.radius_second);
    out.reach = reach;
    out.approach = dot(normal, v.linear + cross(v.angular, arm_first)) - dot(normal, w.linear + cross(w.angular, arm_second));
    const Mask<T> regular = (flat | (square > T(geometry::kUnderflow))) & (length >= T(kLeastTangent));
    out.regular = select(regular, T(1.0), T(0.0));
    out.own_normal = transposed_times(first, normal);
    out.own_tangent = transposed_times(first, along * (1.0 / length));
    out.on_first = transposed_times(first, arm_first);
    out.on_second = transposed_times(second, arm_second);
}

// Pairs of balls, one in each lane, as meet_balls takes them.
template <class T>
struct BallPair {
    int first[lanes_of<T>], second[lanes_of<T>];
    BallRadii<T> radii;
    Vec3<T> tangent;
};

template <class T>
KIDO_NOINLINE void collide_balls(const BallPair<T>& pair, const PoseRow* poses, const MotionRow* velocities, double step, BallContact<T>& out) {
    meet_balls(pair.first, pair.second, pair.radii, pair.tangent, poses, velocities, step, out);
}

KIDO_END
