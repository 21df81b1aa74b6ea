#include "scaled_step.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "frame_jacobian.hpp"
#include "instruction_set.hpp"
#include "kido/spatial/so3.hpp"

namespace kido {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kRounding = 1e-14;  // of poses, relative to the numbers that they are computed from

bool is_group(const Link& link) { return link.kind == JointKind::ball || link.kind == JointKind::free; }

void write_block(const Mat3<double>& M, double* to, int stride) {
    const Vec3<double> columns[] = {M.x, M.y, M.z};
    for (int c = 0; c < 3; ++c) {
        to[c] = columns[c].x;
        to[stride + c] = columns[c].y;
        to[2 * stride + c] = columns[c].z;
    }
}

double sign_of(double value, double lower, double upper) { return value <= lower ? -1.0 : value >= upper ? 1.0 : 0.0; }

}  // namespace

bool has_groups(const Model& m) {
    return std::any_of(m.links, m.links + m.num_links, [](const Link& link) { return is_group(link); });
}

void position_rates(const Model& m, const double* q, double* N, double* N_inverse) {
    const int n = m.num_dofs;
    for (double* matrix : {N, N_inverse}) {
        std::fill(matrix, matrix + n * n, 0.0);
        for (int d = 0; d < n; ++d) matrix[d * n + d] = 1.0;
    }
    for (int i = 0; i < m.num_links; ++i) {
        const Link& link = m.links[i];
        if (!is_group(link)) continue;
        const int at = link.dof * n + link.dof;
        const Vec3<double> r = read3(q + link.dof);
        write_block(so3_right_jacobian_inverse(r), N + at, n);
        write_block(so3_right_jacobian(r), N_inverse + at, n);
        if (link.kind != JointKind::free) continue;
        const Mat3<double> R = so3_exp(r);
        write_block(R, N + at + 3 * n + 3, n);
        write_block(transpose(R), N_inverse + at + 3 * n + 3, n);
    }
}

// The error of a pose as a velocity that takes it away in a step, within the limits of speed.
void ScaledStep::track(const Mat3<double>& R, const Vec3<double>& p, const double* T, double* twist) const {
    const Mat3<double> desired = {{T[0], T[4], T[8]}, {T[1], T[5], T[9]}, {T[2], T[6], T[10]}};
    const double rate = 1.0 / limits_.time_step;
    Vec3<double> angular = so3_log(desired * transpose(R)) * rate;
    const double speed = std::sqrt(dot(angular, angular));
    if (speed > limits_.angular_speed) angular = angular * (limits_.angular_speed / speed);
    write3(twist, angular);
    const double linear[3] = {(T[3] - p.x) * rate, (T[7] - p.y) * rate, (T[11] - p.z) * rate};
    for (int k = 0; k < 3; ++k) twist[3 + k] = std::min(std::max(linear[k], limits_.linear_lower[k]), limits_.linear_upper[k]);
}

// Poses are known to the rounding of where they are in the world, whatever they are seen from.
void ScaledStep::raise_size(const Vec3<double>& p) {
    for (double x : {p.x, p.y, p.z}) size_ = std::max(size_, std::fabs(x));
}

// Rows of J and V of a frame, in its own axes.
void ScaledStep::add_frame(State& state, const ScaledFrame& wanted) {
    const int n = state.num_dofs();
    const FrameMotion<double> own = wanted.frame->motion(Order::pose);
    Mat3<double> R = own.R;
    Vec3<double> p = own.p;
    raise_size(p);
    if (wanted.base) {
        const FrameMotion<double> from = wanted.base->motion(Order::pose);
        raise_size(from.p);
        R = transpose(from.R) * own.R;
        p = transposed_times(from.R, own.p - from.p);
    }
    double twist[6];
    if (wanted.is_pose) {
        track(R, p, wanted.target, twist);
    } else {
        std::copy_n(wanted.target, 6, twist);
    }
    write3(twist, transposed_times(R, read3(twist)));
    write3(twist + 3, transposed_times(R, read3(twist + 3)));
    JacobianRequest request;
    request.relative_to = wanted.base;
    request.axes = {Axes::Of::self, nullptr};
    whole_.resize(static_cast<std::size_t>(6) * n);
    FrameJacobian(*wanted.frame, request, &state).write(whole_.data());
    for (int r = 0; r < 6; ++r) {
        if (!limits_.flags[r]) continue;
        V_.push_back(twist[r]);
        J_.insert(J_.end(), whole_.begin() + r * n, whole_.begin() + (r + 1) * n);
    }
}

