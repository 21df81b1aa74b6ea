#pragma once

#include "kido/spatial/vector.hpp"

// Articulated-body inertia in world axes at a link origin: a symmetric 6x6 matrix
//   [torque]   [A   H] [angular acceleration]
//   [force ] = [H^T M] [linear acceleration ]
// (Featherstone 2008, chapter 7), and a wrench.

KIDO_BEGIN

template <class T>
struct Wrench {
    Vec3<T> torque, force;
};

template <class T>
KIDO_INLINE Wrench<T> operator+(const Wrench<T>& a, const Wrench<T>& b) {
    return {a.torque + b.torque, a.force + b.force};
}
template <class T>
KIDO_INLINE Wrench<T> operator*(const Wrench<T>& a, const T& s) {
    return {a.torque * s, a.force * s};
}
// The same wrench about a point that lies at -r.
template <class T>
KIDO_INLINE Wrench<T> shift(const Wrench<T>& w, const Vec3<T>& r) {
    return {w.torque + cross(r, w.force), w.force};
}

// Component of a wrench along a joint axis: the generalized force.
template <class Axis, class T>
KIDO_INLINE T along(const Axis& axis, const Wrench<T>& w) {
    if constexpr (Axis::rotates && Axis::translates) {
        return dot(axis.angular, w.torque) + dot(axis.linear, w.force);
    } else if constexpr (Axis::rotates) {
        return dot(axis.angular, w.torque);
    } else {
        return dot(axis.linear, w.force);
    }
}

template <class T>
struct ArticulatedInertia {
    Sym3<T> A;
    Mat3<T> H;
    Sym3<T> M;
};

template <class T>
KIDO_INLINE ArticulatedInertia<T> operator+(const ArticulatedInertia<T>& a, const ArticulatedInertia<T>& b) {
    return {a.A + b.A, a.H + b.H, a.M + b.M};
}

template <class T>
KIDO_INLINE ArticulatedInertia<T> articulated(double mass, const Vec3<T>& h, const Sym3<T>& I) {
    const T o(0.0), m(mass);
    return {I, skew(h), {m, o, o, m, o, m}};
}

// The wrench that an acceleration along the axis takes.
template <class Axis, class T>
KIDO_INLINE Wrench<T> times(const ArticulatedInertia<T>& I, const Axis& axis) {
    if constexpr (Axis::rotates && Axis::translates) {
        return {I.A * axis.angular + I.H * axis.linear, transposed_times(I.H, axis.angular) + I.M * axis.linear};
    } else if constexpr (Axis::rotates) {
        return {I.A * axis.angular, transposed_times(I.H, axis.angular)};
    } else {
        return {I.H * axis.linear, I.M * axis.linear};
    }
}

template <class T>
KIDO_INLINE void subtract_outer(Sym3<T>& s, const Vec3<T>& a, const Vec3<T>& b) {
    s = {s.xx - a.x * b.x, s.xy - a.x * b.y, s.xz - a.x * b.z, s.yy - a.y * b.y, s.yz - a.y * b.z, s.zz - a.z * b.z};
}

// I - u v^T with v a multiple of u.
template <class T>
KIDO_INLINE void subtract_outer(ArticulatedInertia<T>& I, const Wrench<T>& u, const Wrench<T>& v) {
    subtract_outer(I.A, u.torque, v.torque);
    I.H.x -= u.torque * v.force.x;
    I.H.y -= u.torque * v.force.y;
    I.H.z -= u.torque * v.force.z;
    subtract_outer(I.M, u.force, v.force);
}

