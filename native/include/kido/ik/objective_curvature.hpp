#pragma once

#include "kido/ik/objective_program.hpp"

// Curvature of the Lagrangian along the constraints, from the change of its gradient: damped BFGS, Nocedal and Wright,
// procedure 18.2, of the parts of step and change within the tangent space. Outside of it the curvature is that of the
// constraints times their multipliers, which are large beside singular positions: where the tangent space turns, it
// would shorten the steps after it. Nocedal and Overton, "Projected Hessian updating algorithms for nonlinearly
// constrained optimization" (1985). Along the step the curvature is that at its end, by the values there as well: between them the
// gradients alone tell the one in the middle. Zhang, Deng and Chen, "New quasi-Newton equation and related methods for unconstrained
// optimization" (1999).

KIDO_BEGIN

class ObjectiveCurvature : protected ObjectiveProgram {
protected:
    using ObjectiveProgram::ObjectiveProgram;

    // That of which a step along the gradient, but for what the constraints take of it, changes no dof by more than `kFirst`: as
    // far as that goes, as it may be all but nothing.
    void start_curvature() {
        fill_normals();
        for (int i = 0; i < o_.unknowns; ++i) o_.curved[i] = o_.gradient[i];
        make_tangent(o_.curved);
        double most = max(kLeast * largest_gradient(), 1e-300);
        for (int i = 0; i < o_.unknowns; ++i) most = max(most, abs(o_.curved[i]));
        for (int i = 0; i < o_.unknowns; ++i) {
            for (int k = 0; k < o_.unknowns; ++k) o_.qp.H[i * o_.unknowns + k] = i == k ? most / kFirst : 0.0;
        }
        scaled_ = false;
    }

    // The gradient of the Lagrangian before a step.
    void remember_lagrangian() {
        for (int i = 0; i < o_.unknowns; ++i) o_.before[i] = lagrangian(i);
    }

    // The change of the dofs since `best`, in their units, along the group.
    void measure_change() {
        for (int i = 0; i < o_.unknowns; ++i) {
            const int j = o_.dof[i];
            const Link& link = m_.links[m_.dof_link[j]];
            if (!moves_as_group(j)) {
                o_.change[i] = (w_.q[j] - w_.best[j]) / (is_prismatic(link, j - link.dof) ? length_.value : 1.0);
                continue;
            }
            const Mat3<double> R = so3_exp(read3(w_.best + link.dof));
            double own[6] = {};
            write3(own, so3_log(transpose(R) * so3_exp(read3(w_.q + link.dof))));
            if (link.kind == JointKind::free) {
                write3(own + 3, transpose(R) * (read3(w_.q + link.dof + 3) - read3(w_.best + link.dof + 3)) * length_.inverse);
            }
            o_.change[i] = own[j - link.dof];
        }
    }

