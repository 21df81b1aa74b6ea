#pragma once

#include "kido/ik/posture_kinematics.hpp"

// Rows of forces at points, and their derivatives.

KIDO_BEGIN

class PostureForceTerms {
public:
    explicit PostureForceTerms(PostureKinematics& kinematics) : k_(kinematics), p_(kinematics.program()), n_(p_.all()) {}

    // Forces e in units of the weight: sum e + g / |g| = 0, sum (p - c) x e = 0.
    void balance(const PostureTerm& t, const PosturePoint& at, double* y, double* J) {
        const Model& m = *p_.trees[t.tree].model;
        const V g = vec3(m.gravity);
        V sum = g * (1.0 / std::sqrt(dot(g, g))), moment = zero3<double>(), all = zero3<double>();
        for (int k = 0; k < t.num_points; ++k) all += read3(at.extra + t.extra[k]);
        const V center = k_.common_center(t.tree, [&](int j, const V& rate) { k_.add3(J, 3, j, cross(rate, all) * -1.0); });
        for (int k = 0; k < t.num_points; ++k) {
            const V e = read3(at.extra + t.extra[k]), p = k_.pose(t.places[k]).p, arm = p - center;
            sum += e;
            moment += cross(arm, e);
            k_.for_columns(t.places[k], p, [&](int j, double f, const Motion<double>& x) { k_.add3(J, 3, j, cross(x.linear, e) * f); });
            const int first = p_.unknowns + t.extra[k];
            for (int a = 0; a < 3; ++a) J[a * n_ + first + a] += 1.0;
            k_.add3(J, 3, first, {0.0, arm.z, -arm.y});
            k_.add3(J, 3, first + 1, {-arm.z, 0.0, arm.x});
            k_.add3(J, 3, first + 2, {arm.y, -arm.x, 0.0});
        }
        write3(y, sum);
        write3(y + 3, moment);
    }

    // Normal part; m n - |t|; m n + t1, m n - t1, m n + t2, m n - t2: all bounded from below.
    void friction(const PostureTerm& t, const PosturePoint& at, double* y, double* J, double* low) {
        const P base = k_.pose(t.base);
        const V e = read3(at.extra + t.extra[0]);
        const int first = p_.unknowns + t.extra[0];
        const V axes[3] = {base.R * vec3(t.axis), base.R * read3(t.across), base.R * read3(t.across + 3)};
        double part[3];
        double* rows[3] = {J, J + 2 * n_, J + 4 * n_};  // of the parts themselves, at first
        for (int a = 0; a < 3; ++a) {
            part[a] = dot(axes[a], e);
            for (int b = 0; b < 3; ++b) rows[a][first + b] += (&axes[a].x)[b];
            const V turned = cross(axes[a], e);
            k_.for_columns(t.base, base.p, [&](int j, double f, const Motion<double>& x) { rows[a][j] += dot(x.angular, turned) * f; });
        }
        const double side = std::sqrt(part[1] * part[1] + part[2] * part[2]), inverse = side > 0.0 ? 1.0 / side : 0.0;
        const double mu = t.most;
        for (int j = 0; j < n_; ++j) {
            const double n = J[j], a = J[2 * n_ + j], b = J[4 * n_ + j];
            J[n_ + j] = mu * n - (part[1] * a + part[2] * b) * inverse;
            J[2 * n_ + j] = mu * n + a;
            J[3 * n_ + j] = mu * n - a;
            J[4 * n_ + j] = mu * n + b;
            J[5 * n_ + j] = mu * n - b;
        }
        y[0] = part[0];
        y[1] = mu * part[0] - side;
        y[2] = mu * part[0] + part[1];
        y[3] = mu * part[0] - part[1];
        y[4] = mu * part[0] + part[2];
        y[5] = mu * part[0] - part[2];
        low[0] = t.least;
        for (int r = 1; r < 6; ++r) low[r] = 0.0;
    }

    void force(const PostureTerm& t, const PosturePoint& at, double* y, double* J) const {
        for (int a = 0; a < 3; ++a) {
            y[a] = at.extra[t.extra[0] + a] - t.target[a];
            J[a * n_ + p_.unknowns + t.extra[0] + a] += 1.0;
        }
    }

private:
    using V = Vec3<double>;
    using P = Pose<double>;

    PostureKinematics& k_;
    const PostureProgram& p_;
    const int n_;
};

KIDO_END
