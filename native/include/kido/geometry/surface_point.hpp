#pragma once

#include "kido/geometry/collision_shape.hpp"
#include "kido/geometry/segment.hpp"

// The point of a shape's surface that is nearest to a given point, in the shape's axes.

KIDO_BEGIN

namespace geometry {

struct SurfacePoint {
    Vector point, normal;  // outward normal
    double distance;       // [m], negative inside
};

// Of two faces about equally near, the last one is kept: it wins by this share of the shape's size.
inline constexpr double kFacePreference = 1e-3;

// `remembered`: the last normal, or zero.
KIDO_INLINE SurfacePoint nearest_face_of_box(const double* half, const Vector& p, const Vector& remembered) {
    const double size = min(half[0], min(half[1], half[2]));
    double least = 0.0;
    SurfacePoint nearest{};
    for (int k = 0; k < 3; ++k) {
        const double x = component(p, k), kept = component(remembered, k);
        const double side = abs(x) > kFacePreference * size ? sign(x) : sign(kept);
        const double depth = half[k] - side * x;
        const double cost = depth - (side * kept > 0.99 ? kFacePreference * size : 0.0);
        if (k == 0 || cost < least) {
            least = cost;
            nearest = {p + unit(k) * (side * depth), unit(k) * side, -depth};
        }
    }
    return nearest;
}

KIDO_INLINE SurfacePoint nearest_on_box(const double* half, const Vector& p, const Vector& remembered) {
    const Vector q{clamp(p.x, half[0]), clamp(p.y, half[1]), clamp(p.z, half[2])};
    const Vector d = p - q;
    const double square = dot(d, d);
    if (square <= kUnderflow) return nearest_face_of_box(half, p, remembered);
    const double distance = sqrt(square);
    return {q, d * (1.0 / distance), distance};
}

// A solid of revolution about z is seen in the half plane of the axis and a point: `across` from the axis, `along` it.
struct HalfPlane {
    Vector outward;  // unit vector across the axis
    double across, along;

    HalfPlane(const Vector& p, const Vector& remembered) : across(sqrt(p.x * p.x + p.y * p.y)), along(p.z) {
        const Vector kept{remembered.x, remembered.y, 0.0};
        const bool known = dot(kept, kept) > 0.25;
        outward = direction({p.x, p.y, 0.0}, known ? direction(kept, unit(0)) : unit(0));
    }

    Vector at(double u, double v) const { return outward * u + unit(2) * v; }
};

// The nearer of two surface points; inside, the remembered normal's where they are about equally near.
KIDO_INLINE SurfacePoint nearer(const SurfacePoint& a, const SurfacePoint& b, const Vector& remembered, double size) {
    const double preference = kFacePreference * size;
    const double first = abs(a.distance) - (dot(a.normal, remembered) > 0.99 ? preference : 0.0);
    const double second = abs(b.distance) - (dot(b.normal, remembered) > 0.99 ? preference : 0.0);
    return second < first ? b : a;
}

// From the surface point q to p outside of it; `normal` where p lies on the surface.
KIDO_INLINE SurfacePoint seen_from(const Vector& p, const Vector& q, const Vector& normal) {
    const Vector d = p - q;
    return {q, direction(d, normal), length(d)};
}

KIDO_INLINE SurfacePoint nearest_on_cylinder(double radius, double half, const Vector& p, const Vector& remembered) {
    const HalfPlane view(p, remembered);
    const double middle = abs(view.along) > kFacePreference * half ? view.along : remembered.z, up = sign(middle);
    const double side = view.across - radius, cap = up * view.along - half;
    if (side > 0.0 || cap > 0.0) {
        const Vector q = view.at(min(view.across, radius), clamp(view.along, half));
        return seen_from(p, q, side > cap ? view.outward : unit(2) * up);
    }
    return nearer({view.at(radius, view.along), view.outward, side}, {view.at(view.across, up * half), unit(2) * up, cap},
                  remembered, min(radius, half));
}

KIDO_INLINE SurfacePoint nearest_on_cone(double radius, double half, const Vector& p, const Vector& remembered) {
    const HalfPlane view(p, remembered);
    const double height = 2.0 * half, slant2 = radius * radius + height * height, slant = sqrt(slant2);
    const double below = -half - view.along;                                                        // beyond the base
    const double beside = ((view.across - radius) * height + (view.along + half) * radius) / slant;  // beyond the side
    const Vector normal = view.at(height / slant, radius / slant);
    // From rim to tip: 0 to 1.
    const double t = ((radius - view.across) * radius + (view.along + half) * height) / slant2;
    const double on_side = min(max(t, 0.0), 1.0);
    const Vector side = view.at(radius * (1.0 - on_side), height * on_side - half);
    const Vector base = view.at(min(view.across, radius), -half);
    if (below > 0.0 || beside > 0.0) {
        const SurfacePoint first = seen_from(p, side, normal), second = seen_from(p, base, -unit(2));
        return second.distance < first.distance ? second : first;
    }
    return nearer({side, normal, beside}, {base, -unit(2), below}, remembered, radius * half / slant);
}

// Eberly, "Distance from a point to an ellipse, an ellipse, an ellipsoid, or a hyperellipsoid" (2013): the surface point x has
// p = x + t n(x), so x_k = a_k^2 p_k / (t + a_k^2), and t is the largest root of |x / a|^2 = 1, which is convex there.
inline SurfacePoint nearest_on_ellipsoid(const double* half, const Vector& p, const Vector& remembered) {
    const int least = half[0] <= half[1] && half[0] <= half[2] ? 0 : half[1] <= half[2] ? 1 : 2;
    const double lowest = -half[least] * half[least];
    double t = lowest;
    for (int k = 0; k < 3; ++k) t = max(t, half[k] * (abs(component(p, k)) - half[k]));
    for (int iteration = 0; iteration < 60; ++iteration) {
        double value = -1.0, slope = 0.0;
        for (int k = 0; k < 3; ++k) {
            const double below = t + half[k] * half[k], share = half[k] * component(p, k);
            if (share == 0.0 || below <= 0.0) continue;
            const double x = share / below;
            value += x * x;
            slope -= 2.0 * x * x / below;
        }
        if (value <= 0.0 || slope == 0.0) break;
        const double next = t - value / slope;
        if (next <= t) break;
        t = next;
    }
    double x[3], sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        const double below = t + half[k] * half[k];
        x[k] = below > 0.0 ? half[k] * component(p, k) / below : 0.0;
        sum += k == least ? 0.0 : x[k] * x[k];
    }
    if (t <= lowest || sum + x[least] * x[least] < 1.0 - 1e-9) {
        // In the middle plane across the shortest axis, far inside: there are two, one on each side.
        const double kept = component(p, least) != 0.0 ? component(p, least) : component(remembered, least);
        x[least] = sign(kept) * sqrt(max(1.0 - sum, 0.0));
    }
    const Vector normal = direction({x[0] / half[0], x[1] / half[1], x[2] / half[2]}, unit(2));
    const Vector q{half[0] * x[0], half[1] * x[1], half[2] * x[2]};
    return {q, normal, dot(normal, p - q)};
}

}  // namespace geometry

KIDO_END
