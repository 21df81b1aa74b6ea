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
    const int link = row - first_row_;
    return link >= 0 && link < model_->model().num_links ? leader(model_->model(), link) : -1;
}

bool SimulatedSkeleton::read_last_step(const NativeWorld& world, double* rows, double* wrenches) const {
    std::fill_n(rows, static_cast<int>(StepRow::count) * state_->num_dofs(), 0.0);
    std::fill_n(wrenches, 6 * model_->model().num_bodies, 0.0);
    return is_rigid_body() ? read_rigid_step(world, rows, wrenches) : read_tree_step(world, rows, wrenches);
}

bool SimulatedSkeleton::read_tree_step(const NativeWorld& world, double* rows, double* wrenches) const {
    const Model& m = model_->model();
    const int n = m.num_dofs;
    const auto row = [&](StepRow r) { return rows + static_cast<int>(r) * n; };
    std::vector<double> on_links(6 * m.num_links);
    const std::unique_ptr<bool[]> prescribed(new bool[n]);
    const TreeStep step = {row(StepRow::position), row(StepRow::velocity), row(StepRow::acceleration), row(StepRow::actuator),
                           row(StepRow::friction), row(StepRow::limit), row(StepRow::spring), row(StepRow::damper),
                           row(StepRow::constraint), prescribed.get(), on_links.data()};
    if (!world.tree_step(tree_, step)) return false;
    for (int k = 0; k < n; ++k) row(StepRow::prescribed)[k] = prescribed[k] ? 1.0 : 0.0;
    for (int i = 0; i < m.num_links; ++i) {
        const int body = leader(m, i);
        if (body >= 0) write_on_body(m.bodies[body], vec3(&on_links[6 * i]), vec3(&on_links[6 * i + 3]), wrenches + 6 * body);
    }
    return true;
}

bool SimulatedSkeleton::read_rigid_step(const NativeWorld& world, double* rows, double* wrenches) const {
    const Model& m = model_->model();
    const auto row = [&](StepRow r) { return rows + static_cast<int>(r) * m.num_dofs; };
    FreeBodyStep step;
    if (!world.body_step(first_row_, step)) return false;
    const Mat3<double> R =
        rigid_motion(step.center, step.quaternion, step.velocity, row(StepRow::position), row(StepRow::velocity));
    read_rigid_acceleration(world, row(StepRow::acceleration));
    std::fill_n(row(StepRow::prescribed), m.num_dofs, 1.0);
    const int body = leader(m, 0);
    const Vec3<double> force = transposed_times(R, vec3(step.wrench));
    const Vec3<double> torque = transposed_times(R, vec3(step.wrench + 3)) + cross(vec3(center_), force);
    if (body >= 0) write_on_body(m.bodies[body], torque, force, wrenches + 6 * body);
    return true;
}

}  // namespace kido
