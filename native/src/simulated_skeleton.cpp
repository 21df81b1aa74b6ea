#include "simulated_skeleton.hpp"

#include <algorithm>
#include <cstring>

#include "kido/spatial/so3.hpp"
#include "kido/tree/joint.hpp"

namespace kido {

namespace {

// The links [first, end) of a model by themselves.
std::shared_ptr<const ModelStorage> tree_of(const Model& m, int first, int end) {
    std::vector<Link> links(m.links + first, m.links + end);
    std::vector<Weight> weights;
    for (Link& link : links) {
        link.parent = std::max(link.parent - first, -1);
        weights.push_back({link.mass, {link.h[0], link.h[1], link.h[2]}, 0.0, {}});
    }
    if (m.weights) weights.assign(m.weights + first, m.weights + end);
    std::vector<double> armature;
    if (m.armature) armature.assign(m.armature + m.links[first].dof, m.armature + m.links[first].dof_end);
    return std::make_shared<const ModelStorage>(std::move(links), std::move(weights), std::vector<Body>(), m.gravity,
                                                std::move(armature));
}

}  // namespace

SimulatedSkeleton::SimulatedSkeleton(std::shared_ptr<const ModelStorage> model, std::shared_ptr<State> state, bool plain, bool whole,
                                     NativeWorld& world, const std::vector<SoftPlace>& softs)
    : model_(without_points(model, softs)), state_(std::move(state)) {
    if (!softs.empty()) world.keep(model_);
    plain &= softs.empty();
    const Model& m = model_->model();
    if (whole || m.num_links == 0 || m.links[0].link_end == m.num_links || m.num_user_links > 0) {
        trees_.emplace_back(model_, 0, 0, plain, world);
        add_softs(softs, &trees_.back(), world);
        add_softs(softs, nullptr, world);
        return;
    }
    for (int first = 0; first < m.num_links; first = m.links[first].link_end) {
        const std::shared_ptr<const ModelStorage> tree = tree_of(m, first, m.links[first].link_end);
        world.keep(tree);
        trees_.emplace_back(tree, first, m.links[first].dof, plain, world);
        add_softs(softs, &trees_.back(), world);
    }
    add_softs(softs, nullptr, world);
}

// Those of a tree, or those that are fixed to the world.
void SimulatedSkeleton::add_softs(const std::vector<SoftPlace>& softs, const SimulatedTree* tree, NativeWorld& world) {
    for (const SoftPlace& soft : softs) {
        const Body& body = model_->model().bodies[soft.body];
        if (!tree && body.link < 0) softs_.emplace_back(soft, body, -1, 0, world);
        if (tree && tree->has_link(body.link)) softs_.emplace_back(soft, body, tree->tree(), body.link - tree->first_link(), world);
    }
}

const SimulatedSoft* SimulatedSkeleton::soft_of(int body) const {
    const auto soft = std::find_if(softs_.begin(), softs_.end(), [&](const SimulatedSoft& s) { return s.body() == body; });
    return soft == softs_.end() ? nullptr : &*soft;
}

int SimulatedSkeleton::row_of_points(int body) const {
    const SimulatedSoft* soft = soft_of(body);
    return soft ? soft->first_row() : -1;
}

const SimulatedTree* SimulatedSkeleton::tree_of_body(int body) const {
    const int link = model_->model().bodies[body].link;
    for (const SimulatedTree& tree : trees_) {
        if (tree.has_link(link)) return &tree;
    }
    return nullptr;
}

std::vector<int> SimulatedSkeleton::sleeping_rows(int body) const {
    std::vector<int> rows;
    for (const SimulatedTree& tree : trees_) {
        if (tree.model().num_dofs > 0 && (body < 0 || tree_of_body(body) == &tree)) rows.push_back(tree.first_row());
    }
    for (const SimulatedSoft& soft : softs_) {
        if (soft.own_link_row() >= 0 && (body < 0 || soft.body() == body)) rows.push_back(soft.own_link_row());
    }
    return rows;
}

std::pair<int, int> SimulatedSkeleton::place_of_dof(int dof) const {
    const auto tree = std::find_if(trees_.begin(), trees_.end(), [&](const SimulatedTree& t) { return t.has_dof(dof); });
    return tree == trees_.end() ? std::pair(-1, -1) : std::pair(tree->tree(), dof - tree->first_dof());
}

int SimulatedSkeleton::place(int body, const double* offset, double* pose) const {
    const Body& b = model_->model().bodies[body];
    const Mat3<double> body_axes = mat3(b.R), R = body_axes * mat3(offset + 3);
    const Vec3<double> p = vec3(b.p) + body_axes * vec3(offset);
    if (const SimulatedTree* tree = tree_of_body(body)) return tree->place(b.link, p, R, pose);
    write3(pose, p);
    write3(pose + 3, R.x);
    write3(pose + 6, R.y);
    write3(pose + 9, R.z);
    return 0;
}

bool SimulatedSkeleton::bring_motion(NativeWorld& world) {
    const bool asks_users = state_->users() != nullptr;
    bool moved = false;
    if (asks_users || was_set()) {
        moved = asks_users || !known_ || differs(world);
        remember();
        if (moved) write_motion(world, state_->row(Quantity::position), state_->row(Quantity::velocity));
    }
    for (SimulatedSoft& soft : softs_) moved |= soft.bring(world);
    return moved;
}

bool SimulatedSkeleton::differs(NativeWorld& world) const {
    const std::size_t n = state_->num_dofs();
    std::vector<double> q(n), v(n);
    read_motion(world, q.data(), v.data(), nullptr);
    return std::memcmp(q.data(), state_->row(Quantity::position), n * sizeof(double)) != 0 ||
           std::memcmp(v.data(), state_->row(Quantity::velocity), n * sizeof(double)) != 0;
}

void SimulatedSkeleton::write_motion(NativeWorld& world, const double* q, const double* v) const {
    for (const SimulatedTree& tree : trees_) tree.write_motion(world, q + tree.first_dof(), v + tree.first_dof(), state_->users());
}

void SimulatedSkeleton::write_loads(NativeWorld& world, const Loads& loads, const unsigned char* limited,
                                    const double* commands) const {
    const int n = state_->num_dofs();
    if (trees_.size() == 1) {
        double on_body[6];
        const bool rigid = trees_[0].is_rigid_body();
        bring_wrenches(rigid ? on_body : world.tree(trees_[0].tree()).wrenches, loads.wrenches);
        trees_[0].write_loads(world, loads, n, limited, commands, rigid ? on_body : nullptr);
        return;
    }
    std::vector<double> wrenches(6 * model_->model().num_links);
    bring_wrenches(wrenches.data(), loads.wrenches);
    for (const SimulatedTree& tree : trees_) {
        tree.write_loads(world, loads, n, limited, commands, wrenches.data() + 6 * tree.first_link());
    }
}

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
    const std::int64_t asleep = nap(world);
    if (asleep != 0 && asleep == seen_nap_) return;
    for (const SimulatedTree& tree : trees_) tree.take_motion(world, *state_);
    for (SimulatedSoft& soft : softs_) soft.take(world);
    remember();
    seen_nap_ = asleep;
}

void SimulatedSkeleton::add_shares(int row, const double* factors, bool gives, RowConstraint& constraint) const {
    for (const SimulatedTree& tree : trees_) {
        tree.add_shares(row, factors, gives, state_->row(Quantity::position) + tree.first_dof(), constraint);
    }
}

void SimulatedSkeleton::read_motion(NativeWorld& world, double* q, double* v, double* a) const {
    for (const SimulatedTree& tree : trees_) {
        const int k = tree.first_dof();
        tree.read_motion(world, q + k, v + k, a ? a + k : nullptr);
    }
}

std::int64_t SimulatedSkeleton::nap(const NativeWorld& world) const {
    std::int64_t last = 0;
    for (const SimulatedTree& tree : trees_) {
        if (tree.model().num_dofs == 0) continue;
        const std::int64_t own = world.nap(tree.first_row());
        if (own == 0) return 0;
        last = std::max(last, own);
    }
    return last;
}

}  // namespace kido
