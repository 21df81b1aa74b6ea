#pragma once

#include "kido/geometry/convex_distance.hpp"
#include "kido/geometry/feature_manifold.hpp"
#include "kido/geometry/segment.hpp"

// Any two convex shapes but planes.

KIDO_BEGIN

namespace geometry {

class ConvexPair {
public:
    explicit ConvexPair(ShapePair& pair)
        : pair_(pair), shapes_(pair.first, pair.second, transpose(pair.second_axes) * pair.first_axes,
                               transposed_times(pair.second_axes, pair.offset)),
          first_skin_(skin(pair.first)), second_skin_(skin(pair.second)),
          size_(min(inner_radius(pair.first), inner_radius(pair.second))) {}

    int collide() {
        const Vector remembered = pair_.remembered();
        double gap = 0.0;
        Vector normal;
        Touch touch;
        if (dot(remembered, remembered) > 0.5) {
            if ((pair_.memory.nearest || !may_face()) && pair_.memory.gap <= 0.0 && still(remembered, normal, touch)) {
                return touch.gap > pair_.margin ? pair_.apart(touch.gap, normal) : contact(normal, touch);
            }
            gap = separation(remembered);
            if (gap > pair_.margin) return pair_.apart(gap, remembered);
            const int count = may_face() ? along_face(remembered) : kUnknown;
            if (count >= 0) return count;
        }
        const bool across = across_sides(normal, touch);
        const bool same = dot(normal, remembered) > kSameWay && touch.gap > -kShallow * size_;
        if (across && (touch.gap >= 0.0 || same)) {
            return touch.gap > pair_.margin ? pair_.apart(touch.gap, normal) : contact(normal, touch);
        }
        return anywhere({remembered, gap});
    }

    // A normal that is known, and how far the shapes are apart along it; the zero vector where none is.
    struct KnownNormal {
        Vector normal = zero3<double>();
        double gap = 0.0;
    };

    // Where the shapes are nearest to each other, or come apart soonest. False where they are farther apart than the limit: then the gap is a
    // lower bound.
    bool nearest(const KnownNormal& known, double limit, Vector& normal, Touch& out) const {
        if (across_sides(normal, out) && out.gap >= 0.0) return out.gap <= limit;
        const Axes& frame = pair_.second_axes;
        ConvexDistanceSearch search(shapes_, size_, pair_.memory);
        ConvexDistance found;
        const double skins = first_skin_ + second_skin_;
        const bool near = search.find(transposed_times(frame, known.normal), known.gap + skins, limit + skins, found);
        place(found, normal, out);
        return near && out.gap <= limit;
    }

    // The manifold at the nearest points, along their normal.
    int contact(const Vector& normal, const Touch& touch) {
        SupportFeature first, second;
        pair_.memory.nearest = 1;
        first_feature(normal, first);
        if (first.count != 1) second_feature(normal, second);
        if (first.count == 1 || second.count == 1) {
            pair_.memory.feature = 0;
            return pair_.single(normal, touch);
        }
        const ContactPlane plane(normal);
        FeatureManifold manifold(pair_, plane);
        meet(first, second, plane, manifold);
        manifold.complete(touch);
        return manifold.write();
    }

private:
    static constexpr int kUnknown = -1;
    static constexpr double kSameWay = 0.99;    // cosine of the angle between normals that are about the same
    static constexpr double kUpright = 1e-9;    // likewise, of directions that are perpendicular

    static bool has_side(const CollisionShape& shape) {
        return shape.kind == ShapeKind::capsule || shape.kind == ShapeKind::cylinder;
    }

    // Two capsules or cylinders that touch with their sides: where a line perpendicular to both axes leads from one to the other. If they
    // are apart nothing is nearer.
    bool across_sides(Vector& normal, Touch& out) const {
        normal = zero3<double>();
        out.gap = 0.0;
        if (!has_side(pair_.first) || !has_side(pair_.second)) return false;
        const double *a = pair_.first.size, *b = pair_.second.size;
        const Segment first{pair_.offset, pair_.first_axes.z * a[1]}, second{zero3<double>(), pair_.second_axes.z * b[1]};
        const NearestPlaces places = nearest_places(first, second);
        const Vector p = first.at(places.first), q = second.at(places.second), d = p - q;
        const double square = dot(d, d), distance = sqrt(square);
        if (square <= kUnderflow) return false;
        const double off = max(abs(dot(d, pair_.first_axes.z)), abs(dot(d, pair_.second_axes.z)));
        if (off > kUpright * distance) return false;
        normal = d * (1.0 / distance);
        out = {p - normal * a[0], q + normal * b[0], distance - a[0] - b[0], 0};
        return true;
    }

