#pragma once

#include <algorithm>

#include "kido/geometry/contact_plane.hpp"

// Points of contact found one after the other, gathered to manifolds: those in about one plane make one. Few enough are kept that
// their number stays bounded.

KIDO_BEGIN

namespace geometry {

class ManifoldGroups {
public:
    static constexpr int kMostGroups = 16;

    // `size`: of the smaller shape [m]; `single`: whether manifolds have one point, the deepest.
    ManifoldGroups(double size, bool single) : level_(kLevel * size), single_(single) {}

    // All points of a manifold; `part` names it from step to step.
    void add(const ContactManifold& found, std::uint32_t part) {
        const Vector normal = vector(found.normal);
        for (int k = 0; k < found.count; ++k) add(normal, found.points[k], part);
    }
    void add(const Vector& normal, const ContactPoint& point, std::uint32_t part) {
        Group* group = find(normal, vector(point.on_second));
        if (!group) group = begin(normal, point);
        if (!group) return;
        group->part = group->count == 0 ? part : std::min(group->part, part);
        if (group->count == 0 || point.gap < group->least) group->least = point.gap;
        if (group->count == kMostPoints) make_room(*group);
        const ContactPlane plane(group->normal);
        const Vector p = vector(point.on_second);
        put(*group, {dot(plane.x, p), dot(plane.y, p), dot(plane.normal, p), point.gap, point.feature});
    }

    // Where a shape overlaps both sides of a ridge, it comes out by the nearer one: drops the other.
    void drop_longer_ways() {
        for (int k = count_ - 1; k >= 0; --k) {
            bool longer = false;
            for (int j = 0; j < count_; ++j) longer |= j != k && is_longer(groups_[k], groups_[j]);
            if (longer) remove(k);
        }
    }

    int count() const { return count_; }
    double least() const {
        double least = 1e300;
        for (int k = 0; k < count_; ++k) least = min(least, groups_[k].least);
        return least;
    }

    // Writes the manifolds, the deepest if there are more than fit.
    int write(ContactManifold* out, int capacity) {
        while (count_ > capacity) remove(highest());
        for (int k = 0; k < count_; ++k) {
            write_one(groups_[k], out[k]);
            for (bool taken = true; taken;) {
                taken = false;
                for (int j = 0; j < k; ++j) taken |= out[j].part == out[k].part;
                if (taken) out[k].part = out[k].part * 31U + 1U;
            }
        }
        return count_;
    }

private:
    static constexpr int kMostPoints = 32;
    static constexpr int kDirections = 8;
    static constexpr double kSoon = 4e-4;  // [m]
    static constexpr double kSameWay = 0.9995;  // cosine of the angle between normals of one manifold
    static constexpr double kLevel = 5e-3;      // of the smaller shape: points that are this far from a plane still lie in it

    static constexpr double kMuchLonger = 0.25;
    static constexpr double kOneWay = 0.97;  // cosine of the angle between normals that lead out the same way
    static constexpr double kSamePlace = 0.2;  // of the level

    struct Group {
        Vector normal, place;
        double least;
        std::uint32_t part;
        int count;
        PlanePoint points[kMostPoints];
    };

