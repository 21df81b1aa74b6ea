#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "kido/contact/foreseen_motion.hpp"
#include "kido/contact/native_world.hpp"
#include "kido/geometry/bounding_box.hpp"
#include "kido/geometry/triangle_surface.hpp"
#include "kido/tree/joint.hpp"

// The faces between the points around a link, and where they are: a surface of triangles whose vertices move. It touches others as a
// mesh does that is as thick as its points' balls.

KIDO_BEGIN

// What does not change: triangles stand in the order of the leaves of a tree over them, see TriangleMesh.
class SkinSurface {
public:
    int row, first_row, num_points;  // of the solver: its own, which moves as the link, and those of its points
    double radius;                   // of the points' balls [m]
    bool meets_own;                  // whether faces meet points of the same skin
    bool closed;                     // whether the faces have an outside; others touch from both sides
    std::vector<double> rest;        // where its points rest (num_points, 3) [m]
    std::vector<int> corners, neighbors, faces;  // faces: of each triangle, its number as it was given
    std::vector<MeshNode> nodes;

    SkinSurface(int row, int first_row, int num_points, double radius, bool meets_own, const TriangleMesh& mesh,
                const std::vector<int>& order)
        : row(row), first_row(first_row), num_points(num_points), radius(radius), meets_own(meets_own),
          rest(mesh.vertices, mesh.vertices + 3 * mesh.num_vertices), corners(mesh.corners, mesh.corners + 3 * mesh.num_triangles),
          neighbors(mesh.neighbors, mesh.neighbors + 3 * mesh.num_triangles), faces(order) {
        closed = std::find(neighbors.begin(), neighbors.end(), -1) == neighbors.end();
        int count = 1;
        for (int i = 0; i < count; ++i) {
            if (mesh.nodes[i].count == 0) count = std::max(count, mesh.nodes[i].first + 2);
        }
        nodes.assign(mesh.nodes, mesh.nodes + count);
    }
    int size() const { return static_cast<int>(faces.size()); }
    bool has_point(int row_of_point) const { return row_of_point >= first_row && row_of_point < first_row + num_points; }
    Vec3<double> corner(const PoseRow* poses, int triangle, int k) const { return vec3(poses[first_row + corners[3 * triangle + k]].v); }
    // The box of all balls, now and at the end of a step [s].
    BoundingBox bounds(const BodyRows& rows, double step) const {
        Vec3<double> low = vec3(rows.poses[first_row].v), high = low;
        for (int i = first_row; i < first_row + num_points; ++i) {
            const Vec3<double> p = vec3(rows.poses[i].v), next = p + vec3(rows.velocities[i].v) * step;
            low = least(low, least(p, next));
            high = greatest(high, greatest(p, next));
        }
        return grown({low, high}, radius);
    }
    // Shares (3) of a triangle's corners in the point of it that is nearest to a place.
    void weights(const PoseRow* poses, int triangle, const Vec3<double>& place, double (&out)[3]) const {
        const Vec3<double> a = corner(poses, triangle, 0);
        const geometry::Triangle t{{zero3<double>(), corner(poses, triangle, 1) - a, corner(poses, triangle, 2) - a}, {}, triangle, triangle};
        const Vec3<double>&b = t.corner[1], &c = t.corner[2], p = geometry::nearest_on_triangle(t, place - a);
        const double bb = dot(b, b), bc = dot(b, c), cc = dot(c, c), area = bb * cc - bc * bc, pb = dot(p, b), pc = dot(p, c);
        // Of what has no area, along its longer side.
        if (area > kNoArea * bb * cc) {
            out[1] = std::clamp((cc * pb - bc * pc) / area, 0.0, 1.0);
            out[2] = std::clamp((bb * pc - bc * pb) / area, 0.0, 1.0 - out[1]);
        } else {
            out[1] = bb >= cc && bb > 0.0 ? std::clamp(pb / bb, 0.0, 1.0) : 0.0;
            out[2] = bb < cc ? std::clamp(pc / cc, 0.0, 1.0) : 0.0;
        }
        out[0] = 1.0 - out[1] - out[2];
    }

    // How near a point of the skin may come to a triangle of it: as thick as both are, but no more than half as far as they are apart at
    // rest, so that what rests touches nothing. Negative: the point is a corner.
    double nearest(int point, int triangle) const {
        const auto place = [&](int k) { return vec3(&rest[3 * k]); };
        const int* c = &corners[3 * triangle];
        if (point == c[0] || point == c[1] || point == c[2]) return -1.0;
        const geometry::Triangle t{{place(c[0]), place(c[1]), place(c[2])}, {}, triangle, triangle};
        return std::min(2.0 * radius, 0.5 * geometry::length(geometry::nearest_on_triangle(t, place(point)) - place(point)));
    }
    // Of the point of a triangle that is nearest to a place.
    Vec3<double> velocity(const BodyRows& rows, int triangle, const Vec3<double>& place) const {
        double shares[3];
        weights(rows.poses, triangle, place, shares);
        Vec3<double> sum = zero3<double>();
        for (int k = 0; k < 3; ++k) sum += vec3(rows.velocities[first_row + corners[3 * triangle + k]].v) * shares[k];
        return sum;
    }

private:
    static constexpr double kNoArea = 1e-10;  // squared sine of an angle between sides: less is lost in the rounding of areas
};

