#include "simulated_tree.hpp"

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

// Whether a tree is one rigid body that moves freely, with an inertia of its own alone.
bool is_one_body(const Model& m) {
    if (m.num_links != 1 || m.links[0].kind != JointKind::free || !(m.links[0].mass > 0.0) || m.armature) return false;
    return !m.lifted || m.weights[0].mass == 0.0;
}

}  // namespace

SimulatedTree::SimulatedTree(std::shared_ptr<const ModelStorage> part, int first_link, int first_dof, bool plain, NativeWorld& world)
    : part_(std::move(part)), first_link_(first_link), first_dof_(first_dof), tree_(-1) {
    if (!plain || !is_one_body(model())) {
        first_row_ = world.add_tree(model(), tree_);
        return;
    }
    const Vec3<double> c = vec3(link().h) * (1.0 / link().mass);
    const Sym3<double> I = central_inertia(link(), c);
    const double matrix[6] = {I.xx, I.xy, I.xz, I.yy, I.yz, I.zz};
    write3(center_, c);
    principal_axes(matrix, moments_, axes_);
    FreeBody body = {link().mass, {moments_[0], moments_[1], moments_[2]}, {0, 0, 0}, {0, 0, 0, 1}, {}, true};
    body.weighs = !model().lifted;
    first_row_ = world.add_body(body);
}

int SimulatedTree::place(int link, const Vec3<double>& p, const Mat3<double>& R, double* pose) const {
    if (is_rigid_body()) {
        const Mat3<double> axes = mat3(axes_);
        write3(pose, transposed_times(axes, p - vec3(center_)));
        write_matrix(pose + 3, transpose(axes) * R);
    } else {
        write3(pose, p);
        write_matrix(pose + 3, R);
    }
    return first_row_ + link - first_link_;
}

void SimulatedTree::write_motion(NativeWorld& world, const double* q, const double* v, const double* users) const {
    if (is_rigid_body()) {
        write_rigid_motion(world, q, v);
        return;
    }
    const int n = model().num_dofs;
    const TreeNumbers numbers = world.tree(tree_);
    std::copy_n(q, n, numbers.positions);
    std::copy_n(v, n, numbers.velocities);
    if (users) std::copy_n(users, user_numbers(model()), numbers.users);
    world.place_tree(tree_);
}

void SimulatedTree::write_rigid_motion(NativeWorld& world, const double* q, const double* v) const {
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

void SimulatedTree::write_rigid_loads(NativeWorld& world, const double* commands, const double* on_link) const {
    // Commands of a free joint are a wrench about its link's origin, in the link's axes.
    const Vec3<double> force = vec3(on_link + 3) + read3(commands + 3);
    const Vec3<double> torque = vec3(on_link) + read3(commands) - cross(vec3(center_), force);
    double wrench[6];
    write3(wrench, transposed_times(mat3(axes_), torque));
    write3(wrench + 3, transposed_times(mat3(axes_), force));
    world.set_body_wrench(first_row_, wrench);
}

void SimulatedTree::write_loads(NativeWorld& world, const Loads& loads, int num_dofs, const unsigned char* limited,
                                const double* commands, const double* wrenches) const {
    commands += first_dof_;
    limited += first_dof_;
    if (is_rigid_body()) {
        write_rigid_loads(world, commands, wrenches);
        return;
    }
    const int n = model().num_dofs;
    const auto constant = [&](DofConstant row) { return loads.constants + static_cast<int>(row) * num_dofs + first_dof_; };
    const TreeNumbers numbers = world.tree(tree_);
    if (wrenches) std::copy_n(wrenches, 6 * model().num_links, numbers.wrenches);
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
        switch (static_cast<Actuator>(loads.actuators[first_dof_ + k])) {
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

void SimulatedTree::add_shares(int row, const double* factors, bool gives, const double* q, RowConstraint& constraint) const {
    const int n = model().num_dofs;
    factors += first_dof_;
    if (!is_rigid_body()) {
        for (int k = 0; k < n; ++k) {
            if (factors[k] != 0.0) constraint.tree_shares.push_back({row, tree_, k, factors[k], gives});
        }
        return;
    }
    if (std::all_of(factors, factors + n, [](double x) { return x == 0.0; })) return;
    // Velocities of a free joint are those of its link's origin, in the link's axes; the solver's are of the center of mass.
    const Mat3<double> R = fixed_axes(link()) * so3_exp(read3(q));
    const Vec3<double> linear = R * read3(factors + 3);
    BodyShare share = {row, first_row_, {}, {}};
    write3(share.linear, linear);
    write3(share.angular, R * read3(factors) - cross(R * vec3(center_), linear));
    constraint.body_shares.push_back(share);
}

void SimulatedTree::read_motion(NativeWorld& world, double* q, double* v, double* a) const {
    if (is_rigid_body()) {
        read_rigid_motion(world, q, v);
        if (a) read_rigid_acceleration(world, a);
        return;
    }
    const TreeNumbers numbers = world.tree(tree_);
    std::copy_n(numbers.positions, model().num_dofs, q);
    std::copy_n(numbers.velocities, model().num_dofs, v);
    if (a) std::copy_n(numbers.accelerations, model().num_dofs, a);
}

void SimulatedTree::take_motion(NativeWorld& world, State& state) const {
    const int n = model().num_dofs;
    double q[6], v[6], a[6];
    const double *positions = q, *velocities = v, *accelerations = a;
    if (is_rigid_body()) {
        read_rigid_motion(world, q, v);
        read_rigid_acceleration(world, a);
    } else {
        const TreeNumbers numbers = world.tree(tree_);
        positions = numbers.positions;
        velocities = numbers.velocities;
        accelerations = numbers.accelerations;
    }
    state.set(Quantity::position, first_dof_, n, positions);
    state.set(Quantity::velocity, first_dof_, n, velocities);
    state.set(Quantity::acceleration, first_dof_, n, accelerations);
}

void SimulatedTree::read_rigid_motion(const NativeWorld& world, double* q, double* v) const {
    double center[3], turn[4], velocity[6];
    world.body(first_row_, center, turn, velocity);
    rigid_motion(center, turn, velocity, q, v);
}

Mat3<double> SimulatedTree::rigid_motion(const double* center, const double* turn, const double* velocity, double* q,
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
void SimulatedTree::read_rigid_acceleration(const NativeWorld& world, double* a) const {
    double rates[6];
    world.body_acceleration(first_row_, rates);
    const Vec3<double> angular = mat3(axes_) * vec3(rates + 3);
    write3(a, angular);
    write3(a + 3, mat3(axes_) * vec3(rates) - cross(angular, vec3(center_)));
}

}  // namespace kido
