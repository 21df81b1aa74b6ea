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
    // `touch`: where the shapes are nearest to each other, or deepest in each other, along the normal.
    FeatureManifold(ShapePair& pair, const ContactPlane& plane, const Touch& touch)
        : pair_(pair), plane_(plane), touch_(touch) {}

    int build(const FlatFeature& first, const FlatFeature& second) {
        if (first.count == 1 || second.count == 1) return single();
        if (first.count == 2 && second.count == 2) {
            segments(first, second);
        } else if (first.count == kDisc || second.count == kDisc) {
            discs(first, second);
        } else {
            clip(first, second, first_is_reference(first, second));
        }
        if (count_ == 0) return single();
        complete();
        return write_manifold(pair_, plane_, points_, count_);
    }

private:
    int single() {
        pair_.memory.feature = 0;
        return pair_.single(plane_.normal, touch_);
    }

    bool first_is_reference(const FlatFeature& first, const FlatFeature& second) const {
        if (first.count == 2 || second.count == kWholePlane) return false;
        if (second.count == 2) return true;
        const double preference = pair_.memory.feature == kSecondIsReference ? -kEqualAlignment : kEqualAlignment;
        return first.aligned + preference >= second.aligned;
    }

    void clip(const FlatFeature& first, const FlatFeature& second, bool first_is_reference) {
        const FlatFeature &face = first_is_reference ? first : second, &incident = first_is_reference ? second : first;
        pair_.memory.feature = first_is_reference ? kFirstIsReference : kSecondIsReference;
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
        const double turned = first_is_disc ? 1.0 : -1.0;
        const bool segment = other.count == 2;
        DiscContact contact(segment ? 0.0 : turned * (disc.slope_x - other.slope_x),
                            segment ? 0.0 : turned * (disc.slope_y - other.slope_y));
        contact.meet(disc, other);
        pair_.memory.feature = kFirstIsReference;
        for (int k = 0; k < contact.count(); ++k) {
            const DiscContact::Point& p = contact[k];
            const double mine = disc.height_at(p.x, p.y), its = segment ? height_on(other, p.x, p.y) : other.height_at(p.x, p.y);
            const double low = first_is_disc ? its : mine;
            add({p.x, p.y, low, first_is_disc ? mine - its : its - mine, (disc.id * 64U + other.id) << 10 | p.feature});
        }
    }

    static double height_on(const FlatFeature& segment, double x, double y) {
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
        pair_.memory.feature = kFirstIsReference;
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

    // The deepest point is among them, even where features are chosen that do not have it.
    void complete() {
        double least = points_[0].gap;
        for (int k = 1; k < count_; ++k) least = min(least, points_[k].gap);
        const Vector v = touch_.on_second, d = v - touch_.on_first;
        const double size = kEqualDepth * (abs(points_[0].x - dot(plane_.x, v)) + abs(points_[0].y - dot(plane_.y, v)));
        if (least <= touch_.gap + max(size, kEqualDepth * length(d))) return;
        points_[count_++] = {dot(plane_.x, v), dot(plane_.y, v), dot(plane_.normal, v), touch_.gap, touch_.feature};
    }

    ShapePair& pair_;
    const ContactPlane& plane_;
    const Touch& touch_;
    PlanePoint points_[DiscContact::kMostPoints + 1];
    int count_ = 0;
};

}  // namespace geometry

KIDO_END
