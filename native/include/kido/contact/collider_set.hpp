#pragma once

#include <vector>

#include "kido/contact/box_travel.hpp"
#include "kido/contact/native_world.hpp"
#include "kido/contact/skin_surface.hpp"
#include "kido/contact/state_archive.hpp"
#include "kido/geometry/bounding_tree.hpp"
#include "kido/geometry/shape_bounds.hpp"

// The shapes of a world, and which pairs of them are near each other. A shape's box is fattened by some millimeters and by what
// its velocity takes it in some steps; only shapes that left their boxes are looked at again.

KIDO_BEGIN

// A shape and where it is.
struct PlacedCollider {
    Collider collider;
    double pose[12];     // in world axes, of a shape without bounds; of others it is computed where it is asked for
    double reach;        // of the shape from its body's center [m]
    int leaf;            // of the tree of boxes, -1: without bounds
    bool centered;       // whether the body's pose is its own
    int skin;            // of the skins, -1: it is a shape
};

// A contact on a face is a manifold of one point whose part names the triangle.
struct FacePart {
    static constexpr int kMost = 16;  // of one triangle and one shape

    static std::uint32_t part(int triangle, int number) { return static_cast<std::uint32_t>(triangle * kMost + number); }
    static int triangle(std::uint32_t part) { return static_cast<int>(part / kMost); }
};

// The pose of a collider.
class ColliderPose {
public:
    ColliderPose(const PlacedCollider& c, const PoseRow* poses) : v_(poses[c.collider.body].v) {
        if (c.centered) return;
        const Mat3<double> R = mat3(v_ + kRowAxes), own = R * mat3(c.collider.pose + 3);
        write3(own_, vec3(v_) + R * vec3(c.collider.pose));
        write3(own_ + 3, own.x);
        write3(own_ + 6, own.y);
        write3(own_ + 9, own.z);
        v_ = own_;
    }
    ColliderPose(const ColliderPose&) = delete;
    ColliderPose& operator=(const ColliderPose&) = delete;

    operator const double*() const { return v_; }

private:
    const double* v_;
    double own_[12];
};

class ColliderSet {
public:
    const std::vector<PlacedCollider>& all() const { return colliders_; }
    const PlacedCollider& operator[](int i) const { return colliders_[i]; }

    void set_mask(int i, std::uint32_t category, std::uint32_t collides_with) {
        colliders_[i].collider.category = category;
        colliders_[i].collider.collides_with = collides_with;
    }

    // Radius of a ball whose center is that of its body [m]; 0 of other shapes.
    double ball_radius(int i) const { return ball_radii_[i]; }
    bool any_balls() const { return any_balls_; }

    int add(const Collider& collider, const PoseRow* poses) {
        const int index = static_cast<int>(colliders_.size());
        PlacedCollider c = {};
        c.collider = collider;
        c.skin = -1;
        const Vec3<double> offset = vec3(collider.pose);
        c.reach = collider.shape->radius + std::sqrt(dot(offset, offset));
        c.centered = is_identity(collider.pose);
        place(c, poses);
        ball_radii_.push_back(c.centered && collider.shape->kind == ShapeKind::sphere ? collider.shape->size[0] : 0.0);
        any_balls_ |= ball_radii_.back() > 0.0;
        c.leaf = kUnbounded;
        if (is_bounded(*collider.shape)) c.leaf = tree_.add(index);  // its body need not be where it will be
        else unbounded_.push_back(index);
        append(c, c.leaf == kUnbounded ? BoxTravel::never() : BoxTravel::unknown(collider.body));
        return index;
    }
    int add_skin(const Collider& collider, SkinSurface skin, const BodyRows& rows) {
        const int index = static_cast<int>(colliders_.size());
        PlacedCollider c = {};
        c.collider = collider;
        c.skin = static_cast<int>(skins_.size());
        c.centered = true;
        c.leaf = tree_.add(index);
        tree_.move(c.leaf, grown(skin.bounds(rows, 0.0), kPadding));
        ball_radii_.push_back(0.0);
        append(c, BoxTravel::never());
        skins_.push_back(std::move(skin));
        skinned_.push_back(index);
        return index;
    }
    const std::vector<SkinSurface>& skins() const { return skins_; }
    // The face, by number, that a manifold's part names; -1: the collider is no skin.
    int face(int collider, std::uint32_t part) const {
        const int skin = colliders_[collider].skin;
        return skin < 0 ? -1 : skins_[skin].faces[FacePart::triangle(part)];
    }
    // Whether two colliders one of which is a skin may touch: bounded shapes and points of others. What has no bounds is flat, and
    // touches points.
    bool may_meet_skin(int i, int j) const {
        const PlacedCollider &skin = colliders_[colliders_[i].skin >= 0 ? i : j], &other = colliders_[colliders_[i].skin >= 0 ? j : i];
        return other.skin < 0 && other.leaf != kUnbounded &&
               (skins_[skin.skin].meets_own || !skins_[skin.skin].has_point(other.collider.body));
    }
    // Whether they are a skin and a point of it.
    bool are_one_skin(int i, int j) const {
        const int a = colliders_[i].skin, b = colliders_[j].skin;
        return (a >= 0 && skins_[a].has_point(colliders_[j].collider.body)) || (b >= 0 && skins_[b].has_point(colliders_[i].collider.body));
    }