QuadraticStatus ScaledStep::solve_frames(State& state, const std::vector<ScaledFrame>& frames, double* v, double& alpha,
                                         ScaledActive& active) {
    const int n = state.num_dofs();
    V_.clear();
    J_.clear();
    size_ = 1.0;
    for (const ScaledFrame& frame : frames) add_frame(state, frame);
    ScaledInput input = {static_cast<int>(V_.size()), state.row(Quantity::position), state.row(Quantity::velocity), V_.data(), J_.data(),
                         nullptr, nullptr, kRounding * size_ / limits_.time_step};
    if (has_groups(state.model())) {
        N_.resize(static_cast<std::size_t>(n) * n);
        N_inverse_.resize(N_.size());
        position_rates(state.model(), input.q, N_.data(), N_inverse_.data());
        input.N = N_.data();
        input.N_inverse = N_inverse_.data();
    }
    return solve(input, v, alpha, active);
}

// c = N+ K (nominal - q).
void ScaledStep::set_center(const ScaledInput& in) {
    const int nq = limits_.positions, n = limits_.velocities;
    center_.assign(n, 0.0);
    if (limits_.gain.empty()) return;
    pull_.assign(nq, 0.0);
    for (int i = 0; i < nq; ++i) {
        for (int k = 0; k < nq; ++k) pull_[i] += limits_.gain[i * nq + k] * (limits_.nominal[k] - in.q[k]);
    }
    for (int j = 0; j < n; ++j) {
        if (!in.N_inverse) {
            center_[j] = pull_[j];
            continue;
        }
        for (int i = 0; i < nq; ++i) center_[j] += in.N_inverse[j * nq + i] * pull_[i];
    }
}

void ScaledStep::set_bounds(const ScaledInput& in) {
    const int nq = limits_.positions, n = limits_.velocities;
    const double dt = limits_.time_step;
    lower_.assign(n, -kInfinity);
    upper_.assign(n, kInfinity);
    const auto narrow = [&](int j, double low, double high) {
        lower_[j] = std::max(lower_[j], low);
        upper_[j] = std::min(upper_[j], high);
    };
    for (int j = 0; j < n; ++j) {
        if (!limits_.velocity.is_empty()) narrow(j, limits_.velocity.lower[j], limits_.velocity.upper[j]);
        if (!limits_.acceleration.is_empty()) {
            narrow(j, in.v[j] + limits_.acceleration.lower[j] * dt, in.v[j] + limits_.acceleration.upper[j] * dt);
        }
    }
    position_lower_.clear();
    position_upper_.clear();
    if (limits_.position.is_empty()) return;
    for (int i = 0; i < nq; ++i) {
        position_lower_.push_back((limits_.position.lower[i] - in.q[i]) / dt);
        position_upper_.push_back((limits_.position.upper[i] - in.q[i]) / dt);
        if (!in.N) narrow(i, position_lower_[i], position_upper_[i]);
    }
}

void ScaledStep::set_rows(const ScaledInput& in) {
    G_ = limits_.G;
    G_lower_ = limits_.rows.lower;
    G_upper_ = limits_.rows.upper;
    if (!in.N || position_lower_.empty()) return;
    const int nq = limits_.positions, n = limits_.velocities;
    G_.insert(G_.end(), in.N, in.N + static_cast<std::ptrdiff_t>(nq) * n);
    G_lower_.insert(G_lower_.end(), position_lower_.begin(), position_lower_.end());
    G_upper_.insert(G_upper_.end(), position_upper_.begin(), position_upper_.end());
    if (limits_.coupling.is_empty()) return;
    for (int i = 0; i < nq; ++i) {
        const double* row = in.N + static_cast<std::ptrdiff_t>(i) * n;
        bool moves = false;
        for (int j = 0; j < n; ++j) moves |= row[j] != 0.0 && limits_.coupling.moves(j);
        if (moves) continue;
        G_lower_[G_lower_.size() - nq + i] = -kInfinity;  // it stays where it is
        G_upper_[G_upper_.size() - nq + i] = kInfinity;
    }
}

