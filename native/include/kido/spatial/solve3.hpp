#pragma once

#include "kido/spatial/vector.hpp"

// Three equations, by Cramer's rule.

KIDO_BEGIN

// The solution x of (a b c) x = y.
template <class T>
KIDO_INLINE Vec3<T> solved(const Vec3<T>& a, const Vec3<T>& b, const Vec3<T>& c, const Vec3<T>& y) {
    const Vec3<T> bc = cross(b, c);
    const T scale = 1.0 / dot(a, bc);
    return {dot(bc, y) * scale, dot(cross(c, a), y) * scale, dot(cross(a, b), y) * scale};
}

KIDO_END
