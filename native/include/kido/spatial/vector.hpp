#pragma once

#include "kido/scalar/scalar.hpp"

// Three-vectors and 3x3 matrices. A matrix is its three columns, so a rotation is the axes of its frame.

KIDO_BEGIN

template <class T>
struct Vec3 {
    T x, y, z;
};

template <class T>
struct Mat3 {
    Vec3<T> x, y, z;
};

// A symmetric matrix.
template <class T>
struct Sym3 {
    T xx, xy, xz, yy, yz, zz;
};

// Number by number: a copy of what was just written would wait for it.
template <class T>
KIDO_INLINE void write6(Sym3<T>& to, const Sym3<T>& s) {
    to.xx = s.xx, to.xy = s.xy, to.xz = s.xz, to.yy = s.yy, to.yz = s.yz, to.zz = s.zz;
}

template <class A, class B>
using Product = decltype(A{} * B{});

template <class T>
KIDO_INLINE Vec3<T> zero3() {
    return {T(0.0), T(0.0), T(0.0)};
}
template <class T>
KIDO_INLINE Mat3<T> identity3() {
    return {{T(1.0), T(0.0), T(0.0)}, {T(0.0), T(1.0), T(0.0)}, {T(0.0), T(0.0), T(1.0)}};
}
template <class T>
KIDO_INLINE Vec3<T> broadcast(const Vec3<double>& v) {
    return {T(v.x), T(v.y), T(v.z)};
}
template <class T>
KIDO_INLINE Mat3<T> broadcast(const Mat3<double>& m) {
    return {broadcast<T>(m.x), broadcast<T>(m.y), broadcast<T>(m.z)};
}

template <class A, class B>
KIDO_INLINE Vec3<Product<A, B>> operator+(const Vec3<A>& a, const Vec3<B>& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class A, class B>
KIDO_INLINE Vec3<Product<A, B>> operator-(const Vec3<A>& a, const Vec3<B>& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class A>
KIDO_INLINE Vec3<A> operator-(const Vec3<A>& a) {
    return {-a.x, -a.y, -a.z};
}
template <class A, class B>
KIDO_INLINE Vec3<Product<A, B>> operator*(const Vec3<A>& a, const B& s) {
    return {a.x * s, a.y * s, a.z * s};
}
template <class A>
KIDO_INLINE Vec3<A>& operator+=(Vec3<A>& a, const Vec3<A>& b) {
    return a = a + b;
}
template <class A>
KIDO_INLINE Vec3<A>& operator-=(Vec3<A>& a, const Vec3<A>& b) {
    return a = a - b;
}
template <class A, class B>
KIDO_INLINE Product<A, B> dot(const Vec3<A>& a, const Vec3<B>& b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class A, class B>
KIDO_INLINE Vec3<Product<A, B>> cross(const Vec3<A>& a, const Vec3<B>& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class T>
KIDO_INLINE Vec3<T> select(Mask<T> m, const Vec3<T>& a, const Vec3<T>& b) {
    return {select(m, a.x, b.x), select(m, a.y, b.y), select(m, a.z, b.z)};
}

template <class A, class B>
KIDO_INLINE Vec3<Product<A, B>> operator*(const Mat3<A>& m, const Vec3<B>& v) {
    return {m.x.x * v.x + m.y.x * v.y + m.z.x * v.z, m.x.y * v.x + m.y.y * v.y + m.z.y * v.z,
            m.x.z * v.x + m.y.z * v.y + m.z.z * v.z};
}
template <class A, class B>
KIDO_INLINE Vec3<Product<A, B>> transposed_times(const Mat3<A>& m, const Vec3<B>& v) {
    return {dot(m.x, v), dot(m.y, v), dot(m.z, v)};
}
template <class A, class B>
KIDO_INLINE Mat3<Product<A, B>> operator*(const Mat3<A>& m, const Mat3<B>& n) {
    return {m * n.x, m * n.y, m * n.z};
}
template <class A, class B>
KIDO_INLINE Mat3<Product<A, B>> operator+(const Mat3<A>& a, const Mat3<B>& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class A, class B>
KIDO_INLINE Mat3<Product<A, B>> operator-(const Mat3<A>& a, const Mat3<B>& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class A, class B>
KIDO_INLINE Mat3<Product<A, B>> operator*(const Mat3<A>& a, const B& s) {
    return {a.x * s, a.y * s, a.z * s};
}
template <class A>
KIDO_INLINE Mat3<A> transpose(const Mat3<A>& m) {
    return {{m.x.x, m.y.x, m.z.x}, {m.x.y, m.y.y, m.z.y}, {m.x.z, m.y.z, m.z.z}};
}
template <class T>
KIDO_INLINE Mat3<T> select(Mask<T> m, const Mat3<T>& a, const Mat3<T>& b) {
    return {select<T>(m, a.x, b.x), select<T>(m, a.y, b.y), select<T>(m, a.z, b.z)};
}
// [v]x, the matrix of u -> v x u.
template <class T>
KIDO_INLINE Mat3<T> skew(const Vec3<T>& v) {
    const T o(0.0);
    return {{o, v.z, -v.y}, {-v.z, o, v.x}, {v.y, -v.x, o}};
}
// The vector of the skew part of m.
template <class T>
KIDO_INLINE Vec3<T> unskew(const Mat3<T>& m) {
    return {0.5 * (m.y.z - m.z.y), 0.5 * (m.z.x - m.x.z), 0.5 * (m.x.y - m.y.x)};
}

template <class A, class B>
KIDO_INLINE Vec3<Product<A, B>> operator*(const Sym3<A>& s, const Vec3<B>& v) {
    return {s.xx * v.x + s.xy * v.y + s.xz * v.z, s.xy * v.x + s.yy * v.y + s.yz * v.z,
            s.xz * v.x + s.yz * v.y + s.zz * v.z};
}
template <class A, class B>
KIDO_INLINE Sym3<Product<A, B>> operator+(const Sym3<A>& a, const Sym3<B>& b) {
    return {a.xx + b.xx, a.xy + b.xy, a.xz + b.xz, a.yy + b.yy, a.yz + b.yz, a.zz + b.zz};
}
// R s R^T: the tensor s of a rotated frame in outer axes.
template <class A, class B>
KIDO_INLINE Sym3<Product<A, B>> rotate(const Mat3<A>& r, const Sym3<B>& s) {
    using T = Product<A, B>;
    const Vec3<T> x = r * Vec3<B>{s.xx, s.xy, s.xz};
    const Vec3<T> y = r * Vec3<B>{s.xy, s.yy, s.yz};
    const Vec3<T> z = r * Vec3<B>{s.xz, s.yz, s.zz};
    return {x.x * r.x.x + y.x * r.y.x + z.x * r.z.x, x.y * r.x.x + y.y * r.y.x + z.y * r.z.x,
            x.z * r.x.x + y.z * r.y.x + z.z * r.z.x, x.y * r.x.y + y.y * r.y.y + z.y * r.z.y,
            x.z * r.x.y + y.z * r.y.y + z.z * r.z.y, x.z * r.x.z + y.z * r.y.z + z.z * r.z.z};
}

KIDO_END
