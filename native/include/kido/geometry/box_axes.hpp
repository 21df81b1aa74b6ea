#pragma once

#include "kido/geometry/shape_pair.hpp"
#include "kido/scalar/lanes.hpp"

// The fifteen directions that may separate two boxes: normals of faces of the first (1 to 3) and of the second (4 to 6), and common
// normals of two edges (7 to 15). Gottschalk, Lin and Manocha, "OBBTree", SIGGRAPH 1996, section 5.

KIDO_BEGIN

namespace geometry {

inline constexpr double kLastAxis = 2e-3;   // of the smaller box's size: by so much the last axis is preferred
inline constexpr double kFaceOverEdge = 1e-2;  // and a face to two edges, whose contact is a single point
inline constexpr double kParallelEdges = 1e-6;  // sine of their angle, squared

// Two boxes, each seen from the other. Of lanes, three stand for the axes of a box; the last is zero.
struct BoxPair {
    using Three = Lanes<4>;

    const double *a, *b;               // half extents
    alignas(32) double cosine[3][4];   // of axis i of the first and axis j of the second
    alignas(32) double in_first[4], in_second[4];  // from the second center to the first, in the axes of each
    Three rows[3], absolute[3];        // cosines, and their absolute values, by axes of the first; lanes: of the second
    double size;                       // least half extent

    explicit BoxPair(const ShapePair& pair) : a(pair.first.size), b(pair.second.size) {
        size = min(min(a[0], min(a[1], a[2])), min(b[0], min(b[1], b[2])));
        const Vec3<Three> u = across(pair.first_axes), v = across(pair.second_axes);
        for (int i = 0; i < 3; ++i) {
            const Vector p = axis(pair.first_axes, i);
            rows[i] = along(v, p);
            absolute[i] = abs(rows[i]);
            std::memcpy(cosine[i], &rows[i].v, sizeof cosine[i]);
        }
        const Three first = along(u, pair.offset), second = along(v, pair.offset);
        std::memcpy(in_first, &first.v, sizeof in_first);
        std::memcpy(in_second, &second.v, sizeof in_second);
        const Three turned[3] = {abs(along(u, pair.second_axes.x)), abs(along(u, pair.second_axes.y)), abs(along(u, pair.second_axes.z))};
        over_first = abs(first) - (three(a[0], a[1], a[2]) + (turned[0] * b[0] + turned[1] * b[1] + turned[2] * b[2]));
        over_second = abs(second) - (three(b[0], b[1], b[2]) + (absolute[0] * a[0] + absolute[1] * a[1] + absolute[2] * a[2]));
    }

    // Of edges i of the first and all of the second: how far apart the boxes are along what is normal to both, times the sine of their angle.
    Three over_edges(int i) const {
        const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
        const Three distance = abs(in_first[i2] * rows[i1] - in_first[i1] * rows[i2]);
        const Three next = shuffled<1, 2, 0, 3>(absolute[i]), last = shuffled<2, 0, 1, 3>(absolute[i]);
        const Three reach = (a[i1] * absolute[i2] + a[i2] * absolute[i1]) + (three(b[1], b[2], b[0]) * last + three(b[2], b[0], b[1]) * next);
        return distance - reach;
    }

    Three over_first, over_second;  // how far apart the boxes are along the normals of their faces [m]

private:
    static Three three(double x, double y, double z) {
        Three t;
        set_lane(t, 0, x);
        set_lane(t, 1, y);
        set_lane(t, 2, z);
        set_lane(t, 3, 0.0);
        return t;
    }
    // The axes side by side.
    static Vec3<Three> across(const Axes& m) {
        return {three(m.x.x, m.y.x, m.z.x), three(m.x.y, m.y.y, m.z.y), three(m.x.z, m.y.z, m.z.z)};
    }
    static Three along(const Vec3<Three>& axes, const Vector& v) { return v.x * axes.x + v.y * axes.y + v.z * axes.z; }
};

// The direction along which two boxes are farthest apart, or least deep in each other.
struct BoxAxis {
    int index;
    double separation;
};

class BoxAxisSearch {
public:
    // `last`: the direction of the last contact, 0 if there was none.
    BoxAxisSearch(const BoxPair& boxes, double margin, int last) : boxes_(boxes), margin_(margin), last_(last) {}

    // The best direction; or the first along which the boxes are farther apart than the margin.
    BoxAxis find() {
        for (int i = 0; i < 3; ++i) {
            if (consider(1 + i, get_lane(boxes_.over_first, i), 0.0)) return best_;
        }
        for (int j = 0; j < 3; ++j) {
            if (consider(4 + j, get_lane(boxes_.over_second, j), 1e-9 * boxes_.size)) return best_;
        }
        for (int i = 0; i < 3; ++i) {
            if (consider_edges(i)) return best_;
        }
        return best_;
    }

private:
    // Whether the search is over.
    KIDO_INLINE bool consider(int index, double separation, double handicap) {
        if (separation > margin_) {
            best_ = {index, separation};
            return true;
        }
        const double value = separation - handicap + (index == last_ ? kLastAxis * boxes_.size : 0.0);
        if (value > best_value_) {
            best_value_ = value;
            best_ = {index, separation};
        }
        return false;
    }

    // Edges i of the first box.
    bool consider_edges(int i) {
        const BoxPair& p = boxes_;
        const double handicap = kFaceOverEdge * p.size;
        const Lanes<4> scaled = p.over_edges(i);
        // Divided by the sine, a negative value only becomes less.
        const unsigned better = lane_bits((scaled > 0.0) | (scaled >= best_value_ + handicap - kLastAxis * p.size)) & 7U;
        if (better == 0) return false;
        for (int j = 0; j < 3; ++j) {
            const double sine2 = 1.0 - p.cosine[i][j] * p.cosine[i][j];
            if (!(better >> j & 1U) || sine2 < kParallelEdges) continue;
            if (consider(7 + 3 * i + j, get_lane(scaled, j) / sqrt(sine2), handicap)) return true;
        }
        return false;
    }

    const BoxPair& boxes_;
    double margin_;
    int last_;
    double best_value_ = -1e300;
    BoxAxis best_{0, 0.0};
};

}  // namespace geometry

KIDO_END