// The same where it is in a step, in world axes about its link's origin.
class PlacedSkin {
public:
    bool fresh = false;

    void place(const SkinSurface& skin, const BodyRows& rows) {
        if (std::exchange(fresh, true)) return;
        nodes_ = skin.nodes;
        vertices_.resize(3 * skin.num_points);
        normals_.resize(3 * skin.size());
        regions_.resize(skin.size());
        std::copy_n(rows.poses[skin.row].v, 3, pose_);
        const Vec3<double> origin = vec3(pose_), moved = vec3(rows.velocities[skin.row].v);
        speed_ = 0.0;
        for (int i = 0; i < skin.num_points; ++i) {
            write3(&vertices_[3 * i], vec3(rows.poses[skin.first_row + i].v) - origin);
            const Vec3<double> u = vec3(rows.velocities[skin.first_row + i].v) - moved;
            speed_ = std::max(speed_, std::fabs(u.x) + std::fabs(u.y) + std::fabs(u.z));
        }
        for (int t = 0; t < skin.size(); ++t) {
            const Vec3<double> a = vertex(skin, t, 0), n = cross(vertex(skin, t, 1) - a, vertex(skin, t, 2) - a);
            write3(&normals_[3 * t], geometry::direction(n, geometry::unit(2)));
            regions_[t] = t;
        }
        for (int i = static_cast<int>(nodes_.size()) - 1; i >= 0; --i) fit(skin, nodes_[i]);
        mesh_ = {vertices_.data(), skin.corners.data(), normals_.data(), skin.neighbors.data(), regions_.data(), nodes_.data(),
                 skin.num_points, skin.size(), {nodes_[0].low[0], nodes_[0].low[1], nodes_[0].low[2]},
                 {nodes_[0].high[0], nodes_[0].high[1], nodes_[0].high[2]}};
        double most = 0.0;
        for (const double x : vertices_) most = std::max(most, std::fabs(x));
        shape_ = {ShapeKind::mesh, {}, 1.75 * most, nullptr, &mesh_, nullptr};
    }
    const CollisionShape& shape() const { return shape_; }
    const double* pose() const { return pose_; }
    // How much faster its points are at most than its link's origin.
    double speed() const { return speed_; }
    // Calls f(triangle) with those that are near a place in the world, about the link's origin.
    template <class F>
    void for_near(const Vec3<double>& place, double reach, const F& f) const {
        const Vec3<double> p = place - vec3(pose_);
        for_in(grown({p, p}, reach), f);
    }
    // The same with those in a box about the link's origin.
    template <class F>
    void for_in(const BoundingBox& box, const F& f) const {
        geometry::MeshSurface(mesh_).for_near(box, f);
    }
    // The triangle that is nearest to a place in the world.
    int triangle_at(const Vec3<double>& place) const {
        const geometry::MeshSurface surface(mesh_);
        const Vec3<double> p = place - vec3(pose_);
        int nearest = 0;
        double least = HUGE_VAL;
        // Farther boxes are passed over once something was found.
        const auto meets = [&](const BoundingBox& box) {
            const Vec3<double> zero = zero3<double>(), d = greatest(zero, box.low - p) + greatest(zero, p - box.high);
            return dot(d, d) < least;
        };
        surface.walk(meets, [&](const geometry::Triangle& t) {
            const Vec3<double> d = geometry::nearest_on_triangle(t, p) - p;
            if (!(dot(d, d) < least)) return;
            least = dot(d, d);
            nearest = t.index;
        });
        return nearest;
    }

private:
    Vec3<double> vertex(const SkinSurface& skin, int triangle, int k) const { return vec3(&vertices_[3 * skin.corners[3 * triangle + k]]); }
    // The box of a node whose children are done.
    void fit(const SkinSurface& skin, MeshNode& node) const {
        Vec3<double> low = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high = -low;
        for (int t = node.first; t < node.first + node.count; ++t) {
            for (int k = 0; k < 3; ++k) {
                low = least(low, vertex(skin, t, k));
                high = greatest(high, vertex(skin, t, k));
            }
        }
        for (int child = node.first; node.count == 0 && child < node.first + 2; ++child) {
            low = least(low, vec3(nodes_[child].low));
            high = greatest(high, vec3(nodes_[child].high));
        }
        write3(node.low, low);
        write3(node.high, high);
    }

    std::vector<double> vertices_, normals_;
    std::vector<int> regions_;
    std::vector<MeshNode> nodes_;
    TriangleMesh mesh_ = {};
    CollisionShape shape_ = {};
    double pose_[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    double speed_ = 0.0;
};

KIDO_END
