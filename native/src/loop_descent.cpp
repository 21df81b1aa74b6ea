#include "loop_descent.hpp"

#include <algorithm>
#include <cmath>

namespace kido {

namespace {

constexpr double kReached = 1e-10, kLargestStep = 0.7;

LoopTransform motion(const LoopJoint& joint, double x) {
    LoopTransform T;
    if (joint.prismatic) {
        T.p[2] = joint.scale * x;
        return T;
    }
    const double c = std::cos(joint.scale * x), s = std::sin(joint.scale * x);
    T.R[0] = T.R[4] = c;
    T.R[1] = -s;
    T.R[3] = s;
    return T;
}

void cross(const double* a, const double* b, double* c) {
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

// The rotation vector of R; near half a turn some vector of about that length.
void rotation_vector(const double* R, double* v) {
    v[0] = 0.5 * (R[7] - R[5]);
    v[1] = 0.5 * (R[2] - R[6]);
    v[2] = 0.5 * (R[3] - R[1]);
    const double s = std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]), c = 0.5 * (R[0] + R[4] + R[8] - 1.0);
    const double angle = std::atan2(s, c);
    if (s < 1e-6 && c < 0.0) {
        for (int i = 0; i < 3; ++i) v[i] = angle * std::sqrt(std::max(0.0, 0.5 * (R[4 * i] + 1.0)));
        return;
    }
    const double factor = s > 1e-9 ? angle / s : 1.0;
    for (int i = 0; i < 3; ++i) v[i] *= factor;
}

double angle_of(const double* a) {
    LoopTransform R;
    const int axes[3][2] = {{0, 1}, {2, 0}, {1, 2}};  // planes of Rz, Ry, Rx
    for (int k = 0; k < 3; ++k) {
        LoopTransform one;
        const auto [i, j] = axes[k];
        one.R[4 * i] = one.R[4 * j] = std::cos(a[k]);
        one.R[3 * i + j] = -std::sin(a[k]);
        one.R[3 * j + i] = std::sin(a[k]);
        R = R * one;
    }
    double v[3];
    rotation_vector(R.R, v);
    return std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

}  // namespace

LoopDescent::LoopDescent(const LoopProblem& problem) : p_(problem), n_(problem.variables()) {
    gradient_.resize(n_);
    hessian_.resize(static_cast<std::size_t>(n_) * n_);
    step_.resize(n_);
    next_.resize(n_);
    free_.resize(n_);
}

double LoopDescent::measure(const double* x, bool with_derivatives) {
    residual_.clear();
    jacobian_.clear();
    for (const Loop& loop : p_.loops) measure_loop(loop, x, with_derivatives);
    measure_rows(x);
    double sum = 0.0;
    for (const double r : residual_) sum += r * r;
    return sum;
}

void LoopDescent::measure_loop(const Loop& loop, const double* x, bool with_derivatives) {
    const int joints = static_cast<int>(loop.joints.size());
    double axis[kMostLoopJoints][3], origin[kMostLoopJoints][3];
    LoopTransform T;
    for (int i = 0; i < joints; ++i) {
        T = T * loop.joints[i].before;
        for (int k = 0; k < 3; ++k) {
            axis[i][k] = T.R[3 * k + 2];
            origin[i][k] = T.p[k];
        }
        T = T * motion(loop.joints[i], x[loop.joints[i].variable]);
    }
    T = T * loop.tool;
    double v[3];
    rotation_vector(T.R, v);
    const int first = loop.closes_position ? 0 : 3, end = loop.closes_orientation ? 6 : 3;
    const std::size_t at = jacobian_.size();
    for (int k = first; k < end; ++k) residual_.push_back(k < 3 ? T.p[k] : p_.lever * v[k - 3]);
    jacobian_.resize(at + static_cast<std::size_t>(end - first) * n_, 0.0);
    if (!with_derivatives) return;
    for (int i = 0; i < joints; ++i) {
        const LoopJoint& joint = loop.joints[i];
        double column[6] = {};
        if (joint.prismatic) {
            std::copy_n(axis[i], 3, column);
        } else {
            const double arm[3] = {T.p[0] - origin[i][0], T.p[1] - origin[i][1], T.p[2] - origin[i][2]};
            cross(axis[i], arm, column);
            for (int k = 0; k < 3; ++k) column[3 + k] = p_.lever * axis[i][k];
        }
        for (int k = first; k < end; ++k) jacobian_[at + static_cast<std::size_t>(k - first) * n_ + joint.variable] += joint.scale * column[k];
    }
}

void LoopDescent::measure_rows(const double* x) {
    for (const LinearRow& row : p_.rows) {
        double beyond = -row.bound;
        for (std::size_t k = 0; k < row.variables.size(); ++k) beyond += row.coefficients[k] * x[row.variables[k]];
        if (beyond <= 0.0) continue;
        const std::size_t at = jacobian_.size();
        residual_.push_back(beyond);
        jacobian_.resize(at + n_, 0.0);
        for (std::size_t k = 0; k < row.variables.size(); ++k) jacobian_[at + row.variables[k]] += row.coefficients[k];
    }
    for (const AngleRow& row : p_.angles) {
        double a[3];
        for (int k = 0; k < 3; ++k) a[k] = x[row.variables[k]];
        const double beyond = angle_of(a) - row.angle;
        if (beyond <= 0.0) continue;
        const std::size_t at = jacobian_.size();
        residual_.push_back(p_.lever * beyond);
        jacobian_.resize(at + n_, 0.0);
        constexpr double h = 1e-6;
        for (int k = 0; k < 3; ++k) {
            const double here = a[k];
            a[k] = here + h;
            const double up = angle_of(a);
            a[k] = here - h;
            jacobian_[at + row.variables[k]] = p_.lever * (up - angle_of(a)) / (2.0 * h);
            a[k] = here;
        }
    }
}

// The steepest descent, and which variables are not held at a limit by it.
void LoopDescent::find_free(const double* x) {
    std::fill(gradient_.begin(), gradient_.end(), 0.0);
    for (std::size_t r = 0; r < residual_.size(); ++r) {
        for (int i = 0; i < n_; ++i) gradient_[i] -= jacobian_[r * n_ + i] * residual_[r];
    }
    for (int i = 0; i < n_; ++i) {
        const bool low = x[i] <= p_.lower[i] && gradient_[i] < 0.0, high = x[i] >= p_.upper[i] && gradient_[i] > 0.0;
        free_[i] = !low && !high;
    }
}

// Cholesky's method; false where rounding leaves the matrix indefinite.
bool LoopDescent::find_step(double damping) {
    double* H = hessian_.data();
    for (int a = 0; a < n_; ++a) {
        for (int b = 0; b <= a; ++b) {
            double sum = a == b ? (free_[a] ? damping : 1.0) : 0.0;
            if (free_[a] && free_[b]) {
                for (std::size_t r = 0; r < residual_.size(); ++r) sum += jacobian_[r * n_ + a] * jacobian_[r * n_ + b];
            }
            for (int k = 0; k < b; ++k) sum -= H[a * n_ + k] * H[b * n_ + k];
            if (a == b && !(sum > 0.0)) return false;
            H[a * n_ + b] = a == b ? std::sqrt(sum) : sum / H[b * n_ + b];
        }
    }
    for (int a = 0; a < n_; ++a) {
        double sum = free_[a] ? gradient_[a] : 0.0;
        for (int k = 0; k < a; ++k) sum -= H[a * n_ + k] * step_[k];
        step_[a] = sum / H[a * n_ + a];
    }
    for (int a = n_ - 1; a >= 0; --a) {
        double sum = step_[a];
        for (int k = a + 1; k < n_; ++k) sum -= H[k * n_ + a] * step_[k];
        step_[a] = sum / H[a * n_ + a];
    }
    return true;
}

double LoopDescent::run(double* x, int most_steps) {
    double damping = 1e-2, value = measure(x, true);
    for (int iteration = 0; iteration < most_steps && value > kReached * kReached; ++iteration) {
        find_free(x);
        double slope = 0.0;
        for (int i = 0; i < n_; ++i) slope += free_[i] ? gradient_[i] * gradient_[i] : 0.0;
        if (slope < 1e-30) break;
        bool better = false;
        const double before = value;
        for (int attempt = 0; attempt < 8 && !better; ++attempt) {
            if (find_step(damping)) {
                for (int i = 0; i < n_; ++i) {
                    next_[i] = std::clamp(x[i] + std::clamp(step_[i], -kLargestStep, kLargestStep), p_.lower[i], p_.upper[i]);
                }
                const double found = measure(next_.data(), false);
                better = found < value;
                if (better) value = found;
            }
            damping = better ? std::max(damping * 0.2, 1e-12) : std::max(damping * 5.0, 1e-9);
        }
        if (!better) break;
        std::copy(next_.begin(), next_.end(), x);
        if (before - value < 1e-9 * value) break;
        measure(x, true);
    }
    return std::sqrt(value);
}

}  // namespace kido
