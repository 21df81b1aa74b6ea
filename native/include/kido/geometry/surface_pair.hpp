#pragma once

#include "kido/geometry/surface_contact.hpp"
#include "kido/geometry/triangle_solid.hpp"

// Two surfaces of triangles: what lies behind each triangle of the first one meets the second as a convex shape does.

KIDO_BEGIN

namespace geometry {

// Everything in the second surface's axes, about its origin.
template <class First, class Second>
class SurfacePair {
public:
    SurfacePair(const First& first, const Second& second, const Axes& axes, const Vector& offset, double radius, double margin)
        : first_(first), second_(second), axes_(axes), offset_(offset), margin_(margin), size_(kSize * radius), lower_bound_(margin + kAhead),
          groups_(radius, false) {}

    void find() {
        const BoundingBox box = grown(second_.bounds(), margin_ + kAhead);
        const Vector half = (box.high - box.low) * 0.5, middle = transposed_times(axes_, (box.low + box.high) * 0.5 - offset_);
        const Axes turned = transpose(axes_);
        const Vector reach = absolute(turned.x) * half.x + absolute(turned.y) * half.y + absolute(turned.z) * half.z;
        first_.for_near({middle - reach, middle + reach}, [&](const Triangle& t) { visit(t); });
        groups_.drop_longer_ways();
    }

    // Lower bound of the distance where there is no contact.
    double lower_bound() const { return lower_bound_; }
    int write(ContactManifold* out, int capacity) { return groups_.write(out, capacity); }

private:
    static constexpr double kAhead = 5e-3;   // beyond the margin, in which distances are still bounded [m]
    static constexpr double kSize = 0.1;     // of the first surface's radius: length that tolerances refer to
    static constexpr double kFacing = 0.1;   // greatest cosine of the angle between a normal of contact and that of a triangle it presses on

    void visit(const Triangle& t) {
        const TriangleSolid solid(first_, t, size_);
        SurfaceContact contact(second_, solid.shape(), axes_, offset_, margin_);
        contact.find();
        ContactManifold found[ManifoldGroups::kMostGroups];
        const int count = contact.write(found, ManifoldGroups::kMostGroups);
        if (count == 0) lower_bound_ = min(lower_bound_, contact.lower_bound());
        const Vector outward = axes_ * t.normal;
        for (int k = 0; k < count; ++k) {
            if (dot(vector(found[k].normal), outward) > kFacing) continue;
            lower_bound_ = min(lower_bound_, margin_);
            // Features are those of single triangles: points are matched by their places.
            for (int i = 0; i < found[k].count; ++i) found[k].points[i].feature = kNoFeature;
            groups_.add(found[k], found[k].part);
        }
    }

    const First& first_;
    const Second& second_;
    Axes axes_;
    Vector offset_;
    double margin_, size_, lower_bound_;
    ManifoldGroups groups_;
};

// The manifolds of a mesh and a mesh or height field; of kNoCapacity at most.
inline int surface_surface(ShapePair& pair, ContactManifold* out, int capacity) {
    const Axes axes = transpose(pair.second_axes) * pair.first_axes;
    const Vector offset = transposed_times(pair.second_axes, pair.offset);
    const MeshSurface first(*pair.first.mesh);
    return with_surface(pair.second, [&](const auto& second) {
        SurfacePair contact(first, second, axes, offset, pair.first.radius, pair.margin);
        contact.find();
        const int count = contact.write(out, capacity);
        for (int k = 0; k < count; ++k) in_world(pair, out[k]);
        if (count == 0) pair.memory.gap = contact.lower_bound();
        return count;
    });
}

}  // namespace geometry

KIDO_END
