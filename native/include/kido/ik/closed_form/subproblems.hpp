#pragma once

#include "kido/scalar/atan.hpp"
#include "kido/scalar/trig.hpp"
#include "kido/spatial/vector.hpp"

// Geometric subproblems: angles of one or two rotations that put points where they belong. Paden, "Kinematics and
// control of robot manipulators" (1985), and Kahan; Elias and Wen, "IK-Geo: Unified robot inverse kinematics using
// subproblem decomposition" (2022). Cosines are never inverted: angles come from the two gaps 1 - cos and 1 + cos,
// which are products of differences of lengths or sines, so none loses digits where two branches meet. Axes are unit
// vectors. Where there is no angle, the one that comes nearest is given, and `excess` says by how much it fails.

KIDO_BEGIN

namespace closed_form {

using Point = Vec3<double>;

inline constexpr double kLost = 1e-12;     // relative length of a direction below which it has none
inline constexpr double kRounding = 1e-14;  // relative excess that is none

KIDO_INLINE double length(const Point& v) { return sqrt(dot(v, v)); }
KIDO_INLINE Point unit(const Point& v) { return v * (1.0 / length(v)); }

// Rotation about a unit axis.
struct AngleAxis {
    Point axis;
    double sin, cos;

    AngleAxis(const Point& k, double s, double c) : axis(k), sin(s), cos(c) {}
    AngleAxis(const Point& k, double angle) : axis(k) {
        const SinCos<double> x = sincos(angle);
        sin = x.sin;
        cos = x.cos;
    }
    KIDO_INLINE Point operator*(const Point& v) const {
        return v * cos + cross(axis, v) * sin + axis * (dot(axis, v) * (1.0 - cos));
    }
    KIDO_INLINE Point back(const Point& v) const {
        return v * cos - cross(axis, v) * sin + axis * (dot(axis, v) * (1.0 - cos));
    }
};

// A unit vector that is normal to k.
KIDO_INLINE Point normal_to(const Point& k) {
    const Point a = abs(k.x) < 0.6 ? Point{1.0, 0.0, 0.0} : Point{0.0, 1.0, 0.0};
    return unit(cross(k, a));
}

// Angle of two vectors in [0, pi].
KIDO_INLINE double angle_of(const Point& a, const Point& b) { return atan2(length(cross(a, b)), dot(a, b)); }

// Up to two angles; where they nearly meet, the one between as well, for it is better known than either.
struct Angles {
    double angle[3];
    int count;
    double excess;  // relative; at most kRounding: there is a solution
};

struct OneAngle {
    double angle;
    bool free;  // every angle would do
};

// The rotation about k that takes the direction of x, as seen along k, to that of y; `size` is the scale of both.
KIDO_INLINE OneAngle align(const Point& k, const Point& x, const Point& y, double size, double otherwise) {
    const Point xn = cross(k, x), yn = cross(k, y);
    const double least = square(kLost * size);
    if (dot(xn, xn) <= least || dot(yn, yn) <= least) return {otherwise, true};
    return {atan2(dot(xn, y), dot(xn, yn)), false};
}

// center +- phi with (1 - cos phi) : (1 + cos phi) = near : far.
KIDO_INLINE Angles mirrored(double center, double near, double far, double excess) {
    constexpr double meeting = 1e-13;
    const double opposite = center + arctangent::kPiHigh;
    if (near <= 0.0) return {{center}, 1, excess};
    if (far <= 0.0) return {{opposite}, 1, excess};
    const double phi = 2.0 * atan2(sqrt(near), sqrt(far));
    const bool together = near <= meeting * far, against = far <= meeting * near;
    return {{center + phi, center - phi, against ? opposite : center}, together || against ? 3 : 2, excess};
}

// Product of two differences; negative where there is no solution, or by rounding.
struct Gap {
    double value, excess;

    KIDO_INLINE Gap(double a, double b, double size) : value(a * b), excess(0.0) {
        if (value < 0.0) excess = min(abs(a), abs(b)) / size;
    }
};

// a cos + b sin = d.
KIDO_INLINE Angles on_line(double a, double b, double d, double size, double otherwise) {
    const double r = sqrt(a * a + b * b);
    if (r <= kLost * size) return {{otherwise}, 1, max(0.0, abs(d) / size - kLost)};
    const Gap near(r - d, 1.0, size), far(r + d, 1.0, size);
    return mirrored(atan2(b, a), near.value, far.value, max(near.excess, far.excess));
}

// Rotations about k after which x is as far from y as told.
KIDO_INLINE Angles at_distance(const Point& k, const Point& x, const Point& y, double distance, double size,
                               double otherwise) {
    const double rise = dot(k, x) - dot(k, y), rx = length(cross(k, x)), ry = length(cross(k, y));
    const Gap plane(distance - abs(rise), distance + abs(rise), size);
    const double e = sqrt(max(plane.value, 0.0));
    if (rx <= kLost * size || ry <= kLost * size) {
        return {{otherwise}, 1, max(plane.excess, max(0.0, abs(e - max(rx, ry)) / size - kLost))};
    }
    const Gap near(e - (rx - ry), e + (rx - ry), size), far((rx + ry) - e, (rx + ry) + e, size);
    const double center = align(k, x, y, size, otherwise).angle;
    return mirrored(center, near.value, far.value, max(plane.excess, max(near.excess, far.excess)));
}

// Cosine and sine of an angle in [0, pi] between two vectors.
struct Spread {
    double cos, sin;

    KIDO_INLINE Spread(double c, double s) : cos(c), sin(s) {}
    KIDO_INLINE Spread(const Point& a, const Point& b) {
        const double c = dot(a, b), s = length(cross(a, b)), n = 1.0 / sqrt(c * c + s * s);
        cos = c * n;
        sin = s * n;
    }
};

// sign * (cos a - cos b); near 0 and pi the sines know it better.
KIDO_INLINE Gap cosine_gap(const Spread& a, const Spread& b, double sign) {
    const double total = a.cos + b.cos;
    if (abs(total) < 0.5) return Gap(sign * (a.cos - b.cos), 1.0, 1.0);
    const double s = total > 0.0 ? sign : -sign;
    Gap gap(s * (b.sin - a.sin), b.sin + a.sin, 1.0);
    gap.value = gap.value / abs(total);
    return gap;
}

// Rotations about k2 after which x makes the angle with k1 that y makes: a spherical triangle.
KIDO_INLINE Angles at_angle(const Point& k1, const Point& k2, const Point& x, const Point& y, double otherwise) {
    const Spread a(k1, k2), b(k2, x), c(k1, y);
    if (b.sin <= kLost || a.sin <= kLost) {
        return {{otherwise}, 1, max(0.0, abs(angle_of(k1, x) - angle_of(k1, y)) - kLost)};
    }
    const Spread difference(a.cos * b.cos + a.sin * b.sin, a.sin * b.cos - a.cos * b.sin);
    const Spread total(a.cos * b.cos - a.sin * b.sin, a.sin * b.cos + a.cos * b.sin);
    const Gap near = cosine_gap(difference, c, 1.0), far = cosine_gap(total, c, -1.0);
    const double center = align(k2, x, k1, length(x), otherwise).angle;
    return mirrored(center, near.value, far.value, max(near.excess, far.excess));
}

}  // namespace closed_form

KIDO_END
