#pragma once

#include "kido/spatial/vector.hpp"

// Motion of frames relative to each other. A frame's motion is stored in world axes at the frame's own origin, with
// classical accelerations (second derivatives of position), so that every step below is the textbook formula of
// moving reference systems.

KIDO_BEGIN

template <class T>
struct FrameMotion {
    Mat3<T> R;  // the frame's axes
    Vec3<T> p;
    Vec3<T> angular, linear;
    Vec3<T> angular_acceleration, linear_acceleration;
};

template <class T>
KIDO_INLINE FrameMotion<T> at_rest() {
    const Vec3<T> o = zero3<T>();
    return {identity3<T>(), o, o, o, o, o};
}

// Motion of a frame relative to its parent, spatial vectors in the frame's own axes.
template <class T>
struct RelativeMotion {
    Mat3<T> R;
    Vec3<T> p;
    Vec3<T> angular, linear;                            // spatial velocity
    Vec3<T> angular_acceleration, linear_acceleration;  // spatial acceleration
};

// Order of the derivatives that are computed: pose only, velocities too, accelerations too.
enum class Order : int { pose, velocity, acceleration };

template <class T>
KIDO_INLINE FrameMotion<T> compose(const FrameMotion<T>& parent, const RelativeMotion<T>& relative, Order order) {
    FrameMotion<T> out = at_rest<T>();
    const Vec3<T> r = parent.R * relative.p;
    out.R = parent.R * relative.R;
    out.p = parent.p + r;
    if (order == Order::pose) return out;
    const Vec3<T> spin = out.R * relative.angular, slide = out.R * relative.linear;
    out.angular = parent.angular + spin;
    out.linear = parent.linear + cross(parent.angular, r) + slide;
    if (order == Order::velocity) return out;
    const Vec3<T> classic = out.R * (relative.linear_acceleration + cross(relative.angular, relative.linear));
    out.angular_acceleration =
        parent.angular_acceleration + cross(parent.angular, spin) + out.R * relative.angular_acceleration;
    out.linear_acceleration = parent.linear_acceleration + cross(parent.angular_acceleration, r) +
                              cross(parent.angular, cross(parent.angular, r)) +
                              cross(parent.angular, slide) * T(2.0) + classic;
    return out;
}

// The motion of the frame's point at `offset` (frame axes), which turns with the frame.
template <class T>
KIDO_INLINE FrameMotion<T> at_point(FrameMotion<T> m, const Vec3<T>& offset, Order order) {
    const Vec3<T> r = m.R * offset;
    m.p = m.p + r;
    if (order == Order::pose) return m;
    const Vec3<T> turning = cross(m.angular, r);
    m.linear = m.linear + turning;
    if (order == Order::velocity) return m;
    m.linear_acceleration = m.linear_acceleration + cross(m.angular_acceleration, r) + cross(m.angular, turning);
    return m;
}

// Velocities and accelerations of `m` as an observer in `base` sees them, still in world axes.
template <class T>
KIDO_INLINE FrameMotion<T> as_seen_from(const FrameMotion<T>& base, FrameMotion<T> m, Order order) {
    const Vec3<T> r = m.p - base.p;
    const Vec3<T> angular = m.angular - base.angular;
    const Vec3<T> linear = m.linear - base.linear - cross(base.angular, r);
    if (order == Order::acceleration) {
        m.angular_acceleration = m.angular_acceleration - base.angular_acceleration - cross(base.angular, m.angular);
        m.linear_acceleration = m.linear_acceleration - base.linear_acceleration -
                                cross(base.angular_acceleration, r) - cross(base.angular, linear) * T(2.0) -
                                cross(base.angular, cross(base.angular, r));
    }
    m.angular = angular;
    m.linear = linear;
    return m;
}

KIDO_END
