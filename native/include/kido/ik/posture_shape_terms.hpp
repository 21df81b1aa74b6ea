#pragma once

#include "kido/ik/posture_kinematics.hpp"

// Rows of distances of shapes, and their derivatives.

KIDO_BEGIN

class PostureShapeTerms {
public:
    explicit PostureShapeTerms(PostureKinematics& kinematics) : k_(kinematics), p_(kinematics.program()), n_(p_.all()) {}

    // Pairs that are farther apart than they matter have no bounds.
    void shapes(const PostureTerm& t, double* y, double* J, double* low, double* high) const {
        for (int k = 0; k < t.rows; ++k) {
            ShapeDistance found{};
            const bool measured = measure_pair(t.pairs[k], t.influence, found);
            y[k] = found.distance;
            if (!measured || found.distance > t.influence) {
                low[k] = -kInfinity;
                high[k] = kInfinity;
                continue;
            }
            pair_row(t.pairs[k], found, J + k * n_);
        }
    }

    void nearest(const PostureTerm& t, double* y, double* J) const {
        ShapeDistance best{};
        const PostureShapePair* which = nullptr;
        y[0] = kInfinity;
        for (int k = 0; k < t.num_pairs; ++k) {
            ShapeDistance found{};
            if (!measure_pair(t.pairs[k], y[0], found) || !(found.distance < y[0])) continue;
            best = found;
            which = t.pairs + k;
            y[0] = found.distance;
        }
        if (which) pair_row(*which, best, J);
    }

private:
    using V = Vec3<double>;
    using P = Pose<double>;

    static constexpr double kInfinity = std::numeric_limits<double>::infinity();

    // The signed distance of a pair; false where balls around the shapes are farther apart than `influence`, and the distance of these.
    bool measure_pair(const PostureShapePair& pair, double influence, ShapeDistance& found) const {
        const P a = k_.pose(pair.first_place), b = k_.pose(pair.second_place);
        const V way = a.p - b.p;
        found.distance = std::sqrt(dot(way, way)) - pair.first->radius - pair.second->radius;
        if (found.distance > influence) return false;
        double A[12], B[12];
        write_pose(a, A);
        write_pose(b, B);
        p_.distance(*pair.first, A, *pair.second, B, found);
        return true;
    }

    void pair_row(const PostureShapePair& pair, const ShapeDistance& found, double* row) const {
        const V normal = read3(found.normal);
        k_.for_columns(pair.first_place, read3(found.on_first), [&](int j, double f, const Motion<double>& x) { row[j] += dot(normal, x.linear) * f; });
        k_.for_columns(pair.second_place, read3(found.on_second), [&](int j, double f, const Motion<double>& x) { row[j] -= dot(normal, x.linear) * f; });
    }

    static void write_pose(const P& pose, double* to) {
        write3(to, pose.p);
        write3(to + 3, pose.R.x);
        write3(to + 6, pose.R.y);
        write3(to + 9, pose.R.z);
    }

    PostureKinematics& k_;
    const PostureProgram& p_;
    const int n_;
};

KIDO_END
