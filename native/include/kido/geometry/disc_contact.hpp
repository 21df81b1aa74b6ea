#pragma once

#include "kido/geometry/clip.hpp"

// Where a disc lies above another feature: points of its rim above that feature, crossings of rim and sides, and corners above the disc.

KIDO_BEGIN

namespace geometry {

// A disc as it is seen, an ellipse: center + first * cosine + second * sine.
struct FlatDisc {
    double x, y;
    double first_x, first_y, second_x, second_y;

    explicit FlatDisc(const FlatFeature& disc)
        : x(disc.x[0]), y(disc.y[0]), first_x(disc.x[1]), first_y(disc.y[1]), second_x(disc.x[2]), second_y(disc.y[2]) {}

    double radius2() const { return first_x * first_x + first_y * first_y; }
    double rim_x(double cosine, double sine) const { return x + (first_x * cosine + second_x * sine); }
    double rim_y(double cosine, double sine) const { return y + (first_y * cosine + second_y * sine); }

    // (u, v) in multiples of the two radii: 1 is the rim.
    bool covers(double u, double v, double tolerance) const {
        const double dx = u - x, dy = v - y, area = first_x * second_y - first_y * second_x;
        const double a = (dx * second_y - dy * second_x) / area, b = (first_x * dy - first_y * dx) / area;
        return a * a + b * b <= 1.0 + tolerance;
    }
};

class DiscContact {
public:
    static constexpr double kTilt = 2e-4;  // slope of the gap from which the deepest point of the rim is sought
    static constexpr int kMostPoints = 2 * kMostCorners + kMostCorners + 16;

    struct Point {
        double x, y;
        std::uint32_t feature;
    };

    // `slope_x`, `slope_y`: of the gap.
    DiscContact(double slope_x, double slope_y) : slope_x_(slope_x), slope_y_(slope_y) {}

    void meet(const FlatFeature& disc, const FlatFeature& other) {
        const FlatDisc round(disc);
        if (other.count == 1) {
            if (round.covers(other.x[0], other.y[0], kInside)) add(other.x[0], other.y[0], 1);
        } else if (other.count == 2) {
            segment(round, other);
        } else if (other.count == kDisc) {
            discs(round, FlatDisc(other));
        } else if (other.count == kWholePlane) {
            rim(round, 1, [](double, double) { return true; });
        } else {
            face(round, other);
        }
    }

    int count() const { return count_; }
    const Point& operator[](int k) const { return points_[k]; }

private:
    void add(double x, double y, std::uint32_t feature) {
        if (count_ < kMostPoints) points_[count_++] = {x, y, feature};
    }

    // Eight points from the deepest on, or from the disc's own axis where the gap is the same all around. Where all are covered, four.
    template <class Covered>
    void rim(const FlatDisc& disc, std::uint32_t feature, const Covered& covered) {
        static constexpr double half = 0.70710678118654752;
        static constexpr double angles[8][2] = {{1.0, 0.0},  {0.0, 1.0},   {-1.0, 0.0},   {0.0, -1.0},
                                                {half, half}, {-half, half}, {-half, -half}, {half, -half}};
        double cosine = -(disc.first_x * slope_x_ + disc.first_y * slope_y_);
        double sine = -(disc.second_x * slope_x_ + disc.second_y * slope_y_);
        const double size = sqrt(cosine * cosine + sine * sine);
        const bool tilted = size > kTilt * sqrt(disc.radius2());
        cosine = tilted ? cosine / size : 1.0;
        sine = tilted ? sine / size : 0.0;
        const int before = count_;
        for (std::uint32_t k = 0; k < 8; ++k) {
            if (k == 4 && count_ == before + 4) return;
            const double c = cosine * angles[k][0] - sine * angles[k][1], s = sine * angles[k][0] + cosine * angles[k][1];
            const double x = disc.rim_x(c, s), y = disc.rim_y(c, s);
            if (covered(x, y)) add(x, y, feature + k);
        }
    }

