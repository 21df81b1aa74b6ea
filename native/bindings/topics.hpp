#pragma once

#include <nanobind/nanobind.h>

namespace kido {

class BoundTree;
using TreeClass = nanobind::class_<BoundTree>;

void bind_math(nanobind::module_& m);
void bind_signatures(nanobind::module_& m);  // after all others
void bind_runtime(nanobind::module_& m);
void bind_arguments(nanobind::module_& m);
void bind_known_attributes(nanobind::module_& m);

TreeClass bind_tree(nanobind::module_& m);
void bind_kinematics(TreeClass& tree);
void bind_joints(TreeClass& tree);
void bind_dynamics(TreeClass& tree);
void bind_derivatives(TreeClass& tree);
void bind_momentum(TreeClass& tree);
void bind_mean_jacobian(TreeClass& tree);

class BoundFrame;
using FrameClass = nanobind::class_<BoundFrame>;

FrameClass bind_frame(nanobind::module_& m);
void bind_frame_jacobians(nanobind::module_& m, FrameClass& frame);
class BoundState;
using StateClass = nanobind::class_<BoundState>;

StateClass bind_state(nanobind::module_& m);
void bind_state_dynamics(nanobind::module_& m, StateClass& state);
void bind_soft(nanobind::module_& m);
void bind_world(nanobind::module_& m);
void bind_world_sampler(nanobind::module_& m);
void bind_collision_shape(nanobind::module_& m);
void bind_geometry(nanobind::module_& m);
void bind_contact_points(nanobind::module_& m);
void bind_search_parts(nanobind::module_& m);
void bind_pose_search(nanobind::module_& m);
void bind_hierarchy_search(nanobind::module_& m);
void bind_closed_form(nanobind::module_& m);
void bind_limited_arm(nanobind::module_& m);
void bind_ikfast(nanobind::module_& m);
void bind_lcp(nanobind::module_& m);
void bind_quadratic(nanobind::module_& m);
void bind_scaled_step(nanobind::module_& m);
void bind_velocity_step(nanobind::module_& m);
void bind_posture(nanobind::module_& m);
void bind_loop_prover(nanobind::module_& m);
void bind_mesh_files(nanobind::module_& m);

}  // namespace kido
