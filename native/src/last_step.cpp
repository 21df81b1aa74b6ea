#include <algorithm>
#include <memory>

#include "kido/spatial/quaternion.hpp"
#include "kido/tree/joint.hpp"
#include "simulated_skeleton.hpp"

// What acted on a skeleton in the last step of its world.

namespace kido {

namespace {

// The first body of a link; -1: none.
int leader(const Model& m, int link) {
    for (int i = 0; i < m.num_bodies; ++i) {
        if (m.bodies[i].link == link) return i;
    }
    return -1;
}

// A wrench about a link's origin in its axes, about the origin of a body that it carries, in the body's axes.
void write_on_body(const Body& body, const Vec3<double>& torque, const Vec3<double>& force, double* out) {
    const Mat3<double> R = mat3(body.R);
    write3(out, transposed_times(R, torque - cross(vec3(body.p), force)));
    write3(out + 3, transposed_times(R, force));
}

}  // namespace

int SimulatedSkeleton::body_of(int row) const {
    for (const SimulatedTree& tree : trees_) {
        if (tree.link_of(row) >= 0) return leader(model_->model(), tree.link_of(row));
    }
    for (const SimulatedSoft& soft : softs_) {
        if (soft.has_row(row)) return soft.body();
    }
    return -1;
}

bool SimulatedSkeleton::read_last_step(const NativeWorld& world, double* rows, double* wrenches) const {
    const Model& m = model_->model();
    std::fill_n(rows, static_cast<int>(StepRow::count) * m.num_dofs, 0.0);
    std::fill_n(wrenches, 6 * m.num_bodies, 0.0);
    std::vector<double> on_links(6 * m.num_links);
    for (const SimulatedTree& tree : trees_) {
        if (!tree.read_last_step(world, m.num_dofs, rows + tree.first_dof(), on_links.data() + 6 * tree.first_link())) return false;
    }
    for (int i = 0; i < m.num_links; ++i) {
        const int body = leader(m, i);
        if (body >= 0) write_on_body(m.bodies[body], vec3(&on_links[6 * i]), vec3(&on_links[6 * i + 3]), wrenches + 6 * body);
    }
    return true;
}

bool SimulatedTree::read_last_step(const NativeWorld& world, int num_dofs, double* rows, double* wrenches) const {
    return is_rigid_body() ? read_rigid_step(world, num_dofs, rows, wrenches) : read_tree_step(world, num_dofs, rows, wrenches);
}

bool SimulatedTree::read_tree_step(const NativeWorld& world, int num_dofs, double* rows, double* wrenches) const {
    const int n = model().num_dofs;
    const auto row = [&](StepRow r) { return rows + static_cast<int>(r) * num_dofs; };
    const std::unique_ptr<bool[]> prescribed(new bool[n]);
    const TreeStep step = {row(StepRow::position), row(StepRow::velocity), row(StepRow::acceleration), row(StepRow::actuator),
                           row(StepRow::friction), row(StepRow::limit), row(StepRow::spring), row(StepRow::damper),
                           row(StepRow::constraint), prescribed.get(), wrenches};
    if (!world.tree_step(tree_, step)) return false;
    for (int k = 0; k < n; ++k) row(StepRow::prescribed)[k] = prescribed[k] ? 1.0 : 0.0;
    return true;
}

bool SimulatedTree::read_rigid_step(const NativeWorld& world, int num_dofs, double* rows, double* wrench) const {
    const auto row = [&](StepRow r) { return rows + static_cast<int>(r) * num_dofs; };
    FreeBodyStep step;
    if (!world.body_step(first_row_, step)) return false;
    const Mat3<double> R =
        rigid_motion(step.center, step.quaternion, step.velocity, row(StepRow::position), row(StepRow::velocity));
    read_rigid_acceleration(world, row(StepRow::acceleration));
    std::fill_n(row(StepRow::prescribed), model().num_dofs, 1.0);
    const Vec3<double> force = transposed_times(R, vec3(step.wrench));
    write3(wrench, transposed_times(R, vec3(step.wrench + 3)) + cross(vec3(center_), force));
    write3(wrench + 3, force);
    return true;
}

}  // namespace kido
