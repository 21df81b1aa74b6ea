#pragma once

#include "kido/spatial/se3.hpp"

// Spatial inertia of a rigid body: ten numbers, about the origin of the frame and in its axes.
// As a matrix from motions to forces, angular first: [[moment, [first]x], [[first]x^T, mass]].
// Featherstone, "Rigid Body Dynamics Algorithms" (2008), section 2.13.

KIDO_BEGIN

template <class T>
struct Inertia {
    T mass;          // [kg]
    Vec3<T> first;   // mass * center of mass [kg m]
    Sym3<T> moment;  // about the origin [kg m^2]
};

// u.v 1 - (u v^T + v u^T) / 2: with u = v = c it moves a unit mass from the origin to c.
template <class T>
KIDO_INLINE Sym3<T> steiner(const Vec3<T>& u, const Vec3<T>& v) {
    const T x = u.x * v.x, y = u.y * v.y, z = u.z * v.z;
    return {y + z, -0.5 * (u.x * v.y + u.y * v.x), -0.5 * (u.x * v.z + u.z * v.x),
            x + z, -0.5 * (u.y * v.z + u.z * v.y), x + y};
}

// From the moment about the center of mass, in the axes of the frame.
template <class T>
KIDO_INLINE Inertia<T> inertia(T mass, const Vec3<T>& center, const Sym3<T>& central_moment) {
    const Vec3<T> first = center * mass;
    return {mass, first, central_moment + steiner(first, center)};
}

template <class T>
KIDO_INLINE Inertia<T> operator+(const Inertia<T>& a, const Inertia<T>& b) {
    return {a.mass + b.mass, a.first + b.first, a.moment + b.moment};
}

// The inertia of a body given in frame b, in frame a.
template <class T>
KIDO_INLINE Inertia<T> operator*(const Transform<T>& T_a_b, const Inertia<T>& body) {
    const Vec3<T> first = T_a_b.R * body.first, shift = T_a_b.p * body.mass;
    return {body.mass, first + shift,
            rotate(T_a_b.R, body.moment) + steiner<T>(first + first + shift, T_a_b.p)};
}

// Momentum of a body that moves with v.
template <class T>
KIDO_INLINE Force<T> operator*(const Inertia<T>& body, const Motion<T>& v) {
    return {body.moment * v.angular + cross(body.first, v.linear),
            v.linear * body.mass - cross(body.first, v.angular)};
}

template <class T>
KIDO_INLINE T kinetic_energy(const Inertia<T>& body, const Motion<T>& v) {
    return 0.5 * dot(body * v, v);
}

KIDO_END
