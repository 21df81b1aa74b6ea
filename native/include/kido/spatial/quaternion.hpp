#pragma once

#include "kido/spatial/vector.hpp"

// Quaternions x, y, z, w: the vector part first, as in SciPy. q and -q are one rotation.

KIDO_BEGIN

template <class T>
struct Quaternion {
    T x, y, z, w;
};

template <class T>
KIDO_INLINE Quaternion<T> operator*(const Quaternion<T>& a, const Quaternion<T>& b) {
    return {a.w * b.x + a.x * b.w + (a.y * b.z - a.z * b.y), a.w * b.y + a.y * b.w + (a.z * b.x - a.x * b.z),
            a.w * b.z + a.z * b.w + (a.x * b.y - a.y * b.x), a.w * b.w - (a.x * b.x + a.y * b.y + a.z * b.z)};
}

template <class T>
KIDO_INLINE Quaternion<T> operator*(const Quaternion<T>& q, T s) {
    return {q.x * s, q.y * s, q.z * s, q.w * s};
}

template <class T>
KIDO_INLINE Quaternion<T> operator/(const Quaternion<T>& q, T s) {
    return {q.x / s, q.y / s, q.z / s, q.w / s};
}

template <class T>
KIDO_INLINE Quaternion<T> conjugate(const Quaternion<T>& q) {
    return {-q.x, -q.y, -q.z, q.w};
}

template <class T>
KIDO_INLINE Quaternion<T> select(Mask<T> m, const Quaternion<T>& a, const Quaternion<T>& b) {
    return {select(m, a.x, b.x), select(m, a.y, b.y), select(m, a.z, b.z), select(m, a.w, b.w)};
}

template <class T>
KIDO_INLINE T dot(const Quaternion<T>& a, const Quaternion<T>& b) {
    return (a.x * b.x + a.y * b.y) + (a.z * b.z + a.w * b.w);
}

// Unit quaternion; divides by the largest component first, so that no square leaves the range of doubles.
template <class T>
KIDO_INLINE Quaternion<T> normalized(const Quaternion<T>& q) {
    const T largest = max(max(T(abs(q.x)), T(abs(q.y))), max(T(abs(q.z)), T(abs(q.w))));
    const Quaternion<T> scaled = q / largest;
    return scaled / T(sqrt(dot(scaled, scaled)));
}

// The same of a quaternion whose square stays within that range.
template <class T>
KIDO_INLINE Quaternion<T> normalized_near_one(const Quaternion<T>& q) {
    return q * T(1.0 / sqrt(dot(q, q)));
}

// Rotation of a unit quaternion.
template <class T>
KIDO_INLINE Mat3<T> rotation(const Quaternion<T>& q) {
    const T xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
    const T xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
    const T wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
    return {{1.0 - 2.0 * (yy + zz), 2.0 * (xy + wz), 2.0 * (xz - wy)},
            {2.0 * (xy - wz), 1.0 - 2.0 * (xx + zz), 2.0 * (yz + wx)},
            {2.0 * (xz + wy), 2.0 * (yz - wx), 1.0 - 2.0 * (xx + yy)}};
}

// A quaternion of rotation R, of length 2 to 4, divided by the largest of its components (Shepperd 1978).
template <class T>
KIDO_INLINE Quaternion<T> scaled_quaternion(const Mat3<T>& R) {
    const T xx = R.x.x, yy = R.y.y, zz = R.z.z, trace = xx + yy + zz;
    const Vec3<T> odd{R.y.z - R.z.y, R.z.x - R.x.z, R.x.y - R.y.x};
    const Vec3<T> even{R.y.z + R.z.y, R.z.x + R.x.z, R.x.y + R.y.x};
    Quaternion<T> q{odd.x, odd.y, odd.z, 1.0 + trace};
    q = select<T>(xx > trace, {1.0 + (xx - (yy + zz)), even.z, even.y, odd.x}, q);
    q = select<T>(yy > max(trace, xx), {even.z, 1.0 + (yy - (xx + zz)), even.x, odd.y}, q);
    return select<T>(zz > max(trace, max(xx, yy)), {even.y, even.x, 1.0 + (zz - (xx + yy)), odd.z}, q);
}

// Unit quaternion of rotation R with w >= 0.
template <class T>
KIDO_INLINE Quaternion<T> quaternion(const Mat3<T>& R) {
    const Quaternion<T> q = scaled_quaternion(R);
    const T length = sqrt(dot(q, q));
    return q / T(select(q.w < 0.0, -length, length));
}

KIDO_END
