#pragma once

#include "kido/algorithm/jacobian.hpp"
#include "kido/algorithm/kinematics.hpp"
#include "kido/ik/characteristic_length.hpp"
#include "kido/ik/pose_problem.hpp"
#include "kido/ik/search_rules.hpp"
#include "kido/tree/scratch.hpp"

// One iteration of the search for a pose: damped least squares with an active set of joint limits.
// Damping: Sugihara, "Solvability-unconcerned inverse kinematics by the Levenberg-Marquardt method" (2011).

KIDO_BEGIN

template <class T>
struct PoseStep {
    T *q, *sine, *cosine, *step, *free;
    Pose<T>* pose;
    Motion<T>* column;
    unsigned char* prismatic;  // (dofs) whether a dof is a length

    PoseStep(const PoseProblem& p, Scratch& s)
        : q(s.take<T>(p.dofs)),
          sine(s.take<T>(p.dofs)),
          cosine(s.take<T>(p.dofs)),
          step(s.take<T>(p.dofs)),
          free(s.take<T>(p.dofs)),
          pose(s.take<Pose<T>>(p.path_links)),
          column(s.take<Motion<T>>(p.dofs)),
          prismatic(s.take<unsigned char>(p.dofs)) {}
};

// Forward kinematics of the path, and the error of the frame at its end.
template <class T>
KIDO_INLINE PoseError<T> pose_error(const PoseProblem& p, const PoseStep<T>& w, const Mat3<T>& target_R,
                                    const Vec3<T>& target_p, Vec3<T>& point) {
    sincos(w.q, p.dofs, w.sine, w.cosine);
    int dof = 0;
    for (int k = 0; k < p.path_links; ++k) {
        const Link& link = p.model->links[p.path[k]];
        const Pose<T>* parent = k == 0 ? nullptr : w.pose + k - 1;
        visit(link.kind, [&](auto joint) {
            using J = decltype(joint);
            const Mat3<T> base = parent ? parent->R * mat3(link.R) : broadcast<T>(mat3(link.R));
            Vec3<T> at = parent ? parent->p + parent->R * vec3(link.p) : broadcast<T>(vec3(link.p));
            if constexpr (J::translates) at += J::translate(link, base, w.q + dof);
            w.pose[k] = {J::rotate(base, w.q + dof, w.sine[dof], w.cosine[dof]), at};
            dof += J::dofs;
        });
    }
    const Pose<T>& last = w.pose[p.path_links - 1];
    const Mat3<T> R = last.R * mat3(p.R);
    point = last.p + last.R * vec3(p.p);
    return region_error<T>(p.region, {target_R, target_p}, {R, point});
}

// Columns of the Jacobian, in world axes.
template <class T>
KIDO_INLINE void pose_columns(const PoseProblem& p, const PoseStep<T>& w, const Vec3<T>& point) {
    int dof = 0;
    for (int k = 0; k < p.path_links; ++k) {
        const Link& link = p.model->links[p.path[k]];
        const Vec3<T> arm = point - w.pose[k].p;
        visit(link.kind, [&](auto joint) {
            for_axes(joint, link, w.pose[k].R,
                     [&](int i, const auto& axis) { w.column[dof + i] = axis_velocity(axis, arm); });
        });
        dof += link.dof_count;
    }
}

// Symmetric positive definite 6 x 6, by L D L^T, in place; only the lower triangle is read.
template <class T>
KIDO_INLINE void solve6(T (&A)[6][6], T (&x)[6]) {
    T inverse[6];
    KIDO_UNROLL
    for (int j = 0; j < 6; ++j) {
        T d = A[j][j];
        for (int k = 0; k < j; ++k) d = d - A[j][k] * A[j][k] * A[k][k];
        A[j][j] = d;
        inverse[j] = 1.0 / d;
        for (int i = j + 1; i < 6; ++i) {
            T sum = A[i][j];
            for (int k = 0; k < j; ++k) sum = sum - A[i][k] * A[j][k] * A[k][k];
            A[i][j] = sum * inverse[j];
        }
    }
    for (int i = 0; i < 6; ++i) {
        for (int k = 0; k < i; ++k) x[i] = x[i] - A[i][k] * x[k];
    }
    for (int i = 0; i < 6; ++i) x[i] = x[i] * inverse[i];
    for (int i = 5; i >= 0; --i) {
        for (int k = i + 1; k < 6; ++k) x[i] = x[i] - A[k][i] * x[k];
    }
}