    // After a step whose change was measured, by which the Lagrangian rose, to within some noise, and after the program was filled at
    // its end.
    void update_curvature(double rise, double noise) {
        const int n = o_.unknowns;
        double *B = o_.qp.H, *y = o_.before;
        const double length = sqrt(square_of(o_.change)), before = slope_along_change(y);
        fill_normals();
        for (int i = 0; i < n; ++i) o_.curved[i] = lagrangian(i);
        const double after = slope_along_change(o_.curved);
        for (int i = 0; i < n; ++i) y[i] = o_.curved[i] - y[i];
        make_tangent(o_.change);
        make_tangent(y);
        const double at_end = (2.0 * before + 4.0 * after) / length - 6.0 * rise / (length * length);
        if (6.0 * noise <= kTold * product_of(o_.change, y)) bend(at_end);
        double sBs = 0.0, sy = 0.0, yy = 0.0, sr = 0.0;
        for (int i = 0; i < n; ++i) {
            sy += o_.change[i] * y[i];
            yy += y[i] * y[i];
        }
        if (!scaled_ && sy > 0.0) {
            for (int i = 0; i < n * n; ++i) B[i] = 0.0;
            for (int i = 0; i < n; ++i) B[i * n + i] = yy / sy;
        }
        scaled_ = true;
        for (int i = 0; i < n; ++i) {
            o_.curved[i] = 0.0;
            for (int k = 0; k < n; ++k) o_.curved[i] += B[i * n + k] * o_.change[k];
            sBs += o_.change[i] * o_.curved[i];
        }
        if (!(sBs > 0.0)) return;
        const double theta = sy >= 0.2 * sBs ? 1.0 : 0.8 * sBs / (sBs - sy);
        for (int i = 0; i < n; ++i) {
            y[i] = theta * y[i] + (1.0 - theta) * o_.curved[i];
            sr += o_.change[i] * y[i];
        }
        for (int i = 0; i < n; ++i) {
            for (int k = 0; k < n; ++k) B[i * n + k] += y[i] * y[k] / sr - o_.curved[i] * o_.curved[k] / sBs;
        }
    }

private:
    static constexpr double kFirst = 0.2;        // [rad, characteristic length]
    static constexpr double kLeast = 0.1;        // of a gradient: what the constraints leave of it, at which the first step is that long
    static constexpr double kDiffers = 3.0;      // factor between the curvature at the end of a step and that in its middle
    static constexpr double kTold = 0.01;        // part of a change of the gradient, above which noise hides the curvature at the end
    static constexpr double kDependent = 1e-12;  // part of a normal outside those before it, that is none

    double product_of(const double* x, const double* y) const {
        double sum = 0.0;
        for (int i = 0; i < o_.unknowns; ++i) sum += x[i] * y[i];
        return sum;
    }

    double square_of(const double* x) const { return product_of(x, x); }

    // That of a gradient along the change, where this is tangent to the constraints whose normals are known.
    double slope_along_change(const double* gradient) const {
        for (int i = 0; i < o_.unknowns; ++i) o_.tangent[i] = o_.change[i];
        make_tangent(o_.tangent);
        return product_of(gradient, o_.tangent) / sqrt(max(square_of(o_.tangent), 1e-300));
    }

    // Has the change of the gradient tell of a curvature along the change of the dofs, or as much as differs little from what it told.
    void bend(double curvature) {
        const double square = square_of(o_.change), told = product_of(o_.change, o_.before) / square;
        const double more = min(max(curvature, told / kDiffers), kDiffers * told) - told;
        for (int i = 0; i < o_.unknowns; ++i) o_.before[i] += more * o_.change[i];
    }

    // An orthonormal basis of the normals of equations and of active inequalities: modified Gram-Schmidt, twice.
    void fill_normals() {
        const QuadraticSolver<double>& qp = o_.qp;
        const int n = o_.unknowns;
        rank_ = 0;
        for (int r = 0; r < qp.m && rank_ < n; ++r) {
            if (qp.row_lower[r] != qp.row_upper[r] && qp.side[n + r] == 0.0) continue;
            double *v = o_.normals + rank_ * n, whole = 0.0, rest = 0.0;
            for (int i = 0; i < n; ++i) {
                v[i] = qp.A[r * n + i];
                whole += v[i] * v[i];
            }
            for (int pass = 0; pass < 2; ++pass) make_tangent(v);
            for (int i = 0; i < n; ++i) rest += v[i] * v[i];
            if (rest <= kDependent * kDependent * whole) continue;
            const double inverse = 1.0 / sqrt(rest);
            for (int i = 0; i < n; ++i) v[i] *= inverse;
            ++rank_;
        }
    }

    // Takes from x what it has along the normals.
    void make_tangent(double* x) const {
        const int n = o_.unknowns;
        for (const double* v = o_.normals; v != o_.normals + rank_ * n; v += n) {
            double along = 0.0;
            for (int i = 0; i < n; ++i) along += v[i] * x[i];
            for (int i = 0; i < n; ++i) x[i] -= along * v[i];
        }
    }

    bool scaled_ = false;  // whether the curvature has the objective's size
    int rank_ = 0;         // of the normals
};

KIDO_END
