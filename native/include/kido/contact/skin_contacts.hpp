#pragma once

#include "kido/batch/kernel_table.hpp"
#include "kido/contact/collider_set.hpp"
#include "kido/contact/skin_surface.hpp"
#include "kido/geometry/shape_bounds.hpp"
#include "kido/geometry/triangle_hull.hpp"

// Contacts of faces: what a surface of triangles finds, point by point, with the triangle of each. A closed surface has an outside, and
// touches as a mesh does; of an open one each triangle touches by itself, from both sides.

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
    // Writes the manifolds of a pair one of which is a skin, up to a distance `margin`, and returns their number. Where corners of the
    // skin are touched, their own balls have contacts up to `near`.
    int find(const PlacedCollider& first, const PlacedCollider& second, const ColliderSet& colliders, const BodyRows& rows, double margin,
             double near, PairMemory& memory, std::vector<ContactManifold>& out) {
        const bool turned = second.skin >= 0;
        const SkinSurface& skin = colliders.skins()[turned ? second.skin : first.skin];
        const PlacedSkin& placed = this->placed(colliders, turned ? second.skin : first.skin, rows);
        const PlacedCollider& other = turned ? first : second;
        const int row = other.collider.body;
        if (skin.has_point(row)) return meet_own(skin, placed, row, vec3(rows.poses[row].v), margin, turned, out.data());
        const ColliderPose pose(other, rows.poses);
        const Shapes shapes{placed, *other.collider.shape, pose, turned};
        Taken taken{skin, rows, near, turned, out, 0};
        if (skin.closed) {
            find_closed(shapes, margin + skin.radius, memory, [&](const ContactManifold& m, const ContactPoint& point) {
                taken.add(placed.triangle_at(vec3(turned ? point.on_second : point.on_first)), m, point);
            });
        } else {
            find_open(shapes, margin + skin.radius, [&](int triangle, const ContactManifold& m, const ContactPoint& point) {
                taken.add(triangle, m, point);
            });
        }
        return taken.count;
    }
    // Whether a ball at a pose is no farther from the faces than `margin`; `row`: its body.
    static bool is_near(const SkinSurface& skin, const PlacedSkin& placed, const CollisionShape& ball, int row, const double* pose,
                        double margin) {
        ContactManifold found;
        if (skin.has_point(row)) return meet_own(skin, placed, row, vec3(pose), margin, false, &found) > 0;
        bool any = false;
        const Shapes shapes{placed, ball, pose, false};
        PairMemory none{};
        if (skin.closed) find_closed(shapes, margin + skin.radius, none, [&](const auto&, const auto&) { any = true; });
        else find_open(shapes, margin + skin.radius, [&](int, const auto&, const auto&) { any = true; });
        return any;
    }

private:
    static constexpr int kMost = 16;
    static constexpr double kPlate = 0.1;         // of a side: length that tolerances of a triangle refer to
    static constexpr double kNoDistance = 1e-9;   // of the radius
    static constexpr double kAtCorner = 0.1;      // of the radius: this near to a point of the skin its ball touches

    // A skin and another shape, which is the first of the pair where it is turned.
    struct Shapes {
        const PlacedSkin& placed;
        const CollisionShape& other;
        const double* pose;  // of the other one
        bool turned;

        int collide(const CollisionShape& faces, double margin, PairMemory& memory, ContactManifold* out) const {
            return turned ? geometry_kernels.collide(other, pose, faces, placed.pose(), margin, memory, out, kMost)
                          : geometry_kernels.collide(faces, placed.pose(), other, pose, margin, memory, out, kMost);
        }
    };
    // The manifolds of a pair, one for each point.
    struct Taken {
        const SkinSurface& skin;
        const BodyRows& rows;
        double near;
        bool turned;
        std::vector<ContactManifold>& out;
        int count;

        // Unless the ball of a corner has it.
        void add(int triangle, const ContactManifold& found, ContactPoint point) {
            const Vec3<double> normal = vec3(found.normal);
            double* const on_skin = turned ? point.on_second : point.on_first;
            const Vec3<double> place = vec3(on_skin);
            for (int k = 0; k < 3 && point.gap - skin.radius <= near; ++k) {
                const Vec3<double> d = skin.corner(rows.poses, triangle, k) - place;
                if (dot(d, d) <= kAtCorner * kAtCorner * skin.radius * skin.radius) return;
            }
            int number = 0;
            for (int i = 0; i < count; ++i) number += FacePart::triangle(out[i].part) == triangle;
            if (number == FacePart::kMost) return;
            write3(on_skin, place + normal * (turned ? skin.radius : -skin.radius));
            point.gap -= skin.radius;
            point.feature = 0;
            if (static_cast<std::size_t>(count) == out.size()) out.resize(2 * out.size());
            ContactManifold& manifold = out[count++];
            write3(manifold.normal, normal);
            manifold.count = 1;
            manifold.part = FacePart::part(triangle, number);
            manifold.points[0] = point;
        }
    };

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

    // Calls f(manifold, point) for what a closed surface finds.
    template <class F>
    static void find_closed(const Shapes& shapes, double margin, PairMemory& memory, const F& f) {
        ContactManifold found[kMost];
        const int count = shapes.collide(shapes.placed.shape(), margin, memory, found);
        for (int i = 0; i < count; ++i) {
            for (int k = 0; k < found[i].count; ++k) f(found[i], found[i].points[k]);
        }
    }
    // Calls f(triangle, manifold, point) for what the triangles of an open surface find, as plates without thickness.
    template <class F>
    static void find_open(const Shapes& shapes, double margin, const F& f) {
        const Vec3<double> origin = vec3(shapes.placed.pose());
        double about[12];
        std::copy_n(shapes.pose, 12, about);
        write3(about, vec3(shapes.pose) - origin);
        shapes.placed.for_in(grown(bounds_of(shapes.other, about), margin), [&](const geometry::Triangle& t) {
            const geometry::TriangleHull hull(t, kPlate * geometry::length(t.corner[1] - t.corner[0]));
            PairMemory memory{};
            ContactManifold found[kMost];
            const int count = shapes.collide(hull.shape(), margin, memory, found);
            for (int i = 0; i < count; ++i) {
                for (int k = 0; k < found[i].count; ++k) f(t.index, found[i], found[i].points[k]);
            }
        });
    }

    std::vector<PlacedSkin> placed_;
};

KIDO_END
