#include "simulated_soft.hpp"

#include <algorithm>

#include "kido/tree/joint.hpp"
#include "surface_tables.hpp"

namespace kido {

namespace {

std::vector<Link> links_of(const Model& m) { return {m.links, m.links + m.num_links}; }

// Weights of links as a model is made of them.
std::vector<Weight> weights_of(const Model& m) {
    if (m.weights) return {m.weights, m.weights + m.num_links};
    std::vector<Weight> weights;
    for (int i = 0; i < m.num_links; ++i) {
        const Link& link = m.links[i];
        weights.push_back({link.mass, {link.h[0], link.h[1], link.h[2]}, 0.0, {}});
    }
    return weights;
}

void take_point(Link& link, Weight& weight, bool weighs, double m, const Vec3<double>& p) {
    const double h[3] = {m * p.x, m * p.y, m * p.z};
    const double I[6] = {m * (p.y * p.y + p.z * p.z), -m * p.x * p.y, -m * p.x * p.z,
                         m * (p.x * p.x + p.z * p.z), -m * p.y * p.z, m * (p.x * p.x + p.y * p.y)};
    link.mass -= m;
    if (weighs) weight.mass -= m;
    for (int k = 0; k < 3; ++k) {
        link.h[k] -= h[k];
        if (weighs) weight.h[k] -= h[k];
    }
    for (int k = 0; k < 6; ++k) link.I[k] -= I[k];
}

}  // namespace

std::shared_ptr<const ModelStorage> without_points(const std::shared_ptr<const ModelStorage>& model, const std::vector<SoftPlace>& softs) {
    if (softs.empty()) return model;
    const Model& m = model->model();
    std::vector<Link> links = links_of(m);
    std::vector<Weight> weights = weights_of(m);
    for (const SoftPlace& soft : softs) {
        const Body& body = m.bodies[soft.body];
        if (body.link < 0) continue;
        const SoftPoints& points = soft.state->points;
        for (int i = 0; i < soft.state->size(); ++i) {
            const Vec3<double> p = vec3(body.p) + mat3(body.R) * vec3(&points.rest[3 * i]);
            take_point(links[body.link], weights[body.link], points.weighs, points.mass[i], p);
        }
    }
    std::vector<double> armature;
    if (m.armature) armature.assign(m.armature, m.armature + m.num_dofs);
    return std::make_shared<const ModelStorage>(std::move(links), std::move(weights), std::vector<Body>(m.bodies, m.bodies + m.num_bodies),
                                                m.gravity, std::move(armature));
}

SimulatedSoft::SimulatedSoft(SoftPlace soft, const Body& place, int tree, int link, NativeWorld& world)
    : body_(soft.body), tree_(tree), state_(std::move(soft.state)), axes_(mat3(place.R)), origin_(vec3(place.p)) {
    if (tree_ < 0) {
        hang_on_world(world);
        link = 0;
    }
    first_row_ = world.add_soft(tree_, link, in_link());
    part_ = world.num_soft(tree_) - 1;
    seen_material_ = state_->material;
}

void SimulatedSoft::hang_on_world(NativeWorld& world) {
    Link link{};
    link.parent = -1;
    link.kind = JointKind::prismatic;
    write3(link.R, axes_.x);
    write3(link.R + 3, axes_.y);
    write3(link.R + 6, axes_.z);
    write3(link.p, origin_);
    link.mass = link.I[0] = link.I[3] = link.I[5] = 1.0;
    const double no_gravity[3] = {};
    const auto held = std::make_shared<const ModelStorage>(std::vector<Link>{link}, std::vector<Weight>{{1.0, {}, 0.0, {}}}, std::vector<Body>(),
                                                           no_gravity);
    world.keep(held);
    own_link_row_ = world.add_tree(held->model(), tree_);
    const TreeNumbers numbers = world.tree(tree_);
    numbers.drives[0] = Drive::velocity;
    numbers.commands[0] = 0.0;
    axes_ = identity3<double>();
    origin_ = zero3<double>();
}

int SimulatedSoft::add_skin(NativeWorld& world, const Collider& collider, bool meets_own) const {
    const SurfaceTables surface(MeshTables{in_link().rest, state_->points.faces});
    return world.add_skin(tree_, part_, surface.mesh(), surface.order(), collider, meets_own);
}

SoftPoints SimulatedSoft::in_link() const {
    SoftPoints points = state_->points;
    for (int i = 0; i < state_->size(); ++i) write3(&points.rest[3 * i], origin_ + axes_ * vec3(&points.rest[3 * i]));
    return points;
}

bool SimulatedSoft::bring(NativeWorld& world) {
    if (!was_set()) return false;
    if (seen_material_ != state_->material) bring_material(world);
    const SoftNumbers numbers = world.soft(tree_, part_);
    write(state_->displacements, numbers.displacements);
    write(state_->velocities, numbers.velocities);
    write(state_->forces, numbers.forces);
    write(state_->yielded, numbers.yielded);
    bring_targets(numbers);
    seen_motion_ = state_->motion;
    world.place_tree(tree_);
    return true;
}

void SimulatedSoft::bring_material(NativeWorld& world) {
    world.set_soft(tree_, part_, in_link());
    seen_material_ = state_->material;
}

void SimulatedSoft::bring_targets(const SoftNumbers& numbers) const {
    std::copy(state_->targets.begin(), state_->targets.end(), numbers.targets);
    std::copy(state_->target_velocities.begin(), state_->target_velocities.end(), numbers.target_velocities);
}

void SimulatedSoft::take(NativeWorld& world) {
    const SoftNumbers numbers = world.soft(tree_, part_);
    read(numbers.displacements, state_->displacements);
    read(numbers.velocities, state_->velocities);
    read(numbers.accelerations, state_->accelerations);
    read(numbers.yielded, state_->yielded);
    read(numbers.began_displacements, state_->began_displacements);
    read(numbers.began_velocities, state_->began_velocities);
    read(numbers.began_yielded, state_->began_yielded);
    state_->pin_forces.assign(numbers.pin_forces, numbers.pin_forces + 3 * state_->size());
    seen_motion_ = ++state_->motion;
}

void SimulatedSoft::resume(NativeWorld& world, bool takes_targets) {
    bring_material(world);
    const SoftNumbers numbers = world.soft(tree_, part_);
    if (takes_targets) {
        state_->targets.assign(numbers.targets, numbers.targets + 3 * state_->size());
        state_->target_velocities.assign(numbers.target_velocities, numbers.target_velocities + 3 * state_->size());
    } else {
        bring_targets(numbers);
    }
    for (int i = 0; i < state_->size(); ++i) {
        if (state_->points.frozen[i]) write3(numbers.velocities + 3 * i, zero3<double>());
    }
    read(numbers.forces, state_->forces);
    take(world);
}

void SimulatedSoft::write(const std::vector<double>& of_body, double* of_link) const {
    for (int i = 0; i < state_->size(); ++i) write3(of_link + 3 * i, axes_ * vec3(&of_body[3 * i]));
}

void SimulatedSoft::read(const double* of_link, std::vector<double>& of_body) const {
    for (int i = 0; i < state_->size(); ++i) write3(&of_body[3 * i], transposed_times(axes_, vec3(of_link + 3 * i)));
}

}  // namespace kido
