#pragma once

#include "kido/ik/loops/enclosure.hpp"

// What an enclosure is about the z axis: between two heights and two radii, and within an angle of an azimuth.

KIDO_BEGIN

template <class T>
struct Sector {
    T height, half_height;
    T inner, outer;            // radii; inner may be negative
    T azimuth, half_azimuth;   // meaningful where inner > 0
};

template <class T>
KIDO_INLINE Sector<T> sector_of(const Enclosure<T>& e) {
    const T r = sqrt(e.c[0] * e.c[0] + e.c[1] * e.c[1]);
    const Mask<T> off_axis = r > T(1e-12);
    const T size = select(off_axis, r, T(1.0));
    const T ux = select(off_axis, e.c[0] / size, T(1.0)), uy = select(off_axis, e.c[1] / size, T(0.0));
    T along = e.radius, across = e.radius, up = e.radius;
    for (int k = 0; k < e.count; ++k) {
        const T* g = e.g[k];
        along += abs(ux * g[0] + uy * g[1]);
        across += abs(ux * g[1] - uy * g[0]);
        up += abs(g[2]);
    }
    const T farthest = r + along;
    Sector<T> s;
    s.height = e.c[2];
    s.half_height = up;
    s.inner = r - along;
    s.outer = sqrt(farthest * farthest + across * across);
    s.azimuth = atan2(uy, ux);
    s.half_azimuth = atan2(across, s.inner);
    return s;
}

KIDO_END
