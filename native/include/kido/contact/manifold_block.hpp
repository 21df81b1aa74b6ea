#pragma once

#include "kido/contact/body_rows.hpp"

// Manifolds of contact as the solver keeps them, one in each lane. Everything of a manifold is solved in its own frame, at its
// center, between its points: normal n from the second body to the first, tangents t1 and t2 = n x t1. Its points lie in the
// plane of t1 and t2. The motion of the first body relative to the second has six components there; bodies are read and written
// once a visit, whatever the number of points.

KIDO_BEGIN

// Of a point at which balls touch, or a ball and a plane, about the centers of their bodies, in whose axes a plane's normal is z: it follows
// them from step to step. A plane's radius is infinite; zeros: it is no such point.
template <class T>
struct BallRadii {
    T radius_first, radius_second;  // [m]
    T reach_first, reach_second;    // of all shapes of the bodies [m]
};
template <class T, int Points>
struct FollowedBalls {};
template <class T>
struct FollowedBalls<T, 1> : BallRadii<T> {};

// What stays while two bodies touch: in the axes of the bodies, at their centers of mass.
template <class T, int Points>
struct ManifoldAnchors {
    static constexpr int points = Points;
    Vec3<T> normal, tangent;  // in the first body
    Vec3<T> on_first[Points], on_second[Points];
    T used[Points];           // 1 for points that there are, else 0
    T friction, restitution;
    [[no_unique_address]] FollowedBalls<T, Points> balls;
};

// Motion, force or torque in the manifold's frame.
template <class T>
struct FrameMotion {
    Vec3<T> linear, angular;
};
template <class T>
struct FrameWrench {
    Vec3<T> force, torque;
};

// The response of the relative motion to wrenches, at the center of the manifold: columns of the 6 x 6 matrix.
template <class T>
struct PairResponse {
    Mat3<T> linear_by_force, angular_by_force;
    Sym3<T> angular_by_torque;

    static PairResponse zero() {
        const T o(0.0);
        return {{zero3<T>(), zero3<T>(), zero3<T>()}, {zero3<T>(), zero3<T>(), zero3<T>()}, {o, o, o, o, o, o}};
    }
};

// How the normal motions of points respond to a unit normal impulse at another one.
template <class T, int Points>
struct PointResponse {
    T of_pairs[Points * (Points - 1) / 2];

    KIDO_INLINE T& between(int p, int q) { return of_pairs[pair_of(p, q)]; }
    KIDO_INLINE const T& between(int p, int q) const { return of_pairs[pair_of(p, q)]; }

private:
    static constexpr int pair_of(int p, int q) { return p < q ? q * (q - 1) / 2 + p : p * (p - 1) / 2 + q; }
};
template <class T>
struct PointResponse<T, 1> {};

template <class T, int Points>
struct ManifoldBlock {
    static constexpr int points = Points;
    int first[lanes_of<T>], second[lanes_of<T>];  // rows of bodies
    // Impulses [N s].
    T normal_impulse[Points], impulse_1[Points], impulse_2[Points];
    // What a step computes of the poses.
    Vec3<T> normal, tangent, arm_first, arm_second;  // arms from the centers of mass to the manifold's center
    T inverse_mass_first, inverse_mass_second, friction;
    Sym3<T> inverse_inertia_first, inverse_inertia_second;
    T gap[Points];        // distance
    T moved_gap[Points];  // distance after the displacement that a sweep has seen last
    // Response of the relative motion.
    [[no_unique_address]] PointResponse<T, Points> normal_response;
    T normal_mass[Points];      // 1 / response of the point along the normal; 0 of points that there are not
    T inverse_11[Points], inverse_12[Points], inverse_22[Points];  // of the point's tangential response
    T tangent_step[Points];     // 1 / the largest eigenvalue of the tangential response
    // Of the motion in the plane, at a pivot: the point where tangential forces do not turn about the normal.
    T tangent_11, tangent_12, tangent_22;  // linear 1, 2 by forces 1, 2 there
    Mat3<T> coupling;           // linear 1, 2 there and angular n by (force n, torque 1, torque 2) at the center
    // Of several points.
    T turning;                  // angular n by torque n
    T pivot_1, pivot_2;         // the pivot's place
    T at_1[Points], at_2[Points];  // places in the plane
};

