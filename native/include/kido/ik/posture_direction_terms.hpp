#pragma once

#include "kido/ik/posture_kinematics.hpp"
#include "kido/ik/posture_norm.hpp"

// Rows of angles between directions, and their derivatives.

KIDO_BEGIN

class PostureDirectionTerms {
public:
    explicit PostureDirectionTerms(PostureKinematics& kinematics) : k_(kinematics), p_(kinematics.program()), n_(p_.all()) {}

    void angle(const PostureTerm& t, double* y, double* J, double* low, double* high) {
        const P frame = k_.pose(t.frame), base = k_.pose(t.base);
        const V t1 = frame.R * read3(t.across), t2 = frame.R * read3(t.across + 3);
        V u, w;
        // The rate of w in axes of the frame, along t1, t2 and u.
        directions(t, frame, base, u, w, [&](int j, const V&, const V& rate, const V& spin) {
            const V seen = rate - cross(spin, w);
            J[j] += dot(t1, seen);
            J[n_ + j] += dot(t2, seen);
            J[2 * n_ + j] += dot(u, seen);
        });
        const double a = dot(t1, w), b = dot(t2, w), sine = std::sqrt(a * a + b * b), cosine = dot(u, w);
        const double angle = std::atan2(sine, cosine);
        y[0] = a;
        y[1] = b;
        y[2] = angle;
        // angle' = cosine (sine)' - sine (cosine)'; where the sine is 0, any direction across.
        const double ca = sine > 0.0 ? a / sine : 1.0, cb = sine > 0.0 ? b / sine : 0.0;
        for (int j = 0; j < n_; ++j) {
            J[2 * n_ + j] = cosine * (ca * J[j] + cb * J[n_ + j]) - sine * J[2 * n_ + j];
        }
        const bool narrow = t.most < kNarrow && angle < 1.0;
        PostureNorm::bound_norm(t, 2, narrow ? std::sin(t.most) : kInfinity, angle, low, high);
        if (!narrow) high[2] = t.most;
    }

    void chord(const PostureTerm& t, double* y, double* J) {
        const P frame = k_.pose(t.frame), base = k_.pose(t.base);
        V u, w;
        directions(t, frame, base, u, w, [&](int j, const V& rate_u, const V& rate_w, const V&) {
            const V rate = rate_w - rate_u;
            J[j] += rate.x;
            J[n_ + j] += rate.y;
            J[2 * n_ + j] += rate.z;
        });
        write3(y, w - u);
    }

private:
    using V = Vec3<double>;
    using P = Pose<double>;

    static constexpr double kInfinity = std::numeric_limits<double>::infinity();
    static constexpr double kNarrow = 0.5;  // bound of an angle below which its sines are bounded too [rad]

    // Directions u of the frame and w, of the base or of the way to its point; calls use(unknown, rate of u, rate of w).
    template <class Use>
    void directions(const PostureTerm& t, const P& frame, const P& base, V& u, V& w, Use use) const {
        u = frame.R * vec3(t.axis);
        if (t.kind == PostureTermKind::direction || t.kind == PostureTermKind::chord) {
            w = base.R * vec3(t.target);
            const V from = u, to = w;
            k_.for_columns(t.frame, frame.p, [&](int j, double f, const Motion<double>& x) { use(j, cross(x.angular, from) * f, zero3<double>(), x.angular * f); });
            k_.for_columns(t.base, base.p, [&](int j, double f, const Motion<double>& x) { use(j, zero3<double>(), cross(x.angular, to) * f, zero3<double>()); });
            return;
        }
        const V at = base.p + base.R * vec3(t.target), way = at - frame.p;
        const double length = std::sqrt(dot(way, way)), inverse = length > 0.0 ? 1.0 / length : 0.0;
        w = length > 0.0 ? way * inverse : u;
        const V from = u, to = w;
        const auto across = [&](const V& rate) { return (rate - to * dot(to, rate)) * inverse; };
        k_.for_columns(t.frame, frame.p, [&](int j, double f, const Motion<double>& x) {
            use(j, cross(x.angular, from) * f, across(x.linear) * -f, x.angular * f);
        });
        k_.for_columns(t.base, at, [&](int j, double f, const Motion<double>& x) { use(j, zero3<double>(), across(x.linear) * f, zero3<double>()); });
    }

    PostureKinematics& k_;
    const PostureProgram& p_;
    const int n_;
};

KIDO_END