QuadraticStatus ScaledStep::solve(const ScaledInput& in, double* v, double& alpha, ScaledActive& active) {
    set_center(in);
    set_bounds(in);
    set_rows(in);
    const int n = limits_.velocities, m = static_cast<int>(G_lower_.size());
    alpha = 0.0;
    std::fill(v, v + n, 0.0);
    active = {};
    const ScaledProgram program = {n, in.rows, m, in.V, in.J, center_.data(), lower_.data(), upper_.data(),
                                   G_.data(), G_lower_.data(), G_upper_.data(), in.rounding};
    const QuadraticStatus status = limits_.coupling.is_empty() ? solve_program(program, v, alpha) : solve_coupled(program, v, alpha);
    if (status != QuadraticStatus::solved) {
        std::fill(v, v + n, 0.0);
        return status;
    }
    tell_active(in, side_.data(), active);
    return status;
}

QuadraticStatus ScaledStep::solve_program(const ScaledProgram& program, double* v, double& alpha) {
    for (int j = 0; j < program.dofs; ++j) {
        if (program.lower[j] > program.upper[j]) return QuadraticStatus::infeasible;
    }
    side_.assign(program.dofs + program.limit_rows, 0.0);
    ScaledResult result = {v, side_.data(), 0.0, {}};
    const VelocityKernels& kernels = active_kernels().velocity;
    kernels.solve_scaled(program, result, memory_.at_least(kernels.scaled_bytes(program)));
    alpha = result.alpha;
    return result.outcome.status;
}

// The program of w with v = T w.
QuadraticStatus ScaledStep::solve_coupled(const ScaledProgram& p, double* v, double& alpha) {
    const VelocityCoupling& coupling = limits_.coupling;
    const std::vector<double> J = coupling.columns(p.J, p.rows), G = coupling.columns(p.G, p.limit_rows);
    const std::vector<double> center = coupling.columns(p.center, 1);
    std::vector<double> lower, upper, w(coupling.unknowns());
    coupling.narrow(lower_, upper_, lower, upper);
    const QuadraticStatus status = solve_program({coupling.unknowns(), p.rows, p.limit_rows, p.V, J.data(), center.data(), lower.data(),
                                                  upper.data(), G.data(), p.limit_lower, p.limit_upper, p.rounding}, w.data(), alpha);
    if (status != QuadraticStatus::solved) return status;
    coupling.expand(w.data(), v);
    for (int j = 0; j < p.dofs; ++j) {
        if (coupling.moves(j)) v[j] = std::min(std::max(v[j], p.lower[j]), p.upper[j]);  // within rounding
    }
    std::vector<double> side = coupling.sides(side_.data(), lower_, upper_, lower, upper);
    side.insert(side.end(), side_.begin() + coupling.unknowns(), side_.end());
    side_ = std::move(side);
    return status;
}

void ScaledStep::tell_active(const ScaledInput& in, const double* side, ScaledActive& active) const {
    const int nq = limits_.positions, n = limits_.velocities, given = static_cast<int>(limits_.rows.lower.size());
    const double dt = limits_.time_step;
    active.position.assign(nq, 0.0);
    active.velocity.assign(n, 0.0);
    active.acceleration.assign(n, 0.0);
    active.rows.assign(side + n, side + n + given);
    for (int j = 0; j < n; ++j) {
        if (side[j] == 0.0) continue;
        const double bound = side[j] < 0.0 ? lower_[j] : upper_[j];
        if (!limits_.velocity.is_empty()) active.velocity[j] = sign_of(bound, limits_.velocity.lower[j], limits_.velocity.upper[j]);
        if (!limits_.acceleration.is_empty()) {
            const double low = in.v[j] + limits_.acceleration.lower[j] * dt, high = in.v[j] + limits_.acceleration.upper[j] * dt;
            active.acceleration[j] = sign_of(bound, low, high);
        }
        if (!in.N && !position_lower_.empty()) active.position[j] = sign_of(bound, position_lower_[j], position_upper_[j]);
    }
    if (in.N && !position_lower_.empty()) std::copy_n(side + n + given, nq, active.position.begin());
}

}  // namespace kido
