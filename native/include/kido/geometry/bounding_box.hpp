#pragma once

#include <algorithm>

#include "kido/scalar/six_bounds.hpp"
#include "kido/spatial/vector.hpp"

// Boxes along the axes of the world.

KIDO_BEGIN

struct BoundingBox {
    Vec3<double> low, high;
};
static_assert(sizeof(BoundingBox) == 6 * sizeof(double), "six numbers, one after the other");

KIDO_INLINE Vec3<double> least(const Vec3<double>& a, const Vec3<double>& b) {
    return {std::min(a.x, b.x), std::min(a.y, b.y), std::min(a.z, b.z)};
}
KIDO_INLINE Vec3<double> greatest(const Vec3<double>& a, const Vec3<double>& b) {
    return {std::max(a.x, b.x), std::max(a.y, b.y), std::max(a.z, b.z)};
}
KIDO_INLINE BoundingBox united(const BoundingBox& a, const BoundingBox& b) {
    return {least(a.low, b.low), greatest(a.high, b.high)};
}
// A box grown by the same length on all sides.
KIDO_INLINE BoundingBox grown(const BoundingBox& box, double by) {
    const Vec3<double> d = {by, by, by};
    return {box.low - d, box.high + d};
}
// The box that holds all places of a box on its way along d.
KIDO_INLINE BoundingBox swept(const BoundingBox& box, const Vec3<double>& d) {
    const Vec3<double> zero = {0.0, 0.0, 0.0};
    return {box.low + least(d, zero), box.high + greatest(d, zero)};
}
// Half of the surface.
KIDO_INLINE double area(const BoundingBox& box) {
    const Vec3<double> d = box.high - box.low;
    return d.x * d.y + d.y * d.z + d.z * d.x;
}
// A box whose corners have changed places: it meets what it is asked for.
class BoxProbe {
public:
    explicit BoxProbe(const BoundingBox& box) : inside_out_{box.high, box.low} {}

    bool meets(const BoundingBox& other) const { return are_within(&other.low.x, &inside_out_.low.x); }

private:
    BoundingBox inside_out_;
};
KIDO_INLINE bool overlap(const BoundingBox& a, const BoundingBox& b) { return BoxProbe(b).meets(a); }
KIDO_INLINE bool contains(const BoundingBox& outer, const BoundingBox& inner) {
    return outer.low.x <= inner.low.x && outer.low.y <= inner.low.y && outer.low.z <= inner.low.z &&
           outer.high.x >= inner.high.x && outer.high.y >= inner.high.y && outer.high.z >= inner.high.z;
}

KIDO_END
