#pragma once

#include "kido/geometry/surface_contact.hpp"

// Signed distance of a convex shape from a surface of triangles: where they meet, minus the depth of the deepest contact.

KIDO_BEGIN

namespace geometry {

// How far two boxes are apart.
KIDO_INLINE double box_distance(const BoundingBox& a, const BoundingBox& b) {
    const Vector gap = greatest(greatest(a.low - b.high, b.low - a.high), zero3<double>());
    return length(gap);
}

template <class Surface>
class SurfaceDistance {
public:
    SurfaceDistance(const Surface& surface, const CollisionShape& shape, const Axes& axes, const Vector& offset)
        : surface_(surface), shape_(shape), axes_(axes), offset_(offset), contact_(surface, shape, axes, offset, 0.0) {}

    // Writes a manifold of one point.
    void find(ContactManifold& out) {
        nearest_apart(out);
        if (!meets_ && is_in_front_) return;
        Triangle behind;
        const bool inside = contact_.nearest_behind(shape_.radius + (meets_ ? 0.0 : out.points[0].gap), behind);
        if (!meets_ && !inside) return;
        contact_.find();
        ContactManifold found[ManifoldGroups::kMostGroups];
        const int count = contact_.write(found, ManifoldGroups::kMostGroups);
        if (count > 0) {
            deepest(found, count, out);
        } else if (inside) {
            along(behind, out);
        }
    }

private:
    void nearest_apart(ContactManifold& out) {
        const BoundingBox own = contact_.bounds();
        const double size = inner_radius(shape_);
        double least = 1e300;
        const auto near = [&](const BoundingBox& box) { return !meets_ && box_distance(own, box) <= least; };
        surface_.walk(near, [&](const Triangle& t) {
            if (meets_ || box_distance(own, MeshSurface::bounds_of(t)) > least) return;
            const TriangleHull hull(t, size);
            PairMemory memory{};
            ContactManifold unused;
            const Axes identity = {unit(0), unit(1), unit(2)};
            ShapePair pair{shape_, hull.shape(), axes_, identity, offset_, zero3<double>(), least, memory, unused};
            Vector normal;
            Touch touch;
            if (!ConvexPair(pair).nearest({}, least, normal, touch) || touch.gap >= least) return;
            least = touch.gap;
            meets_ = least <= 0.0;
            is_in_front_ = dot(normal, t.normal) > kRegionSine;
            out.count = 1;
            out.part = 0;
            store(normal, out.normal);
            out.points[0] = {};
            store(touch.on_first, out.points[0].on_first);
            store(touch.on_second, out.points[0].on_second);
            out.points[0].gap = touch.gap;
        });
    }
    static void deepest(const ContactManifold* found, int count, ContactManifold& out) {
        double least = 1e300;
        for (int k = 0; k < count; ++k) {
            for (int i = 0; i < found[k].count; ++i) {
                if (found[k].points[i].gap >= least) continue;
                least = found[k].points[i].gap;
                store(vector(found[k].normal), out.normal);
                out.points[0] = found[k].points[i];
            }
        }
        out.count = 1;
        out.part = 0;
    }
    void along(const Triangle& t, ContactManifold& out) {
        int vertex = 0;
        const Vector down = -transposed_times(axes_, t.normal);
        const Vector low = offset_ + axes_ * support(shape_, down, vertex) - t.normal * skin(shape_);
        const double gap = dot(t.normal, low - t.corner[0]);
        out.count = 1;
        out.part = 0;
        store(t.normal, out.normal);
        out.points[0] = {};
        store(low, out.points[0].on_first);
        store(low - t.normal * gap, out.points[0].on_second);
        out.points[0].gap = gap;
    }

    const Surface& surface_;
    const CollisionShape& shape_;
    Axes axes_;
    Vector offset_;
    SurfaceContact<Surface> contact_;
    bool meets_ = false, is_in_front_ = false;
};

inline int surface_distance(ShapePair& pair) {
    const Axes axes = transpose(pair.second_axes) * pair.first_axes;
    const Vector offset = transposed_times(pair.second_axes, pair.offset);
    return with_surface(pair.second, [&](const auto& surface) {
        ContactManifold& m = pair.manifold;
        SurfaceDistance(surface, pair.first, axes, offset).find(m);
        store(pair.second_axes * vector(m.normal), m.normal);
        store(pair.origin + pair.second_axes * vector(m.points[0].on_first), m.points[0].on_first);
        store(pair.origin + pair.second_axes * vector(m.points[0].on_second), m.points[0].on_second);
        return 1;
    });
}

// The lowest corner above a plane.
inline int surface_plane_distance(ShapePair& pair) {
    const Vector normal = pair.second_axes.z, up = transposed_times(pair.first_axes, normal);
    double lowest = 1e300;
    Vector corner = zero3<double>();
    with_surface(pair.first, [&](const auto& surface) {
        const auto lower = [&](const BoundingBox& box) {
            const Vector q{up.x < 0.0 ? box.high.x : box.low.x, up.y < 0.0 ? box.high.y : box.low.y, up.z < 0.0 ? box.high.z : box.low.z};
            return dot(up, q) < lowest;
        };
        surface.walk(lower, [&](const Triangle& t) {
            for (const Vector& q : t.corner) {
                if (dot(up, q) >= lowest) continue;
                lowest = dot(up, q);
                corner = q;
            }
        });
        return 0;
    });
    const Vector p = pair.offset + pair.first_axes * corner;
    const double gap = dot(normal, p);
    return pair.single(normal, {p, p - normal * gap, gap, 0});
}

}  // namespace geometry

KIDO_END