    // Finds those that will have left their boxes after a step [s].
    void update(const BodyRows& rows, double step) {
        if (colliders_.empty()) return;
        foreseen_.find(rows, step);
        for (const int i : unbounded_) place(colliders_[i], rows.poses);
        for (int i = 0; i < static_cast<int>(travels_.size()); ++i) {
            if (travels_[i].is_due(foreseen_)) look_at(i, rows, step);
        }
        for (const int i : skinned_) {
            if (any_others(skins_[colliders_[i].skin])) look_at_skin(i, rows, step);
        }
    }
    // Of the present step.
    const ForeseenMotion& foreseen() const { return foreseen_; }
    // Those that left their boxes since pairs were looked for, and whether one has since ends of pairs were.
    const std::vector<int>& moved() const { return moved_; }
    bool has_moved(int i) const { return has_moved_[i] != 0; }

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
    void forget_moved() { moved_.clear(); }
    void forget_all_moves() { std::fill(has_moved_.begin(), has_moved_.end(), 0); }
    void archive(StateArchive& archive) {
        std::uint64_t count = colliders_.size();
        archive(count);
        archive.require(count == colliders_.size());
        for (PlacedCollider& c : colliders_) {
            archive(c.pose);
            archive(c.leaf);
        }
        archive.same_length(has_moved_);
        archive.same_length(travels_);
        tree_.archive(archive);
        archive(moved_);
    }

private:
    static constexpr int kUnbounded = -1;
    static constexpr double kPadding = 4e-3;  // [m]
    // Steps by which boxes reach ahead: so many, while that is no farther than a part of the shape's radius, and at least.
    static constexpr double kLead = 32.0, kLeastLead = 12.0, kReach = 1.4;

    static bool is_bounded(const CollisionShape& shape) { return shape.kind != ShapeKind::plane; }
    static bool is_identity(const double* pose) {
        const double identity[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
        return std::equal(pose, pose + 12, identity);
    }
    // Of a shape that moves by `way` in a step.
    static double lead(const Vec3<double>& way, double radius) {
        const double far = kReach * radius, square = dot(way, way);
        return square * (kLead * kLead) < far * far ? kLead : std::max(kLeastLead, far / std::sqrt(square));
    }
    void look_at(int i, const BodyRows& rows, double step) {
        const PlacedCollider& c = colliders_[i];
        const BoundingBox own = bounds_of(*c.collider.shape, ColliderPose(c, rows.poses));
        const Vec3<double> way = vec3(rows.velocities[c.collider.body].v) * step;
        if (!contains(tree_.box(c.leaf), swept(own, way))) {
            tree_.move(c.leaf, swept(grown(own, kPadding), way * lead(way, c.collider.shape->radius)));
            note_move(i);
        }
        // A ball about its body's center stays where it is when the body turns.
        const bool turns = c.collider.shape->kind != ShapeKind::sphere || c.reach != c.collider.shape->radius;
        travels_[i].reset(rows, own, tree_.box(c.leaf), turns);
    }
    // Whether anything may touch a skin: shapes with bounds beside its points and skins.
    bool any_others(const SkinSurface& skin) const {
        return skin.meets_own || colliders_.size() > skinned_.size() + unbounded_.size() + skin.num_points;
    }
    void append(const PlacedCollider& c, const BoxTravel& travel) {
        has_moved_.push_back(1);
        if (c.leaf == kUnbounded || c.skin >= 0) moved_.push_back(static_cast<int>(colliders_.size()));  // others move to their boxes
        travels_.push_back(travel);
        colliders_.push_back(c);
    }
    void look_at_skin(int i, const BodyRows& rows, double step) {
        const PlacedCollider& c = colliders_[i];
        const SkinSurface& skin = skins_[c.skin];
        const BoundingBox own = skin.bounds(rows, step);
        if (contains(tree_.box(c.leaf), own)) return;
        tree_.move(c.leaf, swept(grown(own, kPadding), vec3(rows.velocities[skin.row].v) * (step * kLeastLead)));
        note_move(i);
    }
    void note_move(int i) {
        moved_.push_back(i);
        has_moved_[i] = 1;
    }
    static bool near_plane(const PlacedCollider& plane, const BoundingBox& box) {
        const Vec3<double> normal = mat3(plane.pose + 3).z, middle = (box.low + box.high) * 0.5;
        const double reach = dot(absolute(normal), (box.high - box.low) * 0.5);
        return dot(normal, middle - vec3(plane.pose)) <= reach + kPadding;
    }
    static void place(PlacedCollider& c, const PoseRow* poses) {
        const ColliderPose pose(c, poses);
        std::copy_n(static_cast<const double*>(pose), 12, c.pose);
    }

    std::vector<PlacedCollider> colliders_;
    std::vector<SkinSurface> skins_;
    std::vector<int> skinned_;        // colliders of these
    std::vector<double> ball_radii_;
    bool any_balls_ = false;
    BoundingTree tree_;
    std::vector<BoxTravel> travels_;  // of the colliders
    std::vector<char> has_moved_;
    std::vector<int> unbounded_, moved_;
    ForeseenMotion foreseen_;
};

KIDO_END