// The same inertia about a point that lies at -r.
template <class T>
KIDO_INLINE ArticulatedInertia<T> shift(const ArticulatedInertia<T>& I, const Vec3<T>& r) {
    const Sym3<T>& M = I.M;
    const Mat3<T>& H = I.H;
    // K = H + [r]x M
    const Mat3<T> K = {H.x + cross(r, Vec3<T>{M.xx, M.xy, M.xz}), H.y + cross(r, Vec3<T>{M.xy, M.yy, M.yz}),
                       H.z + cross(r, Vec3<T>{M.xz, M.yz, M.zz})};
    // A - H [r]x - (K [r]x)^T, rows of X [r]x being row x r
    const auto row_x = [&](const Mat3<T>& X) { return Vec3<T>{X.x.x, X.y.x, X.z.x}; };
    const auto row_y = [&](const Mat3<T>& X) { return Vec3<T>{X.x.y, X.y.y, X.z.y}; };
    const auto row_z = [&](const Mat3<T>& X) { return Vec3<T>{X.x.z, X.y.z, X.z.z}; };
    const Vec3<T> hx = cross(row_x(H), r), hy = cross(row_y(H), r), hz = cross(row_z(H), r);
    const Vec3<T> kx = cross(row_x(K), r), ky = cross(row_y(K), r), kz = cross(row_z(K), r);
    return {{I.A.xx - (hx.x + kx.x), I.A.xy - (hx.y + ky.x), I.A.xz - (hx.z + kz.x), I.A.yy - (hy.y + ky.y),
             I.A.yz - (hy.z + kz.y), I.A.zz - (hz.z + kz.z)},
            K,
            M};
}

// Adds to what other children left, or replaces it: the child that comes first overwrites. `first`: a bool, or a
// constant.
template <class First, class X>
KIDO_INLINE void leave(First first, X& to, const X& x) {
    if (first) {
        to = x;
    } else {
        to = to + x;
    }
}

// Leaves (I - u gain^T), shifted by r, at `to`. One block after the other, which keeps register pressure low.
template <class First, class T>
KIDO_INLINE void pass_on(First first, const ArticulatedInertia<T>& I, const Wrench<T>& u, const Wrench<T>& gain,
                         const Vec3<T>& r, ArticulatedInertia<T>& to) {
    Sym3<T> M = I.M;
    subtract_outer(M, u.force, gain.force);
    leave(first, to.M, M);
    const Mat3<T> H = {I.H.x - u.torque * gain.force.x, I.H.y - u.torque * gain.force.y,
                       I.H.z - u.torque * gain.force.z};
    const Mat3<T> K = {H.x + cross(r, Vec3<T>{M.xx, M.xy, M.xz}), H.y + cross(r, Vec3<T>{M.xy, M.yy, M.yz}),
                       H.z + cross(r, Vec3<T>{M.xz, M.yz, M.zz})};
    leave(first, to.H, K);
    const auto entry = [&](const T& a, const T& u_row, const T& g_column, const T& h, const T& k) {
        return (a - u_row * g_column) - (h + k);
    };
    const Vec3<T>&t = u.torque, &g = gain.torque;
    leave(first, to.A.xx, entry(I.A.xx, t.x, g.x, H.y.x * r.z - H.z.x * r.y, K.y.x * r.z - K.z.x * r.y));
    leave(first, to.A.xy, entry(I.A.xy, t.x, g.y, H.z.x * r.x - H.x.x * r.z, K.y.y * r.z - K.z.y * r.y));
    leave(first, to.A.xz, entry(I.A.xz, t.x, g.z, H.x.x * r.y - H.y.x * r.x, K.y.z * r.z - K.z.z * r.y));
    leave(first, to.A.yy, entry(I.A.yy, t.y, g.y, H.z.y * r.x - H.x.y * r.z, K.z.y * r.x - K.x.y * r.z));
    leave(first, to.A.yz, entry(I.A.yz, t.y, g.z, H.x.y * r.y - H.y.y * r.x, K.z.z * r.x - K.x.z * r.z));
    leave(first, to.A.zz, entry(I.A.zz, t.z, g.z, H.x.z * r.y - H.y.z * r.x, K.x.z * r.y - K.y.z * r.x));
}

KIDO_END
