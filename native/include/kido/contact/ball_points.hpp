#pragma once

#include <cmath>

#include "kido/contact/contact_margin.hpp"
#include "kido/contact/overlap.hpp"
#include "kido/contact/touch.hpp"
#include "kido/geometry/space.hpp"

// Points at which balls touch balls or planes. They follow the centers in each step, in lanes, so that the pairs need not be tested again:
// what rolls moves away from its point of contact, and would be driven by its own weight where that stayed behind. Number by number they
// are where a test of the pair would find them.

KIDO_BEGIN

// How such a point moves in a step, one in each lane.
template <class T>
struct FollowedPoint {
    T gap;       // [m]
    T approach;  // velocity of the first body's point along the normal, from the second's [m/s]
    T depth;     // from which it is an overlap [m]
    T lost;      // 1 where the pair has to be tested, for it parts or has no direction, else 0
};

// Moves those of a bundle of manifolds in a step [s], but for those that are lost. Others are infinitely far apart.
template <class T>
KIDO_NOINLINE void follow_balls(const ManifoldBlock<T, 1>& m, const PoseRow* poses, const MotionRow* velocities, double step, ManifoldAnchors<T, 1>& anchors,
                                FollowedPoint<T>& out) {
    const T zero(0.0), one(1.0), infinite(HUGE_VAL);
    const BallRadii<T>& ball = anchors.balls;
    const T reach = min(ball.radius_first, ball.radius_second);
    const Mask<T> follows = reach > zero;
    out = {infinite, zero, zero, zero};
    if (!any(follows)) return;
    Vec3<T> a, b;
    Mat3<T> first, second;
    load_frame(poses, m.first, a, first);
    load_frame(poses, m.second, b, second);
    const BodyMotion<T> v = load_motion<T>(velocities, m.first), w = load_motion<T>(velocities, m.second);
    const Vec3<T> d = a - b;
    const T square = dot(d, d), distance = sqrt(square);
    const Vec3<T> between = d * (1.0 / distance);
    T gap = distance - ball.radius_first - ball.radius_second;
    Vec3<T> normal = between, on_first = b + (d - normal * ball.radius_first), on_second = b + (zero3<T>() + normal * ball.radius_second);
    Mask<T> known = square > T(geometry::kUnderflow);
    const Mask<T> first_flat = ball.radius_first == infinite, flat = first_flat | (ball.radius_second == infinite);
    if (any(flat & follows)) {
        const Vec3<T> up = select<T>(first_flat, first.z, second.z), offset = select<T>(first_flat, b - a, d), origin = select<T>(first_flat, a, b);
        const T above = dot(up, offset) - reach;
        const Vec3<T> lowest = offset - up * reach, on_ball = origin + lowest, on_plane = origin + (lowest - up * above);
        gap = select(flat, above, gap);
        normal = select<T>(flat, select<T>(first_flat, -up, up), normal);
        on_first = select<T>(flat, select<T>(first_flat, on_plane, on_ball), on_first);
        on_second = select<T>(flat, select<T>(first_flat, on_ball, on_plane), on_second);
        known = known | flat;
    }
    const T speed = closing_speed(v, w, ball.reach_first, ball.reach_second);
    const T margin = contact_margin(speed, step, ball.radius_first, ball.radius_second);
    const Vec3<T> arm_first = on_first - a, arm_second = on_second - b;
    const T approach = dot(normal, v.linear + cross(v.angular, arm_first)) - dot(normal, w.linear + cross(w.angular, arm_second));
    const Vec3<T> wish = first * anchors.tangent, along = wish - normal * dot(wish, normal);
    const T length = sqrt(dot(along, along));
    const Mask<T> kept = follows & known & (gap <= margin) & (length >= T(kLeastTangent));
    out.lost = select(follows, select(kept, zero, one), zero);
    out.gap = select(kept, gap, infinite);
    out.approach = approach;
    out.depth = deep_overlap(reach);
    anchors.normal = select<T>(kept, transposed_times(first, normal), anchors.normal);
    anchors.tangent = select<T>(kept, transposed_times(first, along * (1.0 / length)), anchors.tangent);
    anchors.on_first[0] = select<T>(kept, transposed_times(first, arm_first), anchors.on_first[0]);
    anchors.on_second[0] = select<T>(kept, transposed_times(second, arm_second), anchors.on_second[0]);
}

KIDO_END
