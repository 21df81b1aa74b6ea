#define KIDO_NUMPY_OWNER
#include "numpy_api.hpp"
#include "bound_frame.hpp"
#include "bound_state.hpp"
#include "bound_tree.hpp"
#include "long_call.hpp"
#include "topics.hpp"

namespace {

// import_array is a macro that returns from the function around it.
void* import_numpy() {
    import_array();
    return nullptr;
}

}  // namespace

NB_MODULE(_core, m) {
    nanobind::set_leak_warnings(false);  // objects that outlive the interpreter are no news to a user
    import_numpy();
    if (PyErr_Occurred()) throw nanobind::python_error();
    kido::remember_main_thread();
    kido::bind_runtime(m);
    kido::bind_arguments(m);
    kido::bind_known_attributes(m);
    kido::TreeClass tree = kido::bind_tree(m);
    kido::bind_kinematics(tree);
    kido::bind_joints(tree);
    kido::bind_dynamics(tree);
    kido::bind_derivatives(tree);
    kido::bind_momentum(tree);
    kido::bind_mean_jacobian(tree);
    kido::StateClass state = kido::bind_state(m);
    kido::bind_state_dynamics(m, state);
    kido::FrameClass frame = kido::bind_frame(m);
    kido::bind_frame_jacobians(m, frame);
    kido::bind_soft(m);
    kido::bind_world(m);
    kido::bind_world_sampler(m);
    kido::bind_collision_shape(m);
    kido::bind_geometry(m);
    kido::bind_contact_points(m);
    kido::bind_search_parts(m);
    kido::bind_pose_search(m);
    kido::bind_hierarchy_search(m);
    kido::bind_closed_form(m);
    kido::bind_limited_arm(m);
    kido::bind_ikfast(m);
    kido::bind_lcp(m);
    kido::bind_quadratic(m);
    kido::bind_scaled_step(m);
    kido::bind_velocity_step(m);
    kido::bind_posture(m);
    kido::bind_loop_prover(m);
    kido::bind_mesh_files(m);
    kido::bind_math(m);
    kido::bind_signatures(m);
}