    // What was found in axes of the second shape, of cores.
    void place(const ConvexDistance& found, Vector& normal, Touch& out) const {
        normal = pair_.second_axes * found.normal;
        const double gap = found.distance - first_skin_ - second_skin_;
        const Vector on_second = pair_.second_axes * found.on_second + normal * second_skin_;
        out = {on_second + normal * gap, on_second, gap, 0};
    }

    // Whether the shapes touch where they did at the last test.
    bool still(const Vector& remembered, Vector& normal, Touch& out) const {
        ConvexDistance found;
        ConvexDistanceSearch search(shapes_, size_, pair_.memory);
        if (!search.still(transposed_times(pair_.second_axes, remembered), found)) return false;
        place(found, normal, out);
        return true;
    }

    void first_feature(const Vector& normal, SupportFeature& out) const {
        support_feature(pair_.first, -transposed_times(pair_.first_axes, normal), shapes_.first_vertex(), out);
    }
    void second_feature(const Vector& normal, SupportFeature& out) const {
        support_feature(pair_.second, transposed_times(pair_.second_axes, normal), shapes_.second_vertex(), out);
    }
    static bool is_flat(const SupportFeature& feature) { return feature.count >= 3 || feature.count == kDisc; }

    // Whether the last manifold may have been that of a face.
    bool may_face() const { return pair_.memory.feature != 0 || !shapes_.has_corners(); }

    // How far the second shape lies behind the first, seen along a normal.
    double separation(const Vector& normal) const {
        const Vector n = transposed_times(pair_.second_axes, normal);
        return dot(n, shapes_.lowest(n).position) - first_skin_ - second_skin_;
    }

    // The contact along the normal of a face that is turned as the last normal was. It is the contact, for as long as the deepest point lies
    // above that face: then the shapes are apart by nothing less, or come apart nowhere sooner, nearby. kUnknown where it does not.
    int along_face(const Vector& last) {
        SupportFeature first, second;
        second_feature(last, second);
        Vector normal = is_flat(second) ? pair_.second_axes * second.normal : last;
        first_feature(normal, first);
        if (!is_flat(first) && !is_flat(second)) return kUnknown;
        double gap = separation(normal);
        if (is_flat(first)) {
            const Vector other = -(pair_.first_axes * first.normal);
            const double along_other = separation(other);
            const double preference = pair_.memory.feature == kFirstIsReference ? -kEqualDepth : kEqualDepth;
            if (!is_flat(second) || along_other > gap + preference * size_) {
                normal = other;
                gap = along_other;
                if (!is_flat(second)) second_feature(normal, second);
            }
        }
        if (gap > pair_.margin) return pair_.apart(gap, normal);
        if (gap < -kShallow * size_) return kUnknown;
        const ContactPlane plane(normal);
        FeatureManifold manifold(pair_, plane);
        meet(first, second, plane, manifold);
        if (manifold.least() > gap + kEqualDepth * size_) return kUnknown;
        pair_.memory.nearest = 0;
        return manifold.write();
    }

    void meet(const SupportFeature& first, const SupportFeature& second, const ContactPlane& plane, FeatureManifold& out) const {
        FlatFeature above, below;
        flatten(first, pair_.first_axes, pair_.offset, -first_skin_, plane, above);
        flatten(second, pair_.second_axes, zero3<double>(), second_skin_, plane, below);
        out.collect(above, below);
    }

    int anywhere(const KnownNormal& known) {
        Vector normal;
        Touch touch;
        if (!nearest(known, pair_.margin, normal, touch)) return pair_.apart(touch.gap, normal);
        return contact(normal, touch);
    }

    ShapePair& pair_;
    const Difference shapes_;
    double first_skin_, second_skin_, size_;
};

inline int convex_convex(ShapePair& pair) { return ConvexPair(pair).collide(); }

}  // namespace geometry

KIDO_END
