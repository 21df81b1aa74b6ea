#pragma once

#include "kido/geometry/convex_pair.hpp"
#include "kido/geometry/manifold_groups.hpp"
#include "kido/geometry/shape_bounds.hpp"
#include "kido/geometry/surface_exit.hpp"
#include "kido/geometry/triangle_features.hpp"
#include "kido/geometry/triangle_hull.hpp"

// A convex shape and a surface of triangles, which is the second shape: what it does to each triangle near it, gathered to manifolds.

KIDO_BEGIN

namespace geometry {

// A point inside of a convex shape, in its axes.
inline Vector inner_point(const CollisionShape& shape) {
    if (shape.kind != ShapeKind::hull) return zero3<double>();
    Vector sum = zero3<double>();
    for (int k = 0; k < shape.hull->num_vertices; ++k) sum = sum + vector(shape.hull->vertices + 3 * k);
    return sum * (1.0 / shape.hull->num_vertices);
}

// Everything in the surface's axes, about its origin.
template <class Surface>
class SurfaceContact {
public:
    SurfaceContact(const Surface& surface, const CollisionShape& shape, const Axes& axes, const Vector& offset, double margin)
        : surface_(surface), shape_(shape), axes_(axes), offset_(offset), center_(offset + axes * inner_point(shape)), margin_(margin),
          size_(inner_radius(shape)), skin_(skin(shape)), exit_(surface, shape, axes, offset, size_),
          groups_(shape.radius, shape.kind == ShapeKind::sphere) {}

    // Gathers the contacts with all triangles that are not farther away than the margin.
    void find() {
        const double reach = margin_ + kAhead;
        lower_bound_ = reach;
        surface_.for_near(grown(bounds(), reach), [&](const Triangle& t) { visit(t); });
        groups_.drop_longer_ways();
        if (exit_.depth() > -kDeeper * min(groups_.least(), 0.0)) leave_overlap();
        if (groups_.count() == 0 && any_behind_) find_way_out();
    }

    // Lower bound of the distance where there is no contact, and a direction.
    double lower_bound() const { return lower_bound_; }
    int write(ContactManifold* out, int capacity) { return groups_.write(out, capacity); }

    BoundingBox bounds() const {
        double pose[12];
        store(offset_, pose);
        store(axes_.x, pose + 3);
        store(axes_.y, pose + 6);
        store(axes_.z, pose + 9);
        return bounds_of(shape_, pose);
    }

    // The triangle whose plane the middle of the shape lies behind, where that is inside of the surface. False where it is not.
    bool nearest_behind(double reach, Triangle& nearest) const {
        const Vector d = {reach, reach, reach};
        double least = 1e300, most_aligned = 0.0, side = 0.0;
        surface_.for_near({center_ - d, center_ + d}, [&](const Triangle& t) {
            const Vector q = nearest_on_triangle(t, center_), to = center_ - q;
            const double distance = length(to), along = dot(to, t.normal);
            const double equal = kEqualDistance * 1e-3 * (distance + size_);
            if (distance > least + equal || (distance > least - equal && abs(along) <= most_aligned)) return;
            least = min(least, distance);
            most_aligned = abs(along);
            side = along;
            nearest = t;
        });
        return least < 1e300 && side < 0.0;
    }

private:
    static constexpr double kAhead = 5e-3;  // beyond the margin, in which distances are still bounded [m]
    static constexpr double kResting = 1e-3;  // of the shape's size: depths of shapes that rest
    static constexpr double kDeeper = 1.05;   // ratio to the depth of contacts, beyond which an overlap is none of theirs
    static constexpr std::uint32_t kEdge = 1U << 31;

    Vector lowest(const Vector& normal) const {
        int vertex = 0;
        return offset_ + axes_ * support(shape_, -transposed_times(axes_, normal), vertex) - normal * skin_;
    }

