#include <nanobind/stl/string.h>

#include <cmath>
#include <string>

#include "kido/algorithm/integrate.hpp"
#include "kido/algorithm/joint_kinematics.hpp"
#include "kido/algorithm/spring_forces.hpp"
#include "options.hpp"
#include "real_numbers.hpp"
#include "topics.hpp"

namespace kido {

using namespace nb::literals;

namespace {

JointOptions joint_options(const BoundTree& t, nb::handle key) {
    const int index = t.joint(key);  // that of its child too
    const CompiledJoint& joint = t.joint_at(index);
    return {joint.link_begin, joint.link_end, index};
}

double time_step(nb::handle dt) {
    const double step = PyFloat_AsDouble(dt.ptr());
    if (step == -1.0 && PyErr_Occurred()) {
        nb::python_error cause;
        raise_unreadable(cause, "dt: expected a number [s], got " + brief(dt));
    }
    if (!std::isfinite(step)) throw nb::value_error("dt: expected a finite number [s]");
    return step;
}

}  // namespace

void bind_joints(TreeClass& tree) {
    tree.def(
        "joint_transform",
        [](const BoundTree& t, nb::handle q, nb::handle joint, nb::handle out) {
            const JointOptions options = joint_options(t, joint);
            Call<JointTransform> call(t, {options, t.joint_at(options.body).parent_body});
            call.input("q", q, {t.model().num_dofs}, kPositions);
            call.output({4, 4});
            return call.run(out);
        },
        "q"_a.none(), "joint"_a.none(), nb::kw_only(), "out"_a = nb::none(),
        nb::sig("def joint_transform(self, q: " ARRAY ", joint: int | str, *" OUT),
        R"(Pose of a joint's child body in its parent body: T_parent_joint @ T(q) @ inverse(T_child_joint).

Args:
    q: positions of the whole tree (..., num_dofs) [rad, m].
    joint: name or index.
    out: array to write into, or None.

Returns:
    Transform (..., 4, 4), translation in [m].

Raises:
    UnknownNameError: no joint of that name.
    ValueError, TypeError: as for forward_kinematics.)");

    tree.def(
        "motion_subspace",
        [](const BoundTree& t, nb::handle q, nb::handle joint, nb::handle out) {
            const JointOptions options = joint_options(t, joint);
            Call<MotionSubspace> call(t, options);
            call.input("q", q, {t.model().num_dofs}, kPositions);
            call.output({6, MotionSubspace::joint_dofs(t.model(), options)});
            return call.run(out);
        },
        "q"_a.none(), "joint"_a.none(), nb::kw_only(), "out"_a = nb::none(),
        nb::sig("def motion_subspace(self, q: " ARRAY ", joint: int | str, *" OUT),
        R"(Motion subspace S of a joint: the child's velocity relative to the parent is S @ v_joint, in child axes.

Args:
    q: positions of the whole tree (..., num_dofs) [rad, m].
    joint: name or index.
    out: array to write into, or None.

Returns:
    (..., 6, joint dofs), angular rows [rad/s per unit velocity], then linear rows [m/s per unit velocity].

Raises:
    UnknownNameError: no joint of that name.
    ValueError, TypeError: as for forward_kinematics.

Source: Featherstone (2008), section 3.5.)");

    tree.def(
        "motion_subspace_derivative",
        [](const BoundTree& t, nb::handle q, nb::handle v, nb::handle joint, nb::handle out) {
            const JointOptions options = joint_options(t, joint);
            Call<MotionSubspaceDerivative> call(t, options);
            call.input("q", q, {t.model().num_dofs}, kPositions);
            call.input("v", v, {t.model().num_dofs}, kVelocities);
            call.output({6, MotionSubspace::joint_dofs(t.model(), options)});
            return call.run(out);
        },
        "q"_a.none(), "v"_a.none(), "joint"_a.none(), nb::kw_only(), "out"_a = nb::none(),
        nb::sig("def motion_subspace_derivative(self, q: " ARRAY ", v: " ARRAY ", joint: int | str, *" OUT),
        R"(Time derivative of a joint's motion subspace, element by element in child axes.

Args:
    q: positions of the whole tree (..., num_dofs) [rad, m].
    v: velocities of the whole tree (..., num_dofs) [rad/s, m/s].
    joint: name or index.
    out: array to write into, or None.

Returns:
    (..., 6, joint dofs), angular rows [rad/s^2 per unit velocity], then linear rows [m/s^2 per unit velocity].

Raises:
    UnknownNameError: no joint of that name.
    ValueError, TypeError: as for forward_kinematics.

Source: Featherstone (2008), section 3.5.)");

    tree.def(
        "integrate",
        [](const BoundTree& t, nb::handle q, nb::handle v, nb::handle dt, nb::handle out) {
            Call<Integrate> call(t, {time_step(dt)});
            call.without_motion();
            call.input("q", q, {t.model().num_dofs}, kPositions);
            call.input("v", v, {t.model().num_dofs}, kVelocities);
            call.output({t.model().num_dofs});
            return call.run(out);
        },
        "q"_a.none(), "v"_a.none(), "dt"_a.none() = 1.0, nb::kw_only(), "out"_a = nb::none(),
        nb::sig("def integrate(self, q: " ARRAY ", v: " ARRAY ", dt: float = 1.0, *" OUT),
        R"(Positions after moving at constant joint velocity: q + v dt, on the group for ball and free joints.

Args:
    q: positions (..., num_dofs) [rad, m].
    v: velocities (..., num_dofs) [rad/s, m/s]; of ball and free joints the twist in child axes.
    dt: time [s].
    out: array to write into, or None.

Returns:
    Positions (..., num_dofs) [rad, m]; rotation vectors come back with a length of at most pi.

Raises:
    ValueError, TypeError: as for forward_kinematics; a dt that is not finite.)");

    tree.def(
        "difference",
        [](const BoundTree& t, nb::handle q0, nb::handle q1, nb::handle out) {
            Call<Difference> call(t);
            call.without_motion();
            call.input("q0", q0, {t.model().num_dofs}, kPositions);
            call.input("q1", q1, {t.model().num_dofs}, kPositions);
            call.output({t.model().num_dofs});
            return call.run(out);
        },
        "q0"_a.none(), "q1"_a.none(), nb::kw_only(), "out"_a = nb::none(),
        nb::sig("def difference(self, q0: " ARRAY ", q1: " ARRAY ", *" OUT),
        R"(The joint velocity that leads from q0 to q1 in one second: integrate(q0, difference(q0, q1)) is q1.

Args:
    q0: positions (..., num_dofs) [rad, m].
    q1: positions (..., num_dofs) [rad, m].
    out: array to write into, or None.

Returns:
    Velocities (..., num_dofs) [rad/s, m/s].

Raises:
    ValueError, TypeError: as for forward_kinematics.)");

    tree.def(
        "spring_forces",
        [](const BoundTree& t, nb::handle q, nb::handle rest, nb::handle stiffness, nb::handle out) {
            const int n = t.model().num_dofs;
            Call<SpringForces> call(t);
            call.input("q", q, {n}, kPositions);
            call.input("rest_positions", rest, {n}, kPositions);
            call.input("stiffness", stiffness, {n}, "N m/rad, N/m");
            call.output({n});
            return call.run(out);
        },
        "q"_a.none(), "rest_positions"_a.none(), "stiffness"_a.none(), nb::kw_only(), "out"_a = nb::none(),
        nb::sig("def spring_forces(self, q: " ARRAY ", rest_positions: " ARRAY ", stiffness: " ARRAY ", *" OUT),
        R"(Forces of springs in the joints: minus the gradient of the energy d^T K d / 2, d = difference(rest, q).

For positions that are added it is -K d; for ball and free joints -J_r(d)^-T K d, J_r the right Jacobian of the group.

Args:
    q: positions (..., num_dofs) [rad, m].
    rest_positions: where the springs are relaxed (..., num_dofs) [rad, m].
    stiffness: of each dof (..., num_dofs) [N m/rad, N/m].
    out: array to write into, or None.

Returns:
    Generalized forces (..., num_dofs) [N m, N].

Raises:
    ValueError, TypeError: as for integrate.)");
}

}  // namespace kido