// Damped step of the free dofs for the remaining error: W J^T (J W J^T + damping)^-1 error, with the weights W of the dofs.
template <class T>
KIDO_INLINE void damped_step(const PoseProblem& p, const PoseStep<T>& w, const T (&error)[6], const T& damping) {
    T A[6][6], y[6];
    for (int r = 0; r < 6; ++r) {
        y[r] = error[r];
        for (int c = 0; c < r; ++c) A[r][c] = T(0.0);
        A[r][r] = damping;
    }
    for (int j = 0; j < p.dofs; ++j) {
        const Motion<T>& J = w.column[j];
        const T row[6] = {J.angular.x, J.angular.y, J.angular.z, J.linear.x, J.linear.y, J.linear.z};
        KIDO_UNROLL
        for (int r = 0; r < 6; ++r) {
            const T scaled = row[r] * w.free[j];
            for (int c = 0; c <= r; ++c) A[r][c] = A[r][c] + scaled * row[c];
        }
    }
    solve6(A, y);
    for (int j = 0; j < p.dofs; ++j) {
        const Motion<T>& J = w.column[j];
        const T d = J.angular.x * y[0] + J.angular.y * y[1] + J.angular.z * y[2] + J.linear.x * y[3] +
                    J.linear.y * y[4] + J.linear.z * y[5];
        w.step[j] = select(w.free[j] > T(0.0), d * w.free[j], w.step[j]);
    }
}

// One iteration: weighted columns and error, an active set of limits, a bounded step. `factor`: of the damping.
template <class T>
KIDO_INLINE void pose_iterate(const PoseProblem& p, const PoseStep<T>& w, const PoseError<T>& e, const T& squared,
                              const T& factor, const CharacteristicLength<T>& length, Mask<T> moving) {
    const T metric = length.value * length.value;
    T error[6];
    weighted(p.region, e, error);
    for (int j = 0; j < p.dofs; ++j) {
        Motion<T>& J = w.column[j];
        J = region_column(p.region, e, J, length.inverse);
        const T downhill = J.angular.x * error[0] + J.angular.y * error[1] + J.angular.z * error[2] +
                           J.linear.x * error[3] + J.linear.y * error[4] + J.linear.z * error[5];
        const T room = select(downhill > T(0.0), T(p.upper[j]) - w.q[j], w.q[j] - T(p.lower[j]));
        const T relative = w.prismatic[j] ? room * length.inverse : room;
        const T weight = weight_by_room(relative);
        const T scale = w.prismatic[j] ? metric : T(1.0);
        w.free[j] = select(room > T(0.0), weight, T(0.0)) * (p.moves[j] ? scale : T(0.0));
        w.step[j] = T(0.0);
    }
    const T damping = squared * factor + p.least_damping;
    for (int round = 0; round < 3; ++round) {
        damped_step(p, w, error, damping);
        Mask<T> over = T(1.0) < T(0.0);
        for (int j = 0; j < p.dofs; ++j) {
            const T low = T(p.lower[j]) - w.q[j], high = T(p.upper[j]) - w.q[j];
            const auto beyond = ((w.step[j] < low) | (w.step[j] > high)) & (w.free[j] > T(0.0));
            if (!any(beyond)) continue;
            over = over | beyond;
            const T allowed = min(max(w.step[j], low), high);
            const T taken = select(beyond, allowed, T(0.0));
            w.step[j] = select(beyond, allowed, w.step[j]);
            w.free[j] = select(beyond, T(0.0), w.free[j]);
            const Motion<T>& J = w.column[j];
            const T row[6] = {J.angular.x, J.angular.y, J.angular.z, J.linear.x, J.linear.y, J.linear.z};
            for (int r = 0; r < 6; ++r) error[r] = error[r] - row[r] * taken;
        }
        if (!any(over)) break;
    }
    T largest = T(p.largest_step);
    for (int j = 0; j < p.dofs; ++j) {
        largest = max(largest, T(abs(w.prismatic[j] ? w.step[j] * length.inverse : w.step[j])));
    }
    const T scale = p.largest_step / largest;
    int dof = 0;
    for (int k = 0; k < p.path_links; ++k) {
        const Link& link = p.model->links[p.path[k]];
        T* q = w.q + dof;
        const T* d = w.step + dof;
        if (link.kind == JointKind::ball || link.kind == JointKind::free) {
            const Mat3<T> R = so3_exp(read3(q));
            const Vec3<T> rotation = read3(d) * scale;
            write3(q, select<T>(moving, so3_log(R * so3_exp(rotation)), read3(q)));
            if (link.kind == JointKind::free) {
                const Vec3<T> translation = R * (so3_left_jacobian(rotation) * (read3(d + 3) * scale));
                write3(q + 3, select<T>(moving, read3(q + 3) + translation, read3(q + 3)));
            }
        } else {
            q[0] = select(moving, min(max(q[0] + d[0] * scale, T(p.lower[dof])), T(p.upper[dof])), q[0]);
        }
        dof += link.dof_count;
    }
}

KIDO_END
