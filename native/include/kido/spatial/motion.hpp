#pragma once

#include "kido/spatial/vector.hpp"

// Spatial vectors, angular part first, and the 6x6 matrices that act on them.
// Featherstone, "Rigid Body Dynamics Algorithms" (2008), chapter 2.

KIDO_BEGIN

// Velocity or acceleration of a body: angular, and linear of the point at the origin.
template <class T>
struct Motion {
    Vec3<T> angular, linear;
};

// Wrench or momentum: moment about the origin, and force (or linear momentum).
template <class T>
struct Force {
    Vec3<T> angular, linear;
};

// Acts on motions: [[diagonal, 0], [coupling, diagonal]].
template <class T>
struct MotionMatrix {
    Mat3<T> diagonal, coupling;
};

// Acts on forces: [[diagonal, coupling], [0, diagonal]].
template <class T>
struct ForceMatrix {
    Mat3<T> diagonal, coupling;
};

template <class T>
KIDO_INLINE Motion<T> operator-(const Motion<T>& v) {
    return {-v.angular, -v.linear};
}

// Power of a force on a motion.
template <class T>
KIDO_INLINE T dot(const Force<T>& f, const Motion<T>& v) {
    return dot(f.angular, v.angular) + dot(f.linear, v.linear);
}

template <class T>
KIDO_INLINE Motion<T> operator*(const MotionMatrix<T>& m, const Motion<T>& v) {
    return {m.diagonal * v.angular, m.coupling * v.angular + m.diagonal * v.linear};
}

template <class T>
KIDO_INLINE Force<T> operator*(const ForceMatrix<T>& m, const Force<T>& f) {
    return {m.diagonal * f.angular + m.coupling * f.linear, m.diagonal * f.linear};
}

// Rate of motion w fixed in a frame that moves with v: v x w.
template <class T>
KIDO_INLINE Motion<T> motion_cross(const Motion<T>& v, const Motion<T>& w) {
    return {cross(v.angular, w.angular), cross(v.angular, w.linear) + cross(v.linear, w.angular)};
}

// Rate of force f fixed in a frame that moves with v: v x* f.
template <class T>
KIDO_INLINE Force<T> force_cross(const Motion<T>& v, const Force<T>& f) {
    return {cross(v.angular, f.angular) + cross(v.linear, f.linear), cross(v.angular, f.linear)};
}

template <class T>
KIDO_INLINE MotionMatrix<T> motion_cross_matrix(const Motion<T>& v) {
    return {skew(v.angular), skew(v.linear)};
}

template <class T>
KIDO_INLINE ForceMatrix<T> force_cross_matrix(const Motion<T>& v) {
    return {skew(v.angular), skew(v.linear)};
}

KIDO_END
