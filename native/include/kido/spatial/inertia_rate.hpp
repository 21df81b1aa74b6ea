#pragma once

#include "kido/spatial/motion.hpp"
#include "kido/spatial/rigid_inertia.hpp"

// Rate of change of a moving body's inertia, as the derivatives of dynamics need it (Singh, Russo and Wensing 2022):
// twice their operator B. About one point it maps (angular, linear) to (Z angular, -2 momentum x angular).

KIDO_BEGIN

template <class T>
struct InertiaRate {
    Mat3<T> Z;
    Vec3<T> momentum;  // linear
};

template <class T>
KIDO_INLINE InertiaRate<T> inertia_rate(const RigidInertia<T>& inertia, double mass, const Motion<T>& v) {
    const Vec3<T>& w = v.angular;
    const Sym3<T>& I = inertia.I;
    const Mat3<T> full = {{I.xx, I.xy, I.xz}, {I.xy, I.yy, I.yz}, {I.xz, I.yz, I.zz}};
    const Mat3<T> wI = {cross(w, full.x), cross(w, full.y), cross(w, full.z)};
    const Vec3<T> turning = I * w + cross(inertia.h, v.linear);
    // [l]x [h]x + [h]x [l]x = h l^T + l h^T - 2 (h . l) 1
    const Vec3<T>&h = inertia.h, &l = v.linear;
    const T twice = 2.0 * dot(h, l);
    const Mat3<T> products = {l * h.x + h * l.x, l * h.y + h * l.y, l * h.z + h * l.z};
    Mat3<T> Z = wI + transpose(wI) - skew(turning) - products;
    Z.x.x += twice;
    Z.y.y += twice;
    Z.z.z += twice;
    return {Z, l * mass + cross(w, h)};
}

template <class T>
KIDO_INLINE InertiaRate<T> operator+(const InertiaRate<T>& a, const InertiaRate<T>& b) {
    return {a.Z + b.Z, a.momentum + b.momentum};
}

// About a point that lies at -r: Z - 2 [r]x [momentum]x.
template <class T>
KIDO_INLINE InertiaRate<T> shift(const InertiaRate<T>& a, const Vec3<T>& r) {
    const Vec3<T> p2 = a.momentum * 2.0;
    const T product = dot(r, p2);
    Mat3<T> Z = {a.Z.x - p2 * r.x, a.Z.y - p2 * r.y, a.Z.z - p2 * r.z};
    Z.x.x += product;
    Z.y.y += product;
    Z.z.z += product;
    return {Z, a.momentum};
}

template <class T>
KIDO_INLINE Wrench<T> times(const InertiaRate<T>& a, const Motion<T>& u) {
    return {a.Z * u.angular, cross(u.angular, a.momentum) * 2.0};
}

KIDO_END
