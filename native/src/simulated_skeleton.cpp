#include "simulated_skeleton.hpp"

#include <algorithm>

#include "kido/spatial/quaternion.hpp"
#include "kido/spatial/so3.hpp"
#include "kido/tree/joint.hpp"
#include "principal_axes.hpp"

namespace kido {

namespace {

Mat3<double> fixed_axes(const Link& link) { return mat3(link.R); }

void write_matrix(double* to, const Mat3<double>& m) {
    write3(to, m.x);
    write3(to + 3, m.y);
    write3(to + 6, m.z);
}

// Moments about the center of mass, from those about the origin.
Sym3<double> central_inertia(const Link& link, const Vec3<double>& c) {
    const Sym3<double> I = sym3(link.I);
    const double square = dot(c, c), m = link.mass;
    return {I.xx - m * (square - c.x * c.x), I.xy + m * c.x * c.y, I.xz + m * c.x * c.z,
            I.yy - m * (square - c.y * c.y), I.yz + m * c.y * c.z, I.zz - m * (square - c.z * c.z)};
}

// Whether a tree is one rigid body that moves freely, with an inertia of its own.
bool is_one_body(const Model& m) {
    if (m.num_links != 1 || m.links[0].kind != JointKind::free || !(m.links[0].mass > 0.0)) return false;
    return !m.lifted || m.weights[0].mass == 0.0;
}

}  // namespace

SimulatedSkeleton::SimulatedSkeleton(std::shared_ptr<const ModelStorage> model, std::shared_ptr<State> state, bool plain,
                                     NativeWorld& world)
    : model_(std::move(model)), state_(std::move(state)), tree_(-1) {
    if (!plain || !is_one_body(model_->model())) {
        first_row_ = world.add_tree(model_->model(), tree_);
        return;
    }
    const Vec3<double> c = vec3(link().h) * (1.0 / link().mass);
    const Sym3<double> I = central_inertia(link(), c);
    const double matrix[6] = {I.xx, I.xy, I.xz, I.yy, I.yz, I.zz};
    write3(center_, c);
    principal_axes(matrix, moments_, axes_);
    FreeBody body = {link().mass, {moments_[0], moments_[1], moments_[2]}, {0, 0, 0}, {0, 0, 0, 1}, {}, true};
    body.weighs = !model_->model().lifted;
    first_row_ = world.add_body(body);
}

int SimulatedSkeleton::place(int body, const double* offset, double* pose) const {
    const Body& b = model_->model().bodies[body];
    const Mat3<double> body_axes = mat3(b.R);
    Vec3<double> p = vec3(b.p) + body_axes * vec3(offset);
    Mat3<double> R = body_axes * mat3(offset + 3);
    if (b.link >= 0 && is_rigid_body()) {
        const Mat3<double> axes = mat3(axes_);
        p = transposed_times(axes, p - vec3(center_));
        R = transpose(axes) * R;
    }
    write3(pose, p);
    write_matrix(pose + 3, R);
    return b.link < 0 ? 0 : first_row_ + b.link;
}

bool SimulatedSkeleton::bring_motion(NativeWorld& world) {
    const auto positions = state_->version(Quantity::position), velocities = state_->version(Quantity::velocity);
    const bool same = known_ && positions == seen_positions_ && velocities == seen_velocities_;
    if (same && !state_->users()) return false;
    remember();
    write_motion(world, state_->row(Quantity::position), state_->row(Quantity::velocity));
    return true;
}

void SimulatedSkeleton::write_motion(NativeWorld& world, const double* q, const double* v) const {
    if (is_rigid_body()) {
        write_rigid_motion(world, q, v);
        return;
    }
    const int n = state_->num_dofs();
    const TreeNumbers numbers = world.tree(tree_);
    std::copy_n(q, n, numbers.positions);
    std::copy_n(v, n, numbers.velocities);
    if (const double* users = state_->users()) std::copy_n(users, user_numbers(state_->model()), numbers.users);
    world.place_tree(tree_);
}

void SimulatedSkeleton::write_rigid_motion(NativeWorld& world, const double* q, const double* v) const {
    const Mat3<double> R = fixed_axes(link()) * so3_exp(read3(q));
    const Vec3<double> origin = vec3(link().p) + fixed_axes(link()) * read3(q + 3), arm = R * vec3(center_);
    const Vec3<double> angular = R * read3(v), linear = R * read3(v + 3) + cross(angular, arm);
    const Quaternion<double> turn = quaternion(R * mat3(axes_));
    double center[3], velocity[6];
    const double components[4] = {turn.x, turn.y, turn.z, turn.w};
    write3(center, origin + arm);
    write3(velocity, linear);
    write3(velocity + 3, angular);
    world.set_body(first_row_, center, components, velocity);
}

void SimulatedSkeleton::write_loads(NativeWorld& world, const Loads& loads, const unsigned char* limited,
                                    const double* commands) const {
    const int n = state_->num_dofs();
    const auto constant = [&](DofConstant row) { return loads.constants + static_cast<int>(row) * n; };
    if (is_rigid_body()) {
        double wrench[6];
        bring_wrenches(wrench, loads.wrenches);
        // Commands of a free joint are a wrench about its link's origin, in the link's axes.
        const Vec3<double> force = vec3(wrench + 3) + read3(commands + 3);
        const Vec3<double> torque = vec3(wrench) + read3(commands) - cross(vec3(center_), force);
        write3(wrench, transposed_times(mat3(axes_), torque));
        write3(wrench + 3, transposed_times(mat3(axes_), force));
        world.set_body_wrench(first_row_, wrench);
        return;
    }
    const TreeNumbers numbers = world.tree(tree_);
    bring_wrenches(numbers.wrenches, loads.wrenches);
    std::copy_n(constant(DofConstant::friction), n, numbers.friction);
    std::copy_n(constant(DofConstant::stiffness), n, numbers.stiffness);
    std::copy_n(constant(DofConstant::rest_position), n, numbers.rest);
    std::copy_n(constant(DofConstant::damping), n, numbers.damping);
    for (int k = 0; k < n; ++k) {
        const auto between = [&](DofConstant lower, DofConstant upper) {
            return std::min(std::max(commands[k], constant(lower)[k]), constant(upper)[k]);
        };
        numbers.lower[k] = limited[k] ? constant(DofConstant::position_lower)[k] : -HUGE_VAL;
        numbers.upper[k] = limited[k] ? constant(DofConstant::position_upper)[k] : HUGE_VAL;
        numbers.slowest[k] = limited[k] ? constant(DofConstant::velocity_lower)[k] : -HUGE_VAL;
        numbers.fastest[k] = limited[k] ? constant(DofConstant::velocity_upper)[k] : HUGE_VAL;
        numbers.limit_softness[k] = {constant(DofConstant::limit_stiffness)[k], constant(DofConstant::limit_damping)[k],
                                     constant(DofConstant::limit_frequency)[k], constant(DofConstant::limit_damping_ratio)[k]};
        numbers.effort[k] = constant(DofConstant::force_upper)[k];
        numbers.least_effort[k] = constant(DofConstant::force_lower)[k];
        numbers.least_speed[k] = constant(DofConstant::velocity_lower)[k];
        numbers.most_speed[k] = constant(DofConstant::velocity_upper)[k];
        switch (static_cast<Actuator>(loads.actuators[k])) {
            case Actuator::force:
                numbers.drives[k] = Drive::force;
                numbers.commands[k] = between(DofConstant::force_lower, DofConstant::force_upper);
                break;
            case Actuator::acceleration:
                numbers.drives[k] = Drive::acceleration;
                numbers.commands[k] = between(DofConstant::acceleration_lower, DofConstant::acceleration_upper);
                break;
            case Actuator::velocity:
                numbers.drives[k] = Drive::velocity;
                numbers.commands[k] = between(DofConstant::velocity_lower, DofConstant::velocity_upper);
                break;
            case Actuator::servo:
                numbers.drives[k] = Drive::servo;
                numbers.commands[k] = between(DofConstant::velocity_lower, DofConstant::velocity_upper);
                break;
            case Actuator::locked:
                numbers.drives[k] = Drive::velocity;
                numbers.commands[k] = 0.0;
                break;
            default:
                numbers.drives[k] = Drive::force;
                numbers.commands[k] = 0.0;
        }
    }
}

// Sums wrenches on bodies to wrenches on links, about the links' origins, in their axes.
void SimulatedSkeleton::bring_wrenches(double* wrenches, const double* of_bodies) const {
    const Model& m = model_->model();
    std::fill_n(wrenches, 6 * m.num_links, 0.0);
    if (!of_bodies) return;
    for (int i = 0; i < m.num_bodies; ++i) {
        const Body& body = m.bodies[i];
        if (body.link < 0) continue;
        const Vec3<double> torque = mat3(body.R) * vec3(of_bodies + 6 * i), force = mat3(body.R) * vec3(of_bodies + 6 * i + 3);
        double* to = wrenches + 6 * body.link;
        write3(to, vec3(to) + torque + cross(vec3(body.p), force));
        write3(to + 3, vec3(to + 3) + force);
    }
}

void SimulatedSkeleton::take_motion(NativeWorld& world) {
    const int n = state_->num_dofs();
    const std::int64_t nap = n > 0 ? world.nap(first_row_) : 0;
    if (nap != 0 && nap == seen_nap_) return;
    if (is_rigid_body()) {
        double q[6], v[6], a[6];
        read_rigid_motion(world, q, v);
        read_rigid_acceleration(world, a);
        state_->set(Quantity::position, 0, n, q);
        state_->set(Quantity::velocity, 0, n, v);
        state_->set(Quantity::acceleration, 0, n, a);
    } else {
        const TreeNumbers numbers = world.tree(tree_);
        state_->set(Quantity::position, 0, n, numbers.positions);
        state_->set(Quantity::velocity, 0, n, numbers.velocities);
        state_->set(Quantity::acceleration, 0, n, numbers.accelerations);
    }
    remember();
    seen_nap_ = nap;
}

void SimulatedSkeleton::add_shares(int row, const double* factors, bool gives, RowConstraint& constraint) const {
    const int n = state_->num_dofs();
    if (!is_rigid_body()) {
        for (int k = 0; k < n; ++k) {
            if (factors[k] != 0.0) constraint.tree_shares.push_back({row, tree_, k, factors[k], gives});
        }
        return;
    }
    if (std::all_of(factors, factors + n, [](double x) { return x == 0.0; })) return;
    // Velocities of a free joint are those of its link's origin, in the link's axes; the solver's are of the center of mass.
    const Mat3<double> R = fixed_axes(link()) * so3_exp(read3(state_->row(Quantity::position)));
    const Vec3<double> linear = R * read3(factors + 3);
    BodyShare share = {row, first_row_, {}, {}};
    write3(share.linear, linear);
    write3(share.angular, R * read3(factors) - cross(R * vec3(center_), linear));
    constraint.body_shares.push_back(share);
}

void SimulatedSkeleton::read_motion(NativeWorld& world, double* q, double* v, double* a) const {
    if (is_rigid_body()) {
        read_rigid_motion(world, q, v);
        if (a) read_rigid_acceleration(world, a);
        return;
    }
    const TreeNumbers numbers = world.tree(tree_);
    std::copy_n(numbers.positions, state_->num_dofs(), q);
    std::copy_n(numbers.velocities, state_->num_dofs(), v);
    if (a) std::copy_n(numbers.accelerations, state_->num_dofs(), a);
}

void SimulatedSkeleton::read_rigid_motion(const NativeWorld& world, double* q, double* v) const {
    double center[3], turn[4], velocity[6];
    world.body(first_row_, center, turn, velocity);
    rigid_motion(center, turn, velocity, q, v);
}

Mat3<double> SimulatedSkeleton::rigid_motion(const double* center, const double* turn, const double* velocity, double* q,
                                             double* v) const {
    const Mat3<double> R = rotation(Quaternion<double>{turn[0], turn[1], turn[2], turn[3]}) * transpose(mat3(axes_));
    const Vec3<double> arm = R * vec3(center_), angular = vec3(velocity + 3);
    write3(q, so3_log(transpose(fixed_axes(link())) * R));
    write3(q + 3, transposed_times(fixed_axes(link()), vec3(center) - arm - vec3(link().p)));
    write3(v, transposed_times(R, angular));
    write3(v + 3, transposed_times(R, vec3(velocity) - cross(angular, arm)));
    return R;
}

// Velocities in the link's axes are those in principal axes times a constant matrix; so are their rates.
void SimulatedSkeleton::read_rigid_acceleration(const NativeWorld& world, double* a) const {
    double rates[6];
    world.body_acceleration(first_row_, rates);
    const Vec3<double> angular = mat3(axes_) * vec3(rates + 3);
    write3(a, angular);
    write3(a + 3, mat3(axes_) * vec3(rates) - cross(angular, vec3(center_)));
}

}  // namespace kido
