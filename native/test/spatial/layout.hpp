#pragma once

#include "kido/spatial/euler.hpp"
#include "kido/spatial/inertia.hpp"

// Values of spatial algebra from and to arrays; matrices row by row.

template <class T>
kido::Vec3<T> vector3(const T* a) {
    return {a[0], a[1], a[2]};
}
template <class T>
kido::Mat3<T> matrix3(const T* a) {
    return {{a[0], a[3], a[6]}, {a[1], a[4], a[7]}, {a[2], a[5], a[8]}};
}
template <class T>
kido::Motion<T> motion(const T* a) {
    return {vector3(a), vector3(a + 3)};
}
template <class T>
kido::Force<T> force(const T* a) {
    return {vector3(a), vector3(a + 3)};
}
template <class T>
kido::Inertia<T> body(const T* a) {
    return {a[0], vector3(a + 1), {a[4], a[5], a[6], a[7], a[8], a[9]}};
}

template <class T>
void store(const kido::Vec3<T>& v, T* out) {
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
}
template <class T>
void store(const kido::Mat3<T>& m, T* out) {
    store(kido::Vec3<T>{m.x.x, m.y.x, m.z.x}, out);
    store(kido::Vec3<T>{m.x.y, m.y.y, m.z.y}, out + 3);
    store(kido::Vec3<T>{m.x.z, m.y.z, m.z.z}, out + 6);
}
template <class T>
void store(const kido::Motion<T>& v, T* out) {
    store(v.angular, out);
    store(v.linear, out + 3);
}
template <class T>
void store(const kido::Force<T>& f, T* out) {
    store(f.angular, out);
    store(f.linear, out + 3);
}
// R row by row, then p.
template <class T>
void store(const kido::Transform<T>& a, T* out) {
    store(a.R, out);
    store(a.p, out + 9);
}
// The two blocks that determine it.
template <class T>
void store(const kido::MotionMatrix<T>& m, T* out) {
    store(m.diagonal, out);
    store(m.coupling, out + 9);
}
template <class T>
void store(const kido::Inertia<T>& b, T* out) {
    const T values[10] = {b.mass,      b.first.x,   b.first.y,   b.first.z,   b.moment.xx,
                          b.moment.xy, b.moment.xz, b.moment.yy, b.moment.yz, b.moment.zz};
    for (int i = 0; i < 10; ++i) out[i] = values[i];
}
