#pragma once

#include "kido/geometry/collision_shape.hpp"
#include "kido/geometry/contact_manifold.hpp"
#include "kido/geometry/shape_queries.hpp"
#include "kido/geometry/space.hpp"
#include "kido/geometry/surface_ray.hpp"

// Where a ray meets a shape: a convex one is an intersection of solids, and the part of the ray in it that of parts.

KIDO_BEGIN

namespace geometry {

// The part of a line that lies in a solid, in the solid's axes. Places are measured from the point that is nearest to the solid's origin, so
// that far rays lose nothing.
class RayPart {
public:
    RayPart(const Vector& origin, const Vector& direction, double length)
        : direction_(direction), shift_(-dot(origin, direction)), middle_(origin + direction * shift_), enter_(-shift_),
          exit_(length - shift_) {}

    const Vector& middle() const { return middle_; }
    const Vector& direction() const { return direction_; }
    Vector at(double place) const { return middle_ + direction_ * place; }

    // Cuts off what lies beyond a plane; n is its outward normal.
    void keep_below(const Vector& n, double offset) {
        const double slope = dot(n, direction_), height = dot(n, middle_) - offset;
        if (slope == 0.0) {
            if (height > 0.0) exit_ = -kNever;
            return;
        }
        const double place = -height / slope;
        if (slope > 0.0) {
            exit_ = min(exit_, place);
        } else {
            enter(place, n);
        }
    }

    // Keeps what lies between two places, at the first of which the normal is n.
    void keep(double first, double last, const Vector& n) {
        exit_ = min(exit_, last);
        enter(first, n);
    }
    void keep_nothing() { exit_ = -kNever; }

    static constexpr double kNever = 1e300;

    // The distance from the ray's origin and the normal there; false where nothing is left.
    bool result(double& distance, Vector& n) const {
        if (enter_ > exit_) return false;
        distance = entered_ ? max(enter_ + shift_, 0.0) : 0.0;
        n = entered_ ? normal_ : -direction_;
        return true;
    }

private:
    void enter(double place, const Vector& n) {
        if (place <= enter_) return;
        enter_ = place;
        normal_ = n;
        entered_ = true;
    }

    Vector direction_;
    double shift_;
    Vector middle_;
    double enter_, exit_;
    Vector normal_ = zero3<double>();
    bool entered_ = false;
};

// Roots of a t^2 + 2 b t + c; where it has none, twice the place of its extremum.
struct Roots {
    bool real;
    double low, high;