    void visit(const Triangle& t) {
        const Vector low = lowest(t.normal);
        const double gap = dot(t.normal, low - t.corner[0]);
        if (gap > margin_) {
            lower_bound_ = min(lower_bound_, gap);
            return;
        }
        if (dot(t.normal, center_ - t.corner[0]) < 0.0) {
            any_behind_ = true;
            lower_bound_ = margin_;
            return;
        }
        const TriangleHull hull(t, size_);
        ContactManifold face;
        PairMemory memory{};
        ShapePair pair{shape_, hull.shape(), axes_, identity(), offset_, zero3<double>(), margin_, memory, face};
        const double least = above(pair, t);
        const bool complete = least <= gap + kEqualDepth * size_, deep = gap <= -kResting * size_;
        if (complete && !deep) return take(face, t, false);
        // Between triangles in one plane, and in a valley, there is nothing to meet but the triangles.
        const bool has_ridge = VoronoiRegion<Surface>(surface_, t).has_ridge();
        if (!has_ridge && (complete || !deep)) {
            lower_bound_ = margin_;
            return take(face, t, false);
        }
        Vector normal;
        Touch touch;
        ContactManifold edge;
        ShapePair other{shape_, hull.shape(), axes_, identity(), offset_, zero3<double>(), margin_, memory, edge};
        ConvexPair near(other);
        if (!near.nearest({}, margin_, normal, touch)) {
            lower_bound_ = min(lower_bound_, max(touch.gap, margin_));
            if (!has_ridge) take(face, t, false);
            return;
        }
        lower_bound_ = margin_;
        const bool shorter = has_ridge && (!complete || touch.gap > gap + kResting * size_);
        if (shorter && VoronoiRegion<Surface>(surface_, t).allows(normal, touch.on_second)) {
            near.contact(normal, touch);
            return take(edge, t, dot(normal, t.normal) < 1.0 - kRegionSine);
        }
        take(face, t, false);
        if (touch.gap < kDeeper * min(least, 0.0) && !take_beside(t, low)) exit_.add(t, -touch.gap);
    }

    // The lowest point of a shape that overlaps a triangle may lie behind another one in its plane, which the shape need not overlap: takes
    // what lies above that one. Returns whether it exists.
    bool take_beside(const Triangle& t, const Vector& low) {
        const Vector place = low - t.normal * dot(t.normal, low - t.corner[0]);
        bool found = false;
        surface_.for_near(grown({place, place}, kOnFeature * size_), [&](const Triangle& other) {
            if (found || other.region != t.region || other.index == t.index) return;
            ContactManifold face;
            PairMemory memory{};
            const TriangleHull hull(other, size_);
            ShapePair pair{shape_, hull.shape(), axes_, identity(), offset_, zero3<double>(), margin_, memory, face};
            if (above(pair, other) > dot(t.normal, low - t.corner[0]) + kEqualDepth * size_) return;
            take(face, other, false);
            found = true;
        });
        return found;
    }

    // Where triangles are overlapped farther than contacts tell: a contact along the way out of them.
    void leave_overlap() {
        const auto way = exit_.find();
        ContactPoint point;
        point.gap = -way.length;
        point.feature = static_cast<std::uint32_t>(way.triangle + 1) << 8;
        store(way.place, point.on_second);
        store(way.place - way.direction * way.length, point.on_first);
        groups_.add(way.direction, point, kEdge | static_cast<std::uint32_t>(surface_.triangle(way.triangle).region + 1));
    }

    // Writes the manifold of what lies above the triangle, along its normal; returns the least gap there.
    double above(ShapePair& pair, const Triangle& t) const {
        SupportFeature feature, flat;
        support_feature(shape_, -transposed_times(axes_, t.normal), feature);
        flat.count = 3;
        flat.id = 0;
        flat.normal = t.normal;
        flat.round = 0.0;
        for (int k = 0; k < 3; ++k) flat.corners[k] = t.corner[k];
        const ContactPlane plane(t.normal);
        FlatFeature upper, ground;
        flatten(feature, axes_, offset_, -skin_, plane, upper);
        flatten(flat, identity(), zero3<double>(), 0.0, plane, ground);
        // The face that carries is the triangle, however the shape's own is turned.
        if (upper.count >= 3) upper.aligned = 0.0;
        FeatureManifold manifold(pair, plane);
        manifold.collect(upper, ground);
        pair.manifold.count = 0;
        if (manifold.count() > 0) manifold.write();
        return manifold.least();
    }

