#pragma once

#include "kido/ik/posture_kinematics.hpp"
#include "kido/ik/posture_norm.hpp"

// Rows of points, rotations and the centre of mass, and their derivatives.

KIDO_BEGIN

class PostureFrameTerms {
public:
    explicit PostureFrameTerms(PostureKinematics& kinematics) : k_(kinematics), p_(kinematics.program()), n_(p_.all()) {}

    void points(const PostureTerm& t, double* y, double* J) {
        const P frame = k_.pose(t.frame), base = k_.pose(t.base);
        const int width = 3 * t.num_points;
        for (int r = 0; r < t.rows; ++r) y[r] = 0.0;
        for (int k = 0; k < t.num_points; ++k) {
            const V at = frame.p + frame.R * read3(t.point + 3 * k);
            const V seen = transposed_times(base.R, at - base.p);
            for (int r = 0; r < t.rows; ++r) y[r] += dot(read3(t.matrix + r * width + 3 * k), seen);
            k_.for_relative(t.frame, t.base, at, [&](int j, double factor, const Motion<double>& x) {
                const V rate = transposed_times(base.R, x.linear) * factor;
                for (int r = 0; r < t.rows; ++r) J[r * n_ + j] += dot(read3(t.matrix + r * width + 3 * k), rate);
            });
        }
    }

    void orientation(const PostureTerm& t, double* y, double* J, double* low, double* high) {
        const P frame = k_.pose(t.frame), base = k_.pose(t.base);
        const V r = so3_log(transpose(base.R) * frame.R);
        const double size = std::sqrt(dot(r, r));
        const Mat3<double> inverse = so3_left_jacobian_inverse(r);
        write3(y, r);
        y[3] = size;
        k_.for_relative(t.frame, t.base, frame.p, [&](int j, double factor, const Motion<double>& x) {
            const V rate = inverse * transposed_times(base.R, x.angular) * factor;
            J[j] += rate.x;
            J[n_ + j] += rate.y;
            J[2 * n_ + j] += rate.z;
        });
        PostureNorm::norm_row(n_, 3, size, size > 0.0 ? r * (1.0 / size) : r, J);
        PostureNorm::bound_norm(t, 3, t.most, size, low, high);
    }

    // Twice the vector part of the quaternion q of frame in base: its rate is w q_w + w x q_v.
    void turn(const PostureTerm& t, double* y, double* J) {
        const P frame = k_.pose(t.frame), base = k_.pose(t.base);
        const Quaternion<double> q = quaternion(transpose(base.R) * frame.R);
        const V v{q.x, q.y, q.z};
        write3(y, v * 2.0);
        k_.for_relative(t.frame, t.base, frame.p, [&](int j, double factor, const Motion<double>& x) {
            const V spin = transposed_times(base.R, x.angular) * factor;
            const V rate = spin * q.w + cross(spin, v);
            J[j] += rate.x;
            J[n_ + j] += rate.y;
            J[2 * n_ + j] += rate.z;
        });
    }

    void distance(const PostureTerm& t, double* y, double* J, double* low, double* high) {
        const int k = t.is_cost ? t.rows : t.rows - 1;
        const P frame = k_.pose(t.frame), base = k_.pose(t.base);
        const V at = frame.p, seen = transposed_times(base.R, at - base.p) - vec3(t.target);
        double squared = 0.0;
        for (int r = 0; r < k; ++r) {
            y[r] = dot(rows_of(t.matrix, r), seen);
            squared += y[r] * y[r];
        }
        k_.for_relative(t.frame, t.base, at, [&](int j, double factor, const Motion<double>& x) {
            const V rate = transposed_times(base.R, x.linear) * factor;
            for (int r = 0; r < k; ++r) J[r * n_ + j] += dot(rows_of(t.matrix, r), rate);
        });
        if (t.is_cost) return;
        const double size = std::sqrt(squared);
        V slope = zero3<double>();
        for (int r = 0; r < k; ++r) (&slope.x)[r] = size > 0.0 ? y[r] / size : (r == 0 ? 1.0 : 0.0);
        y[k] = size;
        PostureNorm::norm_row(n_, k, 1.0, slope, J);
        PostureNorm::bound_norm(t, k, t.most, size, low, high);
    }

    void center_of_mass(const PostureTerm& t, double* y, double* J) {
        const P base = k_.pose(t.base);
        const V center = k_.common_center(t.tree, [&](int j, const V& rate) {
            const V seen = transposed_times(base.R, rate);
            for (int r = 0; r < t.rows; ++r) J[r * n_ + j] += dot(rows_of(t.matrix, r), seen);
        });
        const V seen = transposed_times(base.R, center - base.p);
        for (int r = 0; r < t.rows; ++r) y[r] = dot(rows_of(t.matrix, r), seen);
        k_.for_columns(t.base, center, [&](int j, double factor, const Motion<double>& x) {
            const V rate = transposed_times(base.R, x.linear) * -factor;
            for (int r = 0; r < t.rows; ++r) J[r * n_ + j] += dot(rows_of(t.matrix, r), rate);
        });
    }


private:
    using V = Vec3<double>;
    using P = Pose<double>;

    // Row r of a matrix (rows, 3).
    static V rows_of(const double* M, int r) { return read3(M + 3 * r); }

    PostureKinematics& k_;
    const PostureProgram& p_;
    const int n_;
};

KIDO_END
