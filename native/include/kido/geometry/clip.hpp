#pragma once

#include "kido/geometry/contact_plane.hpp"

// Where two features lie above each other: corners of the part of one that a face of the other covers (Sutherland and Hodgman,
// "Reentrant polygon clipping", Communications of the ACM 17, 1974).

KIDO_BEGIN

namespace geometry {

inline constexpr double kInside = 1e-4;  // of a face's extent: points that are this far outside count as inside

// A corner of what is clipped.
struct ClippedPoint {
    double x, y, height;
    std::uint32_t corner;  // of the incident feature; where a side was cut, the one that begins it
    std::uint32_t cut;     // 0 of a corner that was there, else by which side of the face, and whether there or back
};

// The line through corners k and k + 1 of a face; positive outside. `turn`: 1 where corners stand counterclockwise as they are
// seen, else -1.
struct ClippingLine {
    double x, y, offset;

    ClippingLine(const FlatFeature& face, int k, double turn) {
        const int next = k + 1 == face.count ? 0 : k + 1;
        const double dx = face.x[next] - face.x[k], dy = face.y[next] - face.y[k], square = dx * dx + dy * dy;
        const double scale = square > kUnderflow ? turn / sqrt(square) : 0.0;
        x = dy * scale;
        y = -dx * scale;
        offset = x * face.x[k] + y * face.y[k];
    }

    double outside(const ClippedPoint& p) const { return x * p.x + y * p.y - offset; }
};

class Clipper {
public:
    // Clips a point, segment or face. The points that are left, if any, live as long as this.
    int clip(const FlatFeature& incident, const FlatFeature& face, double turn) {
        tolerance_ = kInside * extent(face);
        if (incident.count == 1) return point(incident, face, turn);
        return incident.count == 2 ? segment(incident, face, turn) : polygon(incident, face, turn);
    }
    const ClippedPoint* points() const { return from_; }

    static constexpr int kMostPoints = 2 * kMostCorners;

private:
    static double extent(const FlatFeature& face) {
        double largest = 0.0;
        for (int k = 1; k < face.count; ++k) {
            largest = max(largest, abs(face.x[k] - face.x[0]) + abs(face.y[k] - face.y[0]));
        }
        return largest;
    }

    static ClippedPoint corner(const FlatFeature& feature, int k) {
        return {feature.x[k], feature.y[k], feature.height[k], static_cast<std::uint32_t>(k), 0};
    }

    static ClippedPoint between(const ClippedPoint& p, const ClippedPoint& q, double share, int cut) {
        return {p.x + share * (q.x - p.x), p.y + share * (q.y - p.y), p.height + share * (q.height - p.height), p.corner,
                static_cast<std::uint32_t>(cut)};
    }

    int point(const FlatFeature& incident, const FlatFeature& face, double turn) {
        from_[0] = corner(incident, 0);
        for (int side = 0; side < face.count; ++side) {
            if (ClippingLine(face, side, turn).outside(from_[0]) > tolerance_) return 0;
        }
        return 1;
    }

    int polygon(const FlatFeature& incident, const FlatFeature& face, double turn) {
        int count = incident.count;
        for (int k = 0; k < count; ++k) from_[k] = corner(incident, k);
        for (int side = 0; side < face.count && count > 0; ++side) {
            const ClippingLine line(face, side, turn);
            double outside[kMostPoints], largest = 0.0;
            for (int k = 0; k < count; ++k) {
                outside[k] = line.outside(from_[k]);
                largest = max(largest, outside[k]);
            }
            if (largest > tolerance_) count = cut(count, outside, side);
        }
        return count;
    }

    // Cuts off what lies outside one side.
    int cut(int count, const double* outside, int side) {
        int kept = 0;
        for (int k = 0; k < count; ++k) {
            const int next = k + 1 == count ? 0 : k + 1;
            const bool leaves = outside[k] < 0.0 && outside[next] > tolerance_;
            const bool enters = outside[k] > tolerance_ && outside[next] < 0.0;
            if (outside[k] <= tolerance_ && kept < kMostPoints) to_[kept++] = from_[k];
            if ((leaves || enters) && kept < kMostPoints) {
                const double share = outside[k] / (outside[k] - outside[next]);
                to_[kept++] = between(from_[k], from_[next], share, 2 * side + (leaves ? 1 : 2));
            }
        }
        ClippedPoint* const done = from_;
        from_ = to_;
        to_ = done;
        return kept;
    }

    int segment(const FlatFeature& incident, const FlatFeature& face, double turn) {
        const ClippedPoint start = corner(incident, 0), end = corner(incident, 1);
        double low = 0.0, high = 1.0;
        int low_cut = 0, high_cut = 0;
        for (int side = 0; side < face.count; ++side) {
            const ClippingLine line(face, side, turn);
            const double first = line.outside(start), second = line.outside(end);
            if (first > tolerance_ && second > tolerance_) return 0;
            if (first <= tolerance_ && second <= tolerance_) continue;
            const double share = min(first / (first - second), 1.0);
            if (first > second && share > low) {
                low = share;
                low_cut = side + 1;
            } else if (first < second && share < high) {
                high = max(share, 0.0);
                high_cut = side + 1;
            }
        }
        if (low > high) return 0;
        from_[0] = between(start, end, low, low_cut);
        from_[1] = between(start, end, high, high_cut);
        from_[1].corner = 1;
        return 2;
    }

    ClippedPoint buffers_[2][kMostPoints];
    ClippedPoint *from_ = buffers_[0], *to_ = buffers_[1];
    double tolerance_ = 0.0;
};

}  // namespace geometry

KIDO_END
