#pragma once

#include "kido/contact/contact_margin.hpp"
#include "kido/contact/touch.hpp"

// Contact of two balls, of as many pairs at once as there are lanes: what `collide` finds and the anchors that TouchWriter makes of it,
// number by number the same.

KIDO_BEGIN

// Pairs of balls, one in each lane.
template <class T>
struct BallPair {
    int first[lanes_of<T>], second[lanes_of<T>];  // rows of the bodies
    T radius_first, radius_second;                // of the balls [m]
    T reach_first, reach_second;                  // of their bodies [m]
    Vec3<T> tangent;                              // of the manifold that they have, in the first body; else zero
};

// What is found of them.
template <class T>
struct BallContact {
    Vec3<T> offset, normal;  // from the second center to the first, and its direction, in world axes
    T gap, margin;           // margin: distance up to which there is a point [m]
    T reach;                 // of the smaller ball [m]
    T approach;              // velocity of the point along the normal [m/s]
    T regular;               // 1 where the normal is known, and the tangent can be had from that before, else 0
    // Of the manifold, in the axes of the bodies.
    Vec3<T> own_normal, own_tangent, on_first, on_second;
};

template <class T>
KIDO_NOINLINE void collide_balls(const BallPair<T>& pair, const PoseRow* poses, const MotionRow* velocities, double step,
                                 BallContact<T>& out) {
    Vec3<T> a, b;
    Mat3<T> first, second;
    load_frame(poses, pair.first, a, first);
    load_frame(poses, pair.second, b, second);
    const BodyMotion<T> v = load_motion<T>(velocities, pair.first), w = load_motion<T>(velocities, pair.second);
    const Vec3<T> d = a - b;
    const T square = dot(d, d), distance = sqrt(square);
    out.offset = d;
    out.gap = distance - pair.radius_first - pair.radius_second;
    const Vec3<T> normal = d * (1.0 / distance);
    out.normal = normal;
    const Vec3<T> on_first = b + (d - normal * pair.radius_first), on_second = b + (zero3<T>() + normal * pair.radius_second);
    const T speed = closing_speed(v, w, pair.reach_first, pair.reach_second);
    out.margin = contact_margin(speed, step, pair.radius_first, pair.radius_second);
    out.reach = min(pair.radius_first, pair.radius_second);
    const Vec3<T> arm_first = on_first - a, arm_second = on_second - b;
    out.approach = dot(normal, v.linear + cross(v.angular, arm_first)) - dot(normal, w.linear + cross(w.angular, arm_second));
    const Vec3<T> wish = first * pair.tangent, along = wish - normal * dot(wish, normal);
    const T length = sqrt(dot(along, along));
    const Mask<T> regular = (square > T(geometry::kUnderflow)) & (length >= T(kLeastTangent));
    out.regular = select(regular, T(1.0), T(0.0));
    out.own_normal = transposed_times(first, normal);
    out.own_tangent = transposed_times(first, along * (1.0 / length));
    out.on_first = transposed_times(first, arm_first);
    out.on_second = transposed_times(second, arm_second);
}

KIDO_END
