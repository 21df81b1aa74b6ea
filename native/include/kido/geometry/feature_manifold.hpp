#pragma once

#include "kido/geometry/disc_contact.hpp"

// The contact of two features that face each other along a known normal: faces, discs, segments or points.

KIDO_BEGIN

namespace geometry {

// Cosines that differ by less are equal, and the face that was the reference stays it.
inline constexpr double kEqualAlignment = 1e-5;
inline constexpr int kFirstIsReference = 1, kSecondIsReference = 2;  // PairMemory::feature

class FeatureManifold {
public:
    FeatureManifold(ShapePair& pair, const ContactPlane& plane) : pair_(pair), plane_(plane) {}

    // Points where the features lie above each other and no farther apart than the margin; none where both are points, or cross.
    void collect(const FlatFeature& first, const FlatFeature& second) {
        if (first.count == kDisc || second.count == kDisc) {
            discs(first, second);
        } else if (is_face(first) || is_face(second)) {
            clip(first, second, first_is_reference(first, second));
        } else if (first.count == 2 && second.count == 2) {
            segments(first, second);
        }
    }

    int count() const { return count_; }
    // The smallest gap of the points.
    double least() const {
        double least = kNone;
        for (int k = 0; k < count_; ++k) least = min(least, points_[k].gap);
        return least;
    }

    // Adds the place where the shapes are known to be nearest to each other, or deepest in each other, where no point is as near.
    void complete(const Touch& touch) {
        const Vector &v = touch.on_second, d = v - touch.on_first;
        const double x = dot(plane_.x, v), y = dot(plane_.y, v);
        const double aside = count_ > 0 ? abs(points_[0].x - x) + abs(points_[0].y - y) : 0.0;
        if (least() <= touch.gap + kEqualDepth * max(aside, length(d))) return;
        points_[count_++] = {x, y, dot(plane_.normal, v), touch.gap, touch.feature};
    }

    int write() {
        pair_.memory.feature = reference_;
        return write_manifold(pair_, plane_, points_, count_);
    }

private:
    static constexpr double kNone = 1e300;

    static bool is_face(const FlatFeature& feature) { return feature.count >= 3 || feature.count == kWholePlane; }

    bool first_is_reference(const FlatFeature& first, const FlatFeature& second) const {
        if (first.count < 3 || second.count == kWholePlane) return false;
        if (second.count < 3) return true;
        const double preference = pair_.memory.feature == kSecondIsReference ? -kEqualAlignment : kEqualAlignment;
        return first.aligned + preference >= second.aligned;
    }

    void clip(const FlatFeature& first, const FlatFeature& second, bool first_is_reference) {
        const FlatFeature &face = first_is_reference ? first : second, &incident = first_is_reference ? second : first;
        reference_ = first_is_reference ? kFirstIsReference : kSecondIsReference;
        Clipper clipper;
        const int count = clipper.clip(incident, face, first_is_reference ? -1.0 : 1.0);
        const std::uint32_t pair = (first_is_reference ? 1U << 31 : 0U) | ((face.id * 181U + incident.id + 1U) & 0x1FFFFU) << 14;
        for (int k = 0; k < count; ++k) {
            const ClippedPoint& p = clipper.points()[k];
            const double other = face.height_at(p.x, p.y), low = first_is_reference ? p.height : other;
            const double gap = first_is_reference ? other - low : p.height - low;
            add({p.x, p.y, low, gap, pair | p.corner << 8 | p.cut});
        }
    }

    void discs(const FlatFeature& first, const FlatFeature& second) {
        const bool first_is_disc = first.count == kDisc;
        const FlatFeature &disc = first_is_disc ? first : second, &other = first_is_disc ? second : first;
        const bool flat = other.count != 1 && other.count != 2;
        const double turned = !flat ? 0.0 : first_is_disc ? 1.0 : -1.0;
        DiscContact contact(turned * (disc.slope_x - other.slope_x), turned * (disc.slope_y - other.slope_y));
        contact.meet(disc, other);
        for (int k = 0; k < contact.count(); ++k) {
            const DiscContact::Point& p = contact[k];
            const double mine = disc.height_at(p.x, p.y), its = flat ? other.height_at(p.x, p.y) : height_on(other, p.x, p.y);
            const double low = first_is_disc ? its : mine;
            add({p.x, p.y, low, first_is_disc ? mine - its : its - mine, (disc.id * 64U + other.id) << 10 | p.feature});
        }
    }

    // Of a segment or point.
    static double height_on(const FlatFeature& segment, double x, double y) {
        if (segment.count == 1) return segment.height[0];
        const double dx = segment.x[1] - segment.x[0], dy = segment.y[1] - segment.y[0];
        const double t = ((x - segment.x[0]) * dx + (y - segment.y[0]) * dy) / (dx * dx + dy * dy);
        return segment.height[0] + t * (segment.height[1] - segment.height[0]);
    }

    // Two segments that are about parallel: the ends of their common part. Where they do not lie exactly along each other, round
    // surfaces are farther apart than the segments.
    void segments(const FlatFeature& a, const FlatFeature& b) {
        const double ax = a.x[1] - a.x[0], ay = a.y[1] - a.y[0], bx = b.x[1] - b.x[0], by = b.y[1] - b.y[0];
        const double aa = ax * ax + ay * ay, bb = bx * bx + by * by, ab = ax * bx + ay * by, area = ax * by - ay * bx;
        if (area * area > kParallelSine * kParallelSine * aa * bb || aa * bb <= kUnderflow) return;
        // Places of b's ends on a.
        const double start = ((b.x[0] - a.x[0]) * ax + (b.y[0] - a.y[0]) * ay) / aa, end = start + ab / aa;
        const double low = max(0.0, min(start, end)), high = min(1.0, max(start, end));
        if (low >= high) return;
        const double round = a.round + b.round, bend = round > 0.0 ? 0.5 / round : 0.0;
        for (int k = 0; k < 2; ++k) {
            const double s = k == 0 ? low : high, t = min(max((s - start) / (end - start), 0.0), 1.0);
            const double height = b.height[0] + t * (b.height[1] - b.height[0]);
            const double above = a.height[0] + s * (a.height[1] - a.height[0]);
            const double x = b.x[0] + t * bx, y = b.y[0] + t * by, dx = x - a.x[0] - s * ax, dy = y - a.y[0] - s * ay;
            add({x, y, height, above - height + bend * (dx * dx + dy * dy), (a.id * 64U + b.id) << 2 | static_cast<std::uint32_t>(k + 1)});
        }
    }

    void add(const PlanePoint& point) {
        if (point.gap <= pair_.margin) points_[count_++] = point;
    }

    ShapePair& pair_;
    const ContactPlane& plane_;
    PlanePoint points_[DiscContact::kMostPoints + 1];
    int count_ = 0, reference_ = 0;
};

}  // namespace geometry

KIDO_END
