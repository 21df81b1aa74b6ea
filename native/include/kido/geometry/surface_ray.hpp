#pragma once

#include "kido/geometry/shape_queries.hpp"
#include "kido/geometry/triangle_surface.hpp"

// Where a ray meets a surface of triangles, from whichever side. Moeller and Trumbore, "Fast, minimum storage ray/triangle
// intersection", Journal of Graphics Tools 2, 1997.

KIDO_BEGIN

namespace geometry {

template <class Surface>
class SurfaceRay {
public:
    // In the surface's axes.
    SurfaceRay(const Surface& surface, const Vector& origin, const Vector& direction, double length)
        : surface_(surface), origin_(origin), direction_(direction), nearest_(length) {}

    bool find(double& distance, Vector& normal) {
        surface_.walk([&](const BoundingBox& box) { return crosses(box); }, [&](const Triangle& t) { meet(t); });
        if (!met_) return false;
        distance = nearest_;
        normal = dot(normal_, direction_) > 0.0 ? -normal_ : normal_;
        return true;
    }

private:
    static constexpr double kOutside = 1e-12;  // shares by which a triangle reaches beyond its sides, so that rays do not pass between

    bool crosses(const BoundingBox& box) const {
        double enter = 0.0, leave = nearest_;
        for (int k = 0; k < 3; ++k) {
            const double d = component(direction_, k), low = component(box.low, k) - component(origin_, k);
            const double high = component(box.high, k) - component(origin_, k);
            if (d == 0.0) {
                if (low > 0.0 || high < 0.0) return false;
                continue;
            }
            const double a = low / d, b = high / d, widened = 1e-12 * (abs(a) + abs(b));
            enter = max(enter, min(a, b) - widened);
            leave = min(leave, max(a, b) + widened);
        }
        return enter <= leave;
    }
    void meet(const Triangle& t) {
        const Vector e1 = t.corner[1] - t.corner[0], e2 = t.corner[2] - t.corner[0], p = cross(direction_, e2);
        const double determinant = dot(e1, p);
        if (determinant == 0.0) return;
        const Vector s = origin_ - t.corner[0], q = cross(s, e1);
        const double u = dot(s, p) / determinant, v = dot(direction_, q) / determinant;
        if (u < -kOutside || v < -kOutside || u + v > 1.0 + kOutside) return;
        const double distance = dot(e2, q) / determinant;
        if (distance < 0.0 || distance > nearest_ || (met_ && distance == nearest_)) return;
        met_ = true;
        nearest_ = distance;
        normal_ = t.normal;
    }

    const Surface& surface_;
    Vector origin_, direction_;
    double nearest_;
    Vector normal_ = zero3<double>();
    bool met_ = false;
};

}  // namespace geometry

KIDO_END
