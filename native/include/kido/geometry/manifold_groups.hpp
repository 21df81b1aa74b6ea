#pragma once

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
        if (group->count == kMostPoints) reduce(*group);
        const ContactPlane plane(group->normal);
        const Vector p = vector(point.on_second);
        group->points[group->count++] = {dot(plane.x, p), dot(plane.y, p), dot(plane.normal, p), point.gap, point.feature};
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
    static constexpr int kMostPoints = 24;
    static constexpr double kSameWay = 0.9995;  // cosine of the angle between normals of one manifold
    static constexpr double kLevel = 5e-3;      // of the smaller shape: points that are this far from a plane still lie in it

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
    static void reduce(Group& group) {
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