    Group* find(const Vector& normal, const Vector& p) {
        for (int k = 0; k < count_; ++k) {
            Group& g = groups_[k];
            if (dot(g.normal, normal) > kSameWay && abs(dot(g.normal, p - g.place)) <= level_) return &g;
        }
        return nullptr;
    }
    // Of two points in one place, as neighboring triangles give them, the deeper one stays.
    void put(Group& group, const PlanePoint& point) const {
        for (int k = 0; k < group.count; ++k) {
            PlanePoint& p = group.points[k];
            if (abs(p.x - point.x) + abs(p.y - point.y) > kSamePlace * level_) continue;
            if (point.gap < p.gap) p = point;
            return;
        }
        group.points[group.count++] = point;
    }
    bool is_longer(const Group& way, const Group& other) const {
        if (way.least >= other.least - kSamePlace * level_ - kMuchLonger * abs(other.least)) return false;
        if (dot(way.normal, other.normal) > kOneWay || dot(way.normal, other.place - way.place) > kSamePlace * level_) return false;
        // Once the shape is out along the other normal, nothing of this contact is left.
        const ContactPlane plane(way.normal);
        for (int k = 0; k < way.count; ++k) {
            const PlanePoint& p = way.points[k];
            const double beyond = dot(other.normal, plane.at(p.x, p.y, p.height) - other.place);
            if (beyond > kSamePlace * level_ || beyond < other.least - kSamePlace * level_) return false;
        }
        return true;
    }
    Group* begin(const Vector& normal, const ContactPoint& point) {
        if (count_ == kMostGroups) {
            const int last = highest();
            if (groups_[last].least <= point.gap) return nullptr;
            remove(last);
        }
        Group& group = groups_[count_++];
        group.normal = normal;
        group.place = vector(point.on_second);
        group.count = 0;
        return &group;
    }
    int highest() const {
        int highest = 0;
        for (int k = 1; k < count_; ++k) {
            if (groups_[k].least > groups_[highest].least) highest = k;
        }
        return highest;
    }
    void remove(int k) {
        for (--count_; k < count_; ++k) groups_[k] = groups_[k + 1];
    }
    // The points that lie farthest in some direction of the plane, and the deepest: so none of the corners of a large contact is lost
    // while its points come one after the other.
    static void keep_outermost(Group& group) {
        static constexpr double half = 0.70710678118654752;
        static constexpr double directions[kDirections][2] = {{1.0, 0.0},  {half, half},   {0.0, 1.0},  {-half, half},
                                                              {-1.0, 0.0}, {-half, -half}, {0.0, -1.0}, {half, -half}};
        bool kept[kMostPoints] = {};
        for (const auto& d : directions) {
            int farthest = 0;
            for (int k = 1; k < group.count; ++k) {
                const PlanePoint &p = group.points[k], &q = group.points[farthest];
                if (d[0] * (p.x - q.x) + d[1] * (p.y - q.y) > 0.0) farthest = k;
            }
            kept[farthest] = true;
        }
        int deepest = 0, number = 0;
        for (int k = 1; k < group.count; ++k) {
            if (group.points[k].gap < group.points[deepest].gap) deepest = k;
        }
        double least = 1e300, extent = 0.0;
        for (int k = 0; k < group.count; ++k) {
            if (!kept[k]) continue;
            least = min(least, group.points[k].gap);
            extent = max(extent, abs(group.points[k].x - group.points[deepest].x) + abs(group.points[k].y - group.points[deepest].y));
        }
        if (group.points[deepest].gap < least - kEqualDepth * extent) kept[deepest] = true;
        for (int k = 0; k < group.count; ++k) {
            if (kept[k]) group.points[number++] = group.points[k];
        }
        group.count = number;
    }
    // Moves the points to the front that the shape can reach before it is tested again; returns how many.
    static int sort_near(Group& group) {
        const double bound = max(group.least, 0.0) + kSoon;
        int near = 0;
        for (int k = 0; k < group.count; ++k) {
            if (group.points[k].gap <= bound) std::swap(group.points[near++], group.points[k]);
        }
        return near;
    }
    static void make_room(Group& group) {
        const int near = sort_near(group);
        if (near < kMostPoints) {
            group.count = near;
        } else {
            keep_outermost(group);
        }
    }
    // Four points: of those near enough, the four that carry; the nearest others where these are fewer.
    static void reduce(Group& group) {
        const int near = sort_near(group);
        if (near < kManifoldPoints) {
            std::sort(group.points + near, group.points + group.count, [](const PlanePoint& a, const PlanePoint& b) {
                return a.gap != b.gap ? a.gap < b.gap : a.feature < b.feature;
            });
            group.count = kManifoldPoints;
            return;
        }
        group.count = near;
        keep_outermost(group);
        if (group.count <= kManifoldPoints) return;
        int chosen[kManifoldPoints];
        PlanePoint kept[kManifoldPoints];
        const int number = choose_four(group.points, group.count, chosen);
        for (int k = 0; k < number; ++k) kept[k] = group.points[chosen[k]];
        for (int k = 0; k < number; ++k) group.points[k] = kept[k];
        group.count = number;
    }
    void write_one(Group& group, ContactManifold& out) const {
        if (single_) {
            int deepest = 0;
            for (int k = 1; k < group.count; ++k) {
                if (group.points[k].gap < group.points[deepest].gap) deepest = k;
            }
            group.points[0] = group.points[deepest];
            group.count = 1;
        }
        if (group.count > kManifoldPoints) reduce(group);
        const ContactPlane plane(group.normal);
        store(group.normal, out.normal);
        out.count = group.count;
        out.part = group.part;
        for (int k = 0; k < group.count; ++k) {
            const PlanePoint& p = group.points[k];
            const Vector below = plane.at(p.x, p.y, p.height);
            store(below, out.points[k].on_second);
            store(below + plane.normal * p.gap, out.points[k].on_first);
            out.points[k].gap = p.gap;
            out.points[k].feature = p.feature;
        }
    }

    double level_;
    bool single_;
    int count_ = 0;
    Group groups_[kMostGroups];
};

}  // namespace geometry

KIDO_END
