#pragma once

#include "kido/geometry/shape_pair.hpp"

// The fifteen directions that may separate two boxes: normals of faces of the first (1 to 3) and of the second (4 to 6), and common
// normals of two edges (7 to 15). Gottschalk, Lin and Manocha, "OBBTree", SIGGRAPH 1996, section 5.

KIDO_BEGIN

namespace geometry {

inline constexpr double kLastAxis = 2e-3;   // of the smaller box's size: by so much the last axis is preferred
inline constexpr double kFaceOverEdge = 1e-2;  // and a face to two edges, whose contact is a single point
inline constexpr double kParallelEdges = 1e-6;  // sine of their angle, squared

// Two boxes, each seen from the other.
struct BoxPair {
    const double *a, *b;       // half extents
    double cosine[3][3];       // of axis i of the first and axis j of the second
    double absolute[3][3];
    double in_first[3], in_second[3];  // from the second center to the first, in the axes of each
    double size;               // least half extent

    explicit BoxPair(const ShapePair& pair) : a(pair.first.size), b(pair.second.size) {
        size = min(min(a[0], min(a[1], a[2])), min(b[0], min(b[1], b[2])));
        for (int i = 0; i < 3; ++i) {
            const Vector u = axis(pair.first_axes, i);
            in_first[i] = dot(u, pair.offset);
            in_second[i] = dot(axis(pair.second_axes, i), pair.offset);
            for (int j = 0; j < 3; ++j) {
                cosine[i][j] = dot(u, axis(pair.second_axes, j));
                absolute[i][j] = abs(cosine[i][j]);
            }
        }
    }

    double over_first(int i) const {
        const double* q = absolute[i];
        return abs(in_first[i]) - (a[i] + (q[0] * b[0] + q[1] * b[1] + q[2] * b[2]));
    }
    double over_second(int j) const {
        return abs(in_second[j]) - (b[j] + (absolute[0][j] * a[0] + absolute[1][j] * a[1] + absolute[2][j] * a[2]));
    }
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
            if (consider(1 + i, boxes_.over_first(i), 0.0)) return best_;
        }
        for (int j = 0; j < 3; ++j) {
            if (consider(4 + j, boxes_.over_second(j), 1e-9 * boxes_.size)) return best_;
        }
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) {
                if (consider_edges(i, j)) return best_;
            }
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

    KIDO_INLINE bool consider_edges(int i, int j) {
        const BoxPair& p = boxes_;
        const double sine2 = 1.0 - p.cosine[i][j] * p.cosine[i][j];
        if (sine2 < kParallelEdges) return false;
        const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
        const double distance = abs(p.in_first[i2] * p.cosine[i1][j] - p.in_first[i1] * p.cosine[i2][j]);
        const double reach = (p.a[i1] * p.absolute[i2][j] + p.a[i2] * p.absolute[i1][j]) +
                             (p.b[j1] * p.absolute[i][j2] + p.b[j2] * p.absolute[i][j1]);
        const double scaled = distance - reach, handicap = kFaceOverEdge * p.size;
        // Divided by the sine, a negative value only becomes less.
        if (scaled <= 0.0 && scaled - handicap + kLastAxis * p.size < best_value_) return false;
        return consider(7 + 3 * i + j, scaled / sqrt(sine2), handicap);
    }

    const BoxPair& boxes_;
    double margin_;
    int last_;
    double best_value_ = -1e300;
    BoxAxis best_{0, 0.0};
};

}  // namespace geometry

KIDO_END
