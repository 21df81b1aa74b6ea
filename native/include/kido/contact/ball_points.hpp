#pragma once

#include <cmath>

#include "kido/contact/ball_contact.hpp"
#include "kido/contact/overlap.hpp"

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
    const Mask<T> follows = anchors.balls.radius_first > zero;
    out = {infinite, zero, zero, zero};
    if (!any(follows)) return;
    BallContact<T> found;
    meet_balls(m.first, m.second, anchors.balls, anchors.tangent, poses, velocities, step, found);
    const Mask<T> kept = follows & (found.regular > zero) & (found.gap <= found.margin);
    out.lost = select(follows, select(kept, zero, one), zero);
    out.gap = select(kept, found.gap, infinite);
    out.approach = found.approach;
    out.depth = deep_overlap(found.reach);
    anchors.normal = select<T>(kept, found.own_normal, anchors.normal);
    anchors.tangent = select<T>(kept, found.own_tangent, anchors.tangent);
    anchors.on_first[0] = select<T>(kept, found.on_first, anchors.on_first[0]);
    anchors.on_second[0] = select<T>(kept, found.on_second, anchors.on_second[0]);
}

KIDO_END
