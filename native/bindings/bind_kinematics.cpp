#include "kido/algorithm/forward_kinematics.hpp"
#include "kido/algorithm/jacobian.hpp"
#include "options.hpp"
#include "topics.hpp"

namespace kido {

using namespace nb::literals;

void bind_kinematics(TreeClass& tree) {
    tree.def(
        "forward_kinematics",
        [](const BoundTree& t, nb::handle q, nb::handle out) {
            Call<ForwardKinematics> call(t);
            call.output({t.model().num_bodies, 4, 4});
            return of_motion(call, t, {q}, out);
        },
        "q"_a.none(), nb::kw_only(), "out"_a = nb::none(), nb::sig("def forward_kinematics(self, q: " ARRAY ", *" OUT),
        R"(Poses of all bodies in the world.

Args:
    q: positions (..., num_dofs) [rad, m].
    out: array to write into, or None.

Returns:
    Transforms (..., num_bodies, 4, 4) from body to world coordinates, translation in [m].

Raises:
    ValueError: wrong shape, numbers that are not finite, or an unfit `out`.
    TypeError: arguments that are not numbers.

Source: Featherstone, Rigid Body Dynamics Algorithms (2008), section 4.1.)");

    tree.def(
        "transform",
        [](const BoundTree& t, nb::handle q, nb::handle body, nb::handle out) {
            Call<BodyTransform> call(t, {t.body(body)});
            call.output({4, 4});
            return of_motion(call, t, {q}, out);
        },
        "q"_a.none(), "body"_a.none(), nb::kw_only(), "out"_a = nb::none(),
        nb::sig("def transform(self, q: " ARRAY ", body: int | str, *" OUT),
        R"(Pose of one body in the world; computes its chain of ancestors only.

Args:
    q: positions (..., num_dofs) [rad, m].
    body: name or index.
    out: array to write into, or None.

Returns:
    Transform (..., 4, 4) from body to world coordinates, translation in [m].

Raises:
    UnknownNameError: no body of that name.
    ValueError, TypeError: as for forward_kinematics.)");

    tree.def(
        "body_velocities",
        [](const BoundTree& t, nb::handle q, nb::handle v, nb::handle frame, nb::handle out) {
            Call<BodyVelocities> call(t, {reference_frame(frame)});
            call.output({t.model().num_bodies, 6});
            return of_motion(call, t, {q, v}, out);
        },
        "q"_a.none(), "v"_a.none(), nb::kw_only(), "frame"_a.none() = "body", "out"_a = nb::none(),
        nb::sig("def body_velocities(self, q: " ARRAY ", v: " ARRAY ", *, frame: str = 'body'" OUT),
        R"(Velocities of all bodies relative to the world.

Args:
    q: positions (..., num_dofs) [rad, m].
    v: velocities (..., num_dofs) [rad/s, m/s].
    frame: "body": body axes, at each body's origin; "world": world axes, at its origin; "spatial": world axes, of
        the point that passes the world origin.
    out: array to write into, or None.

Returns:
    Spatial velocities (..., num_bodies, 6), angular [rad/s] then linear [m/s].

Raises:
    ValueError, TypeError: as for forward_kinematics; an unknown frame.)");

    tree.def(
        "body_accelerations",
        [](const BoundTree& t, nb::handle q, nb::handle v, nb::handle a, nb::handle frame, bool classic,
           nb::handle out) {
            Call<BodyAccelerations> call(t, {reference_frame(frame), classic});
            call.output({t.model().num_bodies, 6});
            return of_motion(call, t, {q, v, a}, out);
        },
        "q"_a.none(), "v"_a.none(), "a"_a.none(), nb::kw_only(), "frame"_a.none() = "body", "classic"_a = true, "out"_a = nb::none(),
        nb::sig("def body_accelerations(self, q: " ARRAY ", v: " ARRAY ", a: " ARRAY
                ", *, frame: str = 'body', classic: bool = True" OUT),
        R"(Accelerations of all bodies relative to the world, gravity not included.

Args:
    q: positions (..., num_dofs) [rad, m].
    v: velocities (..., num_dofs) [rad/s, m/s].
    a: accelerations (..., num_dofs) [rad/s^2, m/s^2].
    frame: as for body_velocities.
    classic: True: linear part is the second derivative of position; False: the spatial acceleration.
    out: array to write into, or None.

Returns:
    Accelerations (..., num_bodies, 6), angular [rad/s^2] then linear [m/s^2].

Raises:
    ValueError, TypeError: as for forward_kinematics; an unknown frame.

Source: Featherstone (2008), section 2.11, for the two kinds of acceleration.)");

    tree.def(
        "velocity",
        [](const BoundTree& t, nb::handle q, nb::handle v, nb::handle body, nb::handle offset, nb::handle frame,
           nb::handle out) {
            Call<BodyVelocity> call(t, point_options(t, body, offset, frame));
            call.output({6});
            return of_motion(call, t, {q, v}, out);
        },
        "q"_a.none(), "v"_a.none(), "body"_a.none(), nb::kw_only(), "offset"_a = nb::none(), "frame"_a.none() = "body", "out"_a = nb::none(),
        nb::sig("def velocity(self, q: " ARRAY ", v: " ARRAY ", body: int | str, *, offset: " ARRAY
                " | None = None, frame: str = 'body'" OUT),
        R"(Velocity of a body's point relative to the world; equals jacobian(...) @ v.

Args:
    q: positions (..., num_dofs) [rad, m].
    v: velocities (..., num_dofs) [rad/s, m/s].
    body: name or index.
    offset: the point in body coordinates (3,) [m]; None is the body's origin.
    frame: as for body_velocities.
    out: array to write into, or None.

Returns:
    Spatial velocity (..., 6), angular [rad/s] then linear [m/s].

Raises:
    UnknownNameError: no body of that name.
    ValueError, TypeError: as for forward_kinematics; an unknown frame.)");

    tree.def(
        "acceleration",
        [](const BoundTree& t, nb::handle q, nb::handle v, nb::handle a, nb::handle body, nb::handle offset,
           nb::handle frame, bool classic, nb::handle out) {
            Call<BodyAcceleration> call(t, {point_options(t, body, offset, frame), classic});
            call.output({6});
            return of_motion(call, t, {q, v, a}, out);
        },
        "q"_a.none(), "v"_a.none(), "a"_a.none(), "body"_a.none(), nb::kw_only(), "offset"_a = nb::none(), "frame"_a.none() = "body",
        "classic"_a = true, "out"_a = nb::none(),
        nb::sig("def acceleration(self, q: " ARRAY ", v: " ARRAY ", a: " ARRAY ", body: int | str, *, offset: " ARRAY
                " | None = None, frame: str = 'body', classic: bool = True" OUT),
        R"(Acceleration of a body's point relative to the world; equals jacobian @ a + jacobian_derivative @ v.

Args:
    q: positions (..., num_dofs) [rad, m].
    v: velocities (..., num_dofs) [rad/s, m/s].
    a: accelerations (..., num_dofs) [rad/s^2, m/s^2].
    body: name or index.
    offset: the point in body coordinates (3,) [m]; None is the body's origin.
    frame: as for body_velocities.
    classic: as for body_accelerations.
    out: array to write into, or None.

Returns:
    Acceleration (..., 6), angular [rad/s^2] then linear [m/s^2], gravity not included.

Raises:
    UnknownNameError: no body of that name.
    ValueError, TypeError: as for forward_kinematics; an unknown frame.)");

    tree.def(
        "jacobian",
        [](const BoundTree& t, nb::handle q, nb::handle body, nb::handle offset, nb::handle frame, nb::handle out) {
            Call<Jacobian> call(t, point_options(t, body, offset, frame));
            call.output({6, t.model().num_dofs});
            return of_motion(call, t, {q}, out);
        },
        "q"_a.none(), "body"_a.none(), "offset"_a = nb::none(), "frame"_a.none() = "body", nb::kw_only(), "out"_a = nb::none(),
        nb::sig("def jacobian(self, q: " ARRAY ", body: int | str, offset: " ARRAY
                " | None = None, frame: str = 'body', *" OUT),
        R"(Jacobian of a body's point: its velocity is J @ v.

Args:
    q: positions (..., num_dofs) [rad, m].
    body: name or index.
    offset: the point in body coordinates (3,) [m]; None is the body's origin.
    frame: "body": body axes, at the point; "world" (DART's world Jacobian; "aligned" says the same): world axes, at
        the point; "spatial": world axes, of the point that passes the world origin.
    out: array to write into, or None.

Returns:
    (..., 6, num_dofs), three angular rows [rad/s per unit velocity], then three linear rows [m/s per unit velocity].

Raises:
    UnknownNameError: no body of that name.
    ValueError, TypeError: as for forward_kinematics; an unknown frame.

Source: Featherstone (2008), section 4.3.)");

    tree.def(
        "jacobian_derivative",
        [](const BoundTree& t, nb::handle q, nb::handle v, nb::handle body, nb::handle offset, nb::handle frame,
           bool classic, nb::handle out) {
            Call<JacobianDerivative> call(t, {point_options(t, body, offset, frame), classic});
            call.output({6, t.model().num_dofs});
            return of_motion(call, t, {q, v}, out);
        },
        "q"_a.none(), "v"_a.none(), "body"_a.none(), "offset"_a = nb::none(), "frame"_a.none() = "body", nb::kw_only(), "classic"_a = true,
        "out"_a = nb::none(),
        nb::sig("def jacobian_derivative(self, q: " ARRAY ", v: " ARRAY ", body: int | str, offset: " ARRAY
                " | None = None, frame: str = 'body', *, classic: bool = True" OUT),
        R"(Time derivative of the Jacobian: the body's acceleration is J @ a + dJ @ v.

Args:
    q: positions (..., num_dofs) [rad, m].
    v: velocities (..., num_dofs) [rad/s, m/s].
    body: name or index.
    offset: the point in body coordinates (3,) [m]; None is the body's origin.
    frame: as for jacobian.
    classic: True: J @ a + dJ @ v is the classical acceleration, and in frame "world" dJ is the derivative of every
        element; False: it is the spatial acceleration, and in frames "body" and "spatial" dJ is the derivative of
        every element.
    out: array to write into, or None.

Returns:
    (..., 6, num_dofs), three angular rows [rad/s^2 per unit velocity], then three linear rows [m/s^2 per unit velocity].

Raises:
    UnknownNameError: no body of that name.
    ValueError, TypeError: as for forward_kinematics; an unknown frame.)");
}

}  // namespace kido