// What other kinds of manifolds have beside these.
template <class Anchors, class Block, class Pose>
KIDO_INLINE void align(Anchors&, const Block&, const Pose&, const Pose&) {}
template <class To, class From>
KIDO_INLINE void copy_extra(To&, int, const From&, int) {}
template <class Block>
KIDO_INLINE void forget_extra(Block&) {}
template <class Block>
KIDO_INLINE void scale_extra(Block&, double) {}
template <class Archive, class Block>
KIDO_INLINE void archive_extra(Archive&, Block&) {}

template <class T, int Points>
KIDO_INLINE Mat3<T> frame_of(const ManifoldBlock<T, Points>& m) {
    return {m.normal, m.tangent, cross(m.normal, m.tangent)};
}

// Motion of the first body relative to the second at the center of the manifold.
template <class T, int Points>
KIDO_INLINE FrameMotion<T> relative_motion(const ManifoldBlock<T, Points>& m, const BodyMotion<T>& first,
                                           const BodyMotion<T>& second) {
    const Mat3<T> frame = frame_of(m);
    const Vec3<T> linear = first.linear + cross(first.angular, m.arm_first) - second.linear -
                           cross(second.angular, m.arm_second);
    if constexpr (Points == 1) return {transposed_times(frame, linear), zero3<T>()};
    return {transposed_times(frame, linear), transposed_times(frame, first.angular - second.angular)};
}

// Gives a wrench at the center to the first body, and its opposite to the second.
template <class T, int Points>
KIDO_INLINE void give_wrench(const ManifoldBlock<T, Points>& m, const FrameWrench<T>& wrench, BodyMotion<T>& first,
                             BodyMotion<T>& second) {
    const Mat3<T> frame = frame_of(m);
    const Vec3<T> force = frame * wrench.force;
    Vec3<T> torque_first = cross(m.arm_first, force), torque_second = cross(m.arm_second, force);
    if constexpr (Points > 1) {
        const Vec3<T> torque = frame * wrench.torque;
        torque_first += torque;
        torque_second += torque;
    }
    first.linear += force * m.inverse_mass_first;
    first.angular += m.inverse_inertia_first * torque_first;
    second.linear -= force * m.inverse_mass_second;
    second.angular -= m.inverse_inertia_second * torque_second;
}

// Components of a relative motion at a point of the plane.
template <class T, int Points>
KIDO_INLINE T normal_motion(const ManifoldBlock<T, Points>& m, const FrameMotion<T>& u, int p) {
    if constexpr (Points == 1) return u.linear.x;
    return u.linear.x + (u.angular.y * m.at_2[p] - u.angular.z * m.at_1[p]);
}
template <class T, int Points>
KIDO_INLINE T motion_1(const ManifoldBlock<T, Points>& m, const FrameMotion<T>& u, int p) {
    if constexpr (Points == 1) return u.linear.y;
    return u.linear.y - u.angular.x * m.at_2[p];
}
template <class T, int Points>
KIDO_INLINE T motion_2(const ManifoldBlock<T, Points>& m, const FrameMotion<T>& u, int p) {
    if constexpr (Points == 1) return u.linear.z;
    return u.linear.z + u.angular.x * m.at_1[p];
}

// The wrench of all impulses of a manifold.
template <class T, int Points>
KIDO_INLINE FrameWrench<T> total_wrench(const ManifoldBlock<T, Points>& m) {
    FrameWrench<T> w = {zero3<T>(), zero3<T>()};
    for (int p = 0; p < Points; ++p) {
        w.force += Vec3<T>{m.normal_impulse[p], m.impulse_1[p], m.impulse_2[p]};
        if constexpr (Points > 1) {
            w.torque += Vec3<T>{m.at_1[p] * m.impulse_2[p] - m.at_2[p] * m.impulse_1[p], m.at_2[p] * m.normal_impulse[p],
                                -(m.at_1[p] * m.normal_impulse[p])};
        }
    }
    return w;
}

KIDO_END
