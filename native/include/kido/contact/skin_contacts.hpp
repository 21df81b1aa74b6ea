#pragma once

#include "kido/batch/kernel_table.hpp"
#include "kido/contact/collider_set.hpp"
#include "kido/contact/skin_surface.hpp"

// Contacts of faces: what a surface of triangles finds, point by point, with the triangle of each.

KIDO_BEGIN

extern const GeometryKernels geometry_kernels;

class SkinContacts {
public:
    void begin_step(std::size_t skins) {
        placed_.resize(skins);
        for (PlacedSkin& skin : placed_) skin.fresh = false;
    }
    // Where a skin is in this step.
    PlacedSkin& placed(const ColliderSet& colliders, int skin, const BodyRows& rows) {
        placed_[skin].place(colliders.skins()[skin], rows);
        return placed_[skin];
    }
    // Manifolds of a pair one of which is a skin, at most `capacity`, up to a distance `margin`. Where corners of the skin are touched,
    // their own balls have contacts up to `near`.
    int find(const PlacedCollider& first, const PlacedCollider& second, const ColliderSet& colliders, const BodyRows& rows, double margin,
             double near, PairMemory& memory, ContactManifold* out, int capacity) {
        const bool turned = second.skin >= 0;
        const SkinSurface& skin = colliders.skins()[turned ? second.skin : first.skin];
        const PlacedSkin& placed = this->placed(colliders, turned ? second.skin : first.skin, rows);
        const PlacedCollider& other = turned ? first : second;
        const int row = other.collider.body;
        if (skin.has_point(row)) return meet_own(skin, placed, row, vec3(rows.poses[row].v), margin, turned, out);
        const ColliderPose pose(other, rows.poses);
        ContactManifold found[kMost];
        const int count = turned ? geometry_kernels.collide(*other.collider.shape, pose, placed.shape(), placed.pose(), margin + skin.radius,
                                                            memory, found, kMost)
                                 : geometry_kernels.collide(placed.shape(), placed.pose(), *other.collider.shape, pose,
                                                            margin + skin.radius, memory, found, kMost);
        int taken = 0;
        for (int i = 0; i < count; ++i) {
            for (int k = 0; k < found[i].count && taken < capacity; ++k) {
                taken += take(skin, placed, rows, vec3(found[i].normal), found[i].points[k], near, turned, out, taken);
            }
        }
        return taken;
    }
    // Whether a point of the skin would be near a triangle of it that it is no corner of, at a place.
    static bool is_near_own(const SkinSurface& skin, const PlacedSkin& placed, int row, const Vec3<double>& place, double margin) {
        ContactManifold found;
        return meet_own(skin, placed, row, place, margin, false, &found) > 0;
    }

private:
    static constexpr int kMost = 16;
    static constexpr double kNoDistance = 1e-9;  // of the radius
    static constexpr double kAtCorner = 0.1;  // of the radius: this near to a point of the skin its ball touches

    // Writes the manifold of a point of the skin and the triangle of it that it comes nearest to, of those it is no corner of.
    static int meet_own(const SkinSurface& skin, const PlacedSkin& placed, int row, const Vec3<double>& p, double margin, bool turned,
                        ContactManifold* out) {
        const Vec3<double> origin = vec3(placed.pose());
        double least = margin;
        int found = 0;
        placed.for_near(p, margin + 2.0 * skin.radius, [&](const geometry::Triangle& t) {
            const double apart = skin.nearest(row - skin.first_row, t.index);
            const Vec3<double> q = origin + geometry::nearest_on_triangle(t, p - origin), d = p - q;
            const double distance = geometry::length(d), gap = distance - apart;
            if (apart < 0.0 || !(gap < least)) return;
            const Vec3<double> up = distance > kNoDistance * skin.radius ? d * (1.0 / distance) : t.normal;
            const Vec3<double> on_point = p - up * (0.5 * apart), on_face = q + up * (0.5 * apart);
            least = gap;
            found = 1;
            write3(out->normal, turned ? up : -up);
            out->count = 1;
            out->part = FacePart::part(t.index, 0);
            write3(out->points[0].on_first, turned ? on_point : on_face);
            write3(out->points[0].on_second, turned ? on_face : on_point);
            out->points[0].gap = gap;
            out->points[0].feature = 0;
        });
        return found;
    }

    // Writes a point's manifold, unless the ball of a corner has it; returns how many were written.
    static int take(const SkinSurface& skin, const PlacedSkin& placed, const BodyRows& rows, const Vec3<double>& normal, ContactPoint point,
                    double near, bool turned, ContactManifold* out, int taken) {
        double* const on_skin = turned ? point.on_second : point.on_first;
        const Vec3<double> place = vec3(on_skin);
        const int triangle = placed.triangle_at(place);
        for (int k = 0; k < 3 && point.gap - skin.radius <= near; ++k) {
            const Vec3<double> d = skin.corner(rows.poses, triangle, k) - place;
            if (dot(d, d) <= kAtCorner * kAtCorner * skin.radius * skin.radius) return 0;
        }
        int number = 0;
        for (int i = 0; i < taken; ++i) number += FacePart::triangle(out[i].part) == triangle;
        if (number == FacePart::kMost) return 0;
        write3(on_skin, place + normal * (turned ? skin.radius : -skin.radius));
        point.gap -= skin.radius;
        point.feature = 0;
        ContactManifold& manifold = out[taken];
        write3(manifold.normal, normal);
        manifold.count = 1;
        manifold.part = FacePart::part(triangle, number);
        manifold.points[0] = point;
        return 1;
    }

    std::vector<PlacedSkin> placed_;
};

KIDO_END