    void face(const FlatDisc& disc, const FlatFeature& face) {
        double area = 0.0;
        for (int k = 2; k < face.count; ++k) {
            area += (face.x[k - 1] - face.x[0]) * (face.y[k] - face.y[0]) - (face.y[k - 1] - face.y[0]) * (face.x[k] - face.x[0]);
        }
        const double turn = sign(area), tolerance = kInside * sqrt(disc.radius2());
        rim(disc, 1, [&](double x, double y) {
            bool inside = true;
            for (int k = 0; k < face.count; ++k) {
                inside = inside && ClippingLine(face, k, turn).outside({x, y, 0.0, 0, 0}) <= tolerance;
            }
            return inside;
        });
        for (int k = 0; k < face.count; ++k) {
            const auto name = static_cast<std::uint32_t>(k);
            if (disc.covers(face.x[k], face.y[k], kInside)) add(face.x[k], face.y[k], 33 + name);
            cross_side(disc, face, k, k + 1 == face.count ? 0 : k + 1, 128 + 2 * name);
        }
    }

    // Where the side from corner i to corner j crosses the rim.
    void cross_side(const FlatDisc& disc, const FlatFeature& face, int i, int j, std::uint32_t feature) {
        double low = 0.0, high = 1.0;
        if (!within(disc, face, i, j, low, high)) return;
        const double dx = face.x[j] - face.x[i], dy = face.y[j] - face.y[i];
        if (low > 0.0) add(face.x[i] + low * dx, face.y[i] + low * dy, feature);
        if (high < 1.0) add(face.x[i] + high * dx, face.y[i] + high * dy, feature + 1);
    }

    // The part of a side that the disc covers.
    static bool within(const FlatDisc& disc, const FlatFeature& face, int i, int j, double& low, double& high) {
        const double x = face.x[i] - disc.x, y = face.y[i] - disc.y, dx = face.x[j] - face.x[i], dy = face.y[j] - face.y[i];
        const double area = disc.first_x * disc.second_y - disc.first_y * disc.second_x;
        const double a = (x * disc.second_y - y * disc.second_x) / area, b = (disc.first_x * y - disc.first_y * x) / area;
        const double da = (dx * disc.second_y - dy * disc.second_x) / area, db = (disc.first_x * dy - disc.first_y * dx) / area;
        const double square = da * da + db * db, middle = -(a * da + b * db), inside = 1.0 - (a * a + b * b);
        const double root = middle * middle + square * inside;
        if (root <= 0.0 || square <= kUnderflow) return false;
        low = max(low, (middle - sqrt(root)) / square);
        high = min(high, (middle + sqrt(root)) / square);
        return low < high;
    }

    void segment(const FlatDisc& disc, const FlatFeature& segment) {
        double low = 0.0, high = 1.0;
        if (!within(disc, segment, 0, 1, low, high)) return;
        const double dx = segment.x[1] - segment.x[0], dy = segment.y[1] - segment.y[0];
        add(segment.x[0] + low * dx, segment.y[0] + low * dy, low > 0.0 ? 2 : 1);
        add(segment.x[0] + high * dx, segment.y[0] + high * dy, high < 1.0 ? 4 : 3);
    }

    void discs(const FlatDisc& first, const FlatDisc& second) {
        rim(first, 1, [&](double x, double y) { return second.covers(x, y, kInside); });
        rim(second, 17, [&](double x, double y) { return first.covers(x, y, kInside); });
        const double dx = second.x - first.x, dy = second.y - first.y, square = dx * dx + dy * dy;
        if (square <= kUnderflow) return;
        // Crossings of the rims, which are all but circles.
        const double along = 0.5 * (square + first.radius2() - second.radius2()) / square;
        const double across = first.radius2() / square - along * along;
        if (across <= 0.0) return;
        const double aside = sqrt(across), x = first.x + along * dx, y = first.y + along * dy;
        add(x - aside * dy, y + aside * dx, 31);
        add(x + aside * dy, y - aside * dx, 32);
    }

    double slope_x_, slope_y_;
    int count_ = 0;
    Point points_[kMostPoints];
};

}  // namespace geometry

KIDO_END