    Roots(double a, double b, double c) : real(false), low(0.0), high(0.0) {
        const double decides = b * b - a * c;
        if (a == 0.0) return;
        low = high = -b / a;
        if (decides < 0.0) return;
        const double q = -(b + (b < 0.0 ? -sqrt(decides) : sqrt(decides)));
        const double first = q / a, second = q == 0.0 ? 0.0 : c / q;
        real = true;
        low = min(first, second);
        high = max(first, second);
    }
};

namespace rays {

// The ellipsoid |x / half| <= 1 about `center`.
inline void keep_ellipsoid(RayPart& part, const Vector& center, const Vector& half) {
    const Vector p = part.middle() - center, d = part.direction();
    const Vector scaled{p.x / half.x, p.y / half.y, p.z / half.z}, along{d.x / half.x, d.y / half.y, d.z / half.z};
    const Roots roots(dot(along, along), dot(scaled, along), dot(scaled, scaled) - 1.0);
    if (!roots.real) return part.keep_nothing();
    const Vector q = part.at(roots.low) - center;
    const Vector n{q.x / (half.x * half.x), q.y / (half.y * half.y), q.z / (half.z * half.z)};
    part.keep(roots.low, roots.high, direction(n, -d));
}

inline void keep_tube(RayPart& part, double radius) {
    const Vector &p = part.middle(), &d = part.direction();
    const double a = d.x * d.x + d.y * d.y, c = p.x * p.x + p.y * p.y - radius * radius;
    if (a <= kUnderflow) {
        if (c > 0.0) part.keep_nothing();
        return;
    }
    const Roots roots(a, p.x * d.x + p.y * d.y, c);
    if (!roots.real) return part.keep_nothing();
    const Vector q = part.at(roots.low);
    part.keep(roots.low, roots.high, direction({q.x, q.y, 0.0}, -d));
}

inline void keep_box(RayPart& part, const double* half) {
    for (int k = 0; k < 3; ++k) {
        part.keep_below(unit(k), half[k]);
        part.keep_below(-unit(k), half[k]);
    }
}

inline void keep_slab(RayPart& part, double half) {
    part.keep_below(unit(2), half);
    part.keep_below(-unit(2), half);
}

// Below the tip, between base and side: x^2 + y^2 <= slope^2 (half - z)^2.
inline void keep_cone(RayPart& part, double radius, double half) {
    keep_slab(part, half);
    const double slope = radius / (2.0 * half);
    const Vector p = part.middle() - unit(2) * half, d = part.direction();
    const double a = d.x * d.x + d.y * d.y - square(slope * d.z), b = p.x * d.x + p.y * d.y - slope * slope * p.z * d.z;
    const double c = p.x * p.x + p.y * p.y - square(slope * p.z);
    const auto normal = [&](double place) {
        const Vector q = part.at(place);
        return direction({q.x, q.y, slope * slope * (half - q.z)}, unit(2));
    };
    const Roots roots(a, b, c);
    if (a > 0.0) {
        if (!roots.real) return part.keep_nothing();
        return part.keep(roots.low, roots.high, normal(roots.low));
    }
    // The ray runs more steeply than the side, or along it: it is in the half of the double cone below the tip from one place on.
    const double place = a < 0.0 ? (d.z < 0.0 ? roots.high : roots.low) : b != 0.0 ? -0.5 * c / b : 0.0;
    if (d.z < 0.0) {
        part.keep(place, RayPart::kNever, normal(place));
    } else {
        part.keep(-RayPart::kNever, place, unit(2));
    }
}

inline void keep_hull(RayPart& part, const ConvexHull& hull) {
    for (int k = 0; k < hull.num_faces; ++k) part.keep_below(vector(hull.planes + 4 * k), hull.planes[4 * k + 3]);
}

// Its middle part and its two ends, whichever is met first.
inline bool meet_capsule(const RayPart& ray, double radius, double half, double& distance, Vector& normal) {
    bool met = false;
    const auto consider = [&](const RayPart& part) {
        double place;
        Vector n;
        if (!part.result(place, n) || (met && place >= distance)) return;
        met = true;
        distance = place;
        normal = n;
    };
    RayPart middle = ray, top = ray, bottom = ray;
    const Vector ball{radius, radius, radius}, end = unit(2) * half;
    keep_tube(middle, radius);
    keep_slab(middle, half);
    keep_ellipsoid(top, end, ball);
    keep_ellipsoid(bottom, -end, ball);
    consider(middle);
    consider(top);
    consider(bottom);
    return met;
}

}  // namespace rays

// Returns 1 where the ray meets the shape, 0 where it does not, or an error of contact_manifold.hpp.
inline int ray_cast(const CollisionShape& shape, const double* pose, const Ray& ray, RayHit& out) {
    const Pose T = read_pose(pose);
    RayPart part(transposed_times(T.R, vector(ray.origin) - T.p), transposed_times(T.R, vector(ray.direction)), ray.length);
    if (shape.kind == ShapeKind::mesh || shape.kind == ShapeKind::height_field) {
        const Vector origin = transposed_times(T.R, vector(ray.origin) - T.p), along = transposed_times(T.R, vector(ray.direction));
        Vector normal;
        const bool met = with_surface(shape, [&](const auto& surface) {
            return SurfaceRay(surface, origin, along, ray.length).find(out.distance, normal);
        });
        if (met) store(T.R * normal, out.normal);
        return met ? 1 : 0;
    }
    const double* s = shape.size;
    const Vector ball{s[0], s[0], s[0]}, center = zero3<double>();
    bool met = true;
    Vector normal = zero3<double>();
    switch (shape.kind) {
        case ShapeKind::sphere: rays::keep_ellipsoid(part, center, ball); break;
        case ShapeKind::capsule: met = rays::meet_capsule(part, s[0], s[1], out.distance, normal); break;
        case ShapeKind::box: rays::keep_box(part, s); break;
        case ShapeKind::cylinder:
            rays::keep_tube(part, s[0]);
            rays::keep_slab(part, s[1]);
            break;
        case ShapeKind::cone: rays::keep_cone(part, s[0], s[1]); break;
        case ShapeKind::ellipsoid: rays::keep_ellipsoid(part, center, vector(s)); break;
        case ShapeKind::plane: part.keep_below(unit(2), 0.0); break;
        case ShapeKind::hull: rays::keep_hull(part, *shape.hull); break;
        default: return kUnsupportedPair;
    }
    if (shape.kind != ShapeKind::capsule) met = part.result(out.distance, normal);
    if (!met) return 0;
    store(T.R * normal, out.normal);
    return 1;
}

}  // namespace geometry

KIDO_END