    void take(ContactManifold& found, const Triangle& t, bool is_edge) {
        // Points that a side of the triangle cuts off are its own.
        for (int k = 0; k < found.count; ++k) {
            if ((found.points[k].feature & 0xFFU) != 0) found.points[k].feature ^= static_cast<std::uint32_t>(t.index + 1) << 8;
        }
        groups_.add(found, (is_edge ? kEdge : 0U) | static_cast<std::uint32_t>(t.region + 1));
    }

    // The middle of the shape is inside of the surface: the shortest way out of it.
    void find_way_out() {
        Triangle t;
        if (!nearest_behind(shape_.radius + margin_, t)) return;
        const Vector low = lowest(t.normal);
        ContactPoint point;
        point.gap = dot(t.normal, low - t.corner[0]);
        if (point.gap > margin_) return;
        store(low, point.on_first);
        store(low - t.normal * point.gap, point.on_second);
        point.feature = 0;
        groups_.add(t.normal, point, static_cast<std::uint32_t>(t.region + 1));
    }

    static Axes identity() { return {unit(0), unit(1), unit(2)}; }

    const Surface& surface_;
    const CollisionShape& shape_;
    Axes axes_;
    Vector offset_, center_;
    double margin_, size_, skin_;
    double lower_bound_ = 0.0;
    bool any_behind_ = false;
    SurfaceExit<Surface> exit_;  // out of triangles that are overlapped but have no contact
    ManifoldGroups groups_;
};

// Of a manifold in the axes of the second shape, about its origin.
inline void in_world(const ShapePair& pair, ContactManifold& m) {
    store(pair.second_axes * vector(m.normal), m.normal);
    for (int i = 0; i < m.count; ++i) {
        store(pair.origin + pair.second_axes * vector(m.points[i].on_first), m.points[i].on_first);
        store(pair.origin + pair.second_axes * vector(m.points[i].on_second), m.points[i].on_second);
    }
}

// The manifolds of a pair whose second shape is a mesh or height field; of kNoCapacity at most.
inline int convex_surface(ShapePair& pair, ContactManifold* out, int capacity) {
    const Axes axes = transpose(pair.second_axes) * pair.first_axes;
    const Vector offset = transposed_times(pair.second_axes, pair.offset);
    return with_surface(pair.second, [&](const auto& surface) {
        SurfaceContact contact(surface, pair.first, axes, offset, pair.margin);
        contact.find();
        const int count = contact.write(out, capacity);
        for (int k = 0; k < count; ++k) in_world(pair, out[k]);
        if (count == 0) pair.memory.gap = contact.lower_bound();
        return count;
    });
}

// A mesh or height field above a plane: its lowest corners.
inline int surface_plane(ShapePair& pair) {
    const Vector normal = pair.second_axes.z, up = transposed_times(pair.first_axes, normal);
    const double height = dot(normal, pair.offset), reach = pair.margin;
    ManifoldGroups groups(pair.first.radius, false);
    double lowest = 1e300;
    with_surface(pair.first, [&](const auto& surface) {
        const auto low_enough = [&](const BoundingBox& box) {
            const Vector corner{up.x < 0.0 ? box.high.x : box.low.x, up.y < 0.0 ? box.high.y : box.low.y, up.z < 0.0 ? box.high.z : box.low.z};
            return height + dot(up, corner) <= max(reach, lowest);
        };
        surface.walk(low_enough, [&](const Triangle& t) {
            for (int k = 0; k < 3; ++k) {
                const double gap = height + dot(up, t.corner[k]);
                lowest = min(lowest, gap);
                if (gap > reach) continue;
                const Vector p = pair.offset + pair.first_axes * t.corner[k];
                ContactPoint point;
                store(pair.origin + p, point.on_first);
                store(pair.origin + p - normal * gap, point.on_second);
                point.gap = gap;
                point.feature = static_cast<std::uint32_t>(3 * t.index + k);
                groups.add(normal, point, 0);
            }
        });
        return 0;
    });
    if (groups.count() == 0) return pair.apart(lowest, normal);
    return groups.write(&pair.manifold, 1);
}

}  // namespace geometry

KIDO_END
