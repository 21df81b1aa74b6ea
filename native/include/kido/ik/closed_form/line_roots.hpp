#pragma once

#include "kido/ik/closed_form/trig_roots.hpp"

// Places along a line: subproblems of a prismatic joint. They are quadratic equations, and quartic ones where two
// axes rotate the prismatic one.

KIDO_BEGIN

namespace closed_form {

// Up to two places [m]; where they nearly meet, the one between as well, for it is better known than either.
struct Places {
    double at[3];
    int count;
    double excess;  // relative; at most kRounding: there is a solution
};

inline constexpr double kMeeting = 1e-13;  // relative square of half a gap below which two places nearly meet
inline constexpr double kFarthest = 1e9;   // relative; places beyond are none

// Places t where x + k t is as far from y as told; `k` is a unit vector.
KIDO_INLINE Places at_sphere(const Point& k, const Point& x, const Point& y, double distance, double size) {
    const double middle = dot(k, y - x);
    const double aside = length(x + k * middle - y);
    const Gap gap(distance - aside, distance + aside, size);
    if (gap.value <= 0.0) return {{middle}, 1, gap.excess};
    const double half = sqrt(gap.value);
    return {{middle + half, middle - half, middle}, gap.value <= kMeeting * square(size) ? 3 : 2, 0.0};
}

// Places t where |p - b t| = |c + d t|; `otherwise` where every t would do.
inline Places equally_long(const Point& p, const Point& b, const Point& c, const Point& d, double size,
                           double otherwise) {
    const double scale = 1.0 / size;
    const double second = dot(b - d, b + d), first = -(dot(p, b) + dot(c, d)) * scale;
    const double rest = dot(p - c, p + c) * square(scale);
    if (abs(second) <= kLost) {
        if (abs(first) <= kLost) return {{otherwise}, 1, max(0.0, abs(rest) - kLost)};
        return {{-0.5 * rest / first * size}, 1, 0.0};
    }
    const double decides = first * first - second * rest, middle = -first / second * size;
    if (decides <= 0.0) return {{middle}, 1, -decides / abs(second)};
    const double larger = first > 0.0 ? -(first + sqrt(decides)) : sqrt(decides) - first;
    Places places{{rest / larger * size}, 1, 0.0};
    if (abs(larger) <= kFarthest * abs(second)) places.at[places.count++] = larger / second * size;
    if (decides <= kMeeting * square(second)) places.at[places.count++] = middle;
    return places;
}

// Real roots of a quartic, where it only touches zero too. Where there is none and `nearest`, those where it comes
// closest to zero. Four at most.
inline int roots_on_line(const double (&p)[5], bool nearest, double* roots) {
    constexpr double touching = 1e-10, separation = 1e-4;
    const double slope[4] = {p[1], 2.0 * p[2], 3.0 * p[3], 4.0 * p[4]};
    const double size[5] = {abs(p[0]), abs(p[1]), abs(p[2]), abs(p[3]), abs(p[4])};
    double bound = 0.0, extrema[6];
    for (int k = 0; k < 4; ++k) bound = max(bound, abs(p[k] / p[4]));
    if (!is_finite(bound)) return 0;
    const int crossings = real_roots(p, 4, bound + 1.0, roots);
    int count = crossings;
    const int turning = real_roots(slope, 3, bound + 1.0, extrema);
    for (int k = 0; k < turning; ++k) {
        const double t = extrema[k];
        bool counts = nearest && crossings == 0;
        counts = counts || abs(value_of(p, 4, t)) <= touching * value_of(size, 4, max(1.0, abs(t)));
        for (int j = 0; j < crossings; ++j) counts = counts && abs(roots[j] - t) > separation;
        if (counts && count < 4) roots[count++] = t;
    }
    return count;
}

}  // namespace closed_form

KIDO_END
