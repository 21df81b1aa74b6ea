#pragma once

#include <unordered_set>
#include <vector>

#include "kido/contact/body_rows.hpp"
#include "kido/contact/native_world.hpp"
#include "kido/contact/state_archive.hpp"
#include "kido/geometry/bounding_tree.hpp"
#include "kido/geometry/shape_bounds.hpp"

// The shapes of a world, and which pairs of them are near each other. A shape's box is fattened by some millimeters and by what
// its velocity takes it in some steps; only shapes that left their boxes are looked at again.

KIDO_BEGIN

// A shape and where it is.
struct PlacedCollider {
    Collider collider;
    double pose[12];     // in world axes
    double reach;        // of the shape from its body's center [m]
    int leaf;            // of the tree of boxes, -1: without bounds
    bool centered;       // whether the body's pose is its own
    bool moved;          // whether it left its box since pairs were looked for
};

class ColliderSet {
public:
    const std::vector<PlacedCollider>& all() const { return colliders_; }
    const PlacedCollider& operator[](int i) const { return colliders_[i]; }

    void set_mask(int i, std::uint32_t category, std::uint32_t collides_with) {
        colliders_[i].collider.category = category;
        colliders_[i].collider.collides_with = collides_with;
    }

    int add(const Collider& collider, const PoseRow* poses) {
        const int index = static_cast<int>(colliders_.size());
        PlacedCollider c = {};
        c.collider = collider;
        const Vec3<double> offset = vec3(collider.pose);
        c.reach = collider.shape->radius + std::sqrt(dot(offset, offset));
        c.centered = is_identity(collider.pose);
        place(c, poses);
        c.leaf = kUnbounded;
        if (is_bounded(*collider.shape)) c.leaf = tree_.insert(grown(bounds_of(*collider.shape, c.pose), kPadding), index);
        else unbounded_.push_back(index);
        c.moved = true;
        moved_.push_back(index);
        colliders_.push_back(c);
        return index;
    }

    // Places all colliders of bodies that move, and finds those that will have left their boxes after a step [s].
    template <class Moves>
    void update(const PoseRow* poses, const MotionRow* velocities, double step, const Moves& moves) {
        for (int i = 0; i < static_cast<int>(colliders_.size()); ++i) {
            PlacedCollider& c = colliders_[i];
            if (!moves(c.collider.body)) continue;
            place(c, poses);
            if (c.leaf == kUnbounded) continue;
            const BoundingBox box = bounds_of(*c.collider.shape, c.pose);
            const Vec3<double> way = vec3(velocities[c.collider.body].v) * step;
            if (contains(tree_.box(c.leaf), swept(box, way))) continue;
            tree_.move(c.leaf, swept(grown(box, kPadding), way * kLead));
            if (!c.moved) moved_.push_back(i);
            c.moved = true;
        }
    }
    bool any_moved() const { return !moved_.empty(); }

    // Calls f(i, j) for near pairs of which one has left its box, some of them more than once.
    template <class F>
    void for_near_pairs(F f) {
        for (const int i : moved_) {
            if (colliders_[i].leaf == kUnbounded) {
                for (int j = 0; j < static_cast<int>(colliders_.size()); ++j) {
                    if (j != i && near(i, j)) f(i, j);
                }
                continue;
            }
            for (const int j : unbounded_) {
                if (near(j, i)) f(j, i);
            }
            tree_.query(tree_.box(colliders_[i].leaf), [&](int j) {
                if (j != i) f(i, j);
            });
        }
    }
    // Whether the boxes still meet.
    bool near(int i, int j) const {
        const PlacedCollider &a = colliders_[i], &b = colliders_[j];
        if (a.leaf == kUnbounded && b.leaf == kUnbounded) return false;
        if (a.leaf == kUnbounded) return near_plane(a, tree_.box(b.leaf));
        if (b.leaf == kUnbounded) return near_plane(b, tree_.box(a.leaf));
        return overlap(tree_.box(a.leaf), tree_.box(b.leaf));
    }
    void forget_moves() {
        for (const int i : moved_) colliders_[i].moved = false;
        moved_.clear();
    }
    void archive(StateArchive& archive) {
        std::uint64_t count = colliders_.size();
        archive(count);
        archive.require(count == colliders_.size());
        for (PlacedCollider& c : colliders_) {
            archive(c.pose);
            archive(c.leaf);
            archive(c.moved);
        }
        tree_.archive(archive);
        archive(moved_);
    }

private:
    static constexpr int kUnbounded = -1;
    static constexpr double kPadding = 4e-3;  // [m]
    static constexpr double kLead = 8.0;      // steps by which boxes reach ahead

    static bool is_bounded(const CollisionShape& shape) { return shape.kind != ShapeKind::plane; }
    static bool is_identity(const double* pose) {
        const double identity[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
        return std::equal(pose, pose + 12, identity);
    }
    static bool near_plane(const PlacedCollider& plane, const BoundingBox& box) {
        const Vec3<double> normal = mat3(plane.pose + 3).z, middle = (box.low + box.high) * 0.5;
        const double reach = dot(absolute(normal), (box.high - box.low) * 0.5);
        return dot(normal, middle - vec3(plane.pose)) <= reach + kPadding;
    }
    static void place(PlacedCollider& c, const PoseRow* poses) {
        const double* body = poses[c.collider.body].v;
        if (c.centered) {
            std::copy(body, body + 12, c.pose);
            return;
        }
        const Mat3<double> R = mat3(body + kRowAxes), own = R * mat3(c.collider.pose + 3);
        write3(c.pose, vec3(body) + R * vec3(c.collider.pose));
        write3(c.pose + 3, own.x);
        write3(c.pose + 6, own.y);
        write3(c.pose + 9, own.z);
    }

    std::vector<PlacedCollider> colliders_;
    BoundingTree tree_;
    std::vector<int> unbounded_, moved_;
};

KIDO_END
