#include <nanobind/stl/string.h>

#include "bound_frame.hpp"
#include "bound_state.hpp"
#include "frame_jacobian.hpp"
#include "topics.hpp"

#define FLOATS "numpy.typing.NDArray[numpy.float64]"
#define ARRAY "numpy.typing.ArrayLike"
#define JACOBIAN(name) \
    nb::sig("def " name "(self, offset: " ARRAY " | None = None, *, in_coordinates_of: Frame | None = None) -> " FLOATS)

namespace kido {

using namespace nb::literals;

namespace {

nb::object jacobian_array(const BoundFrame& frame, const JacobianRequest& request, State* whole) {
    const FrameJacobian jacobian(frame, request, whole);
    double* out;
    nb::object array = new_array({jacobian.rows(), jacobian.columns()}, out);
    jacobian.write(out);
    return array;
}

template <Derivative D, Rows R, Axes::Of Default>
nb::object jacobian(const BoundFrame& frame, nb::handle offset, nb::handle coordinates) {
    JacobianRequest request;
    request.derivative = D;
    request.rows = R;
    request.offset = offset_argument(offset);
    request.axes = axes_argument(coordinates, Default);
    return jacobian_array(frame, request, nullptr);
}

template <Derivative D, Rows R, Axes::Of Default, class... Extra>
void def_jacobian(FrameClass& frame, const char* name, const Extra&... extra) {
    frame.def(name, jacobian<D, R, Default>, "offset"_a = nb::none(), nb::kw_only(), "in_coordinates_of"_a = nb::none(), extra...);
}

nb::object whole_jacobian(const BoundFrame& frame, BoundState& state, Derivative derivative, Rows rows,
                          nb::handle offset, nb::handle relative_to, nb::handle coordinates, bool own) {
    JacobianRequest request;
    request.derivative = derivative;
    request.rows = rows;
    request.offset = offset_argument(offset);
    request.relative_to = frame_argument("relative_to", relative_to);
    request.axes = axes_argument(coordinates, own ? Axes::Of::self : Axes::Of::world);
    return jacobian_array(frame, request, &state.state());
}

}  // namespace

void bind_frame_jacobians(nb::module_& m, FrameClass& frame) {
    nb::enum_<Derivative>(m, "JacobianDerivative", "A Jacobian itself, or which of its time derivatives.")
        .value("NONE", Derivative::none)
        .value("CLASSIC", Derivative::classic, "The one that goes with second derivatives of position.")
        .value("SPATIAL", Derivative::spatial, "The one that goes with spatial accelerations.");
    nb::enum_<Rows>(m, "JacobianRows", "Which rows of a Jacobian.")
        .value("ALL", Rows::all)
        .value("ANGULAR", Rows::angular)
        .value("LINEAR", Rows::linear);
    frame.def("_whole_jacobian", whole_jacobian, "state"_a, "derivative"_a, "rows"_a, "offset"_a.none(),
              "relative_to"_a.none(), "in_coordinates_of"_a.none(), "own"_a,
              nb::sig("def _whole_jacobian(self, state: State, derivative: JacobianDerivative, rows: JacobianRows, offset: " ARRAY
                      " | None, relative_to: Frame | None, in_coordinates_of: Frame | None, own: bool) -> " FLOATS),
              "Jacobian for all dofs of a state; in_coordinates_of None: this frame's own axes, or those of the world.");
    frame.def(
        "_dependent_dofs",
        [](const BoundFrame& f) {
            nb::list dofs;
            for (int dof : dependent_dofs(f)) dofs.append(dof);
            return dofs;
        },
        nb::sig("def _dependent_dofs(self) -> list[int]"), "The dofs that move this frame, root first.");

    frame.def(
        "_follow",
        [](BoundFrame& f, nb::handle state, int body) {
            std::shared_ptr<State> followed = state.is_none() ? nullptr : nb::cast<BoundState&>(state).shared();
            if (followed && (body < 0 || body >= followed->model().num_bodies)) {
                throw nb::index_error("body: expected one of the state's");
            }
            f.state = std::move(followed);
            f.body = body;
        },
        "state"_a.none(), "body"_a, nb::sig("def _follow(self, state: State | None, body: int) -> None"),
        "Makes this frame body number `body` of a state; None: of none.");

    def_jacobian<Derivative::none, Rows::all, Axes::Of::self>(frame, "jacobian", JACOBIAN("jacobian"),
                                                    R"(Jacobian of this frame's origin or another of its points.

Args:
    offset: the point, in this frame's coordinates (3,) [m]; None is the origin.
    in_coordinates_of: axes of the answer; None is this frame.

Returns:
    (6, k), one column for each of the k dofs that move this frame, `dependent_dofs`; three angular rows, then three
    linear rows. J @ velocities of those dofs is `spatial_velocity(offset)`.

Raises:
    TypeError, ValueError: in_coordinates_of is not a Frame, or offset not three finite numbers.

Source: Featherstone (2008), section 4.3.)");
    def_jacobian<Derivative::none, Rows::linear, Axes::Of::world>(frame, "linear_jacobian", JACOBIAN("linear_jacobian"),
                                                        R"(The linear rows of the Jacobian.

Args:
    offset: the point, in this frame's coordinates (3,) [m]; None is the origin.
    in_coordinates_of: axes of the answer; None is the world.

Returns:
    (3, k) [m/s per unit velocity].

Raises:
    TypeError, ValueError: as for jacobian.)");
    frame.def(
        "angular_jacobian",
        [](const BoundFrame& f, nb::handle coordinates) {
            return jacobian<Derivative::none, Rows::angular, Axes::Of::world>(f, nb::none(), coordinates);
        },
        nb::kw_only(), "in_coordinates_of"_a = nb::none(),
        nb::sig("def angular_jacobian(self, *, in_coordinates_of: Frame | None = None) -> " FLOATS),
        R"(The angular rows of the Jacobian.

Args:
    in_coordinates_of: axes of the answer; None is the world.

Returns:
    (3, k) [rad/s per unit velocity].

Raises:
    TypeError: in_coordinates_of is not a Frame.)");
    def_jacobian<Derivative::spatial, Rows::all, Axes::Of::self>(frame, "jacobian_spatial_derivative",
                                                       JACOBIAN("jacobian_spatial_derivative"),
                                                       R"(Time derivative of the Jacobian, component by component in this frame's axes.

J @ accelerations + dJ @ velocities is `spatial_acceleration(offset)`.

Args:
    offset: the point, in this frame's coordinates (3,) [m]; None is the origin.
    in_coordinates_of: axes that the answer is turned to; None is this frame.

Returns:
    (6, k) [rad/s^2 per unit velocity], [m/s^2 per unit velocity].

Raises:
    TypeError, ValueError: as for jacobian.)");
    def_jacobian<Derivative::classic, Rows::all, Axes::Of::world>(frame, "jacobian_classic_derivative",
                                                        JACOBIAN("jacobian_classic_derivative"),
                                                        R"(Time derivative of the Jacobian in world axes.

With the Jacobian in world axes, J @ accelerations + dJ @ velocities is the angular acceleration and the classical
acceleration of the point.

Args:
    offset: the point, in this frame's coordinates (3,) [m]; None is the origin.
    in_coordinates_of: axes that the answer is turned to; None is the world.

Returns:
    (6, k) [rad/s^2 per unit velocity], [m/s^2 per unit velocity].

Raises:
    TypeError, ValueError: as for jacobian.)");
    def_jacobian<Derivative::classic, Rows::linear, Axes::Of::world>(frame, "linear_jacobian_derivative",
                                                           JACOBIAN("linear_jacobian_derivative"),
                                                           R"(The linear rows of `jacobian_classic_derivative`.

Args:
    offset: the point, in this frame's coordinates (3,) [m]; None is the origin.
    in_coordinates_of: axes that the answer is turned to; None is the world.

Returns:
    (3, k) [m/s^2 per unit velocity].

Raises:
    TypeError, ValueError: as for jacobian.)");
    frame.def(
        "angular_jacobian_derivative",
        [](const BoundFrame& f, nb::handle coordinates) {
            return jacobian<Derivative::classic, Rows::angular, Axes::Of::world>(f, nb::none(), coordinates);
        },
        nb::kw_only(), "in_coordinates_of"_a = nb::none(),
        nb::sig("def angular_jacobian_derivative(self, *, in_coordinates_of: Frame | None = None) -> " FLOATS),
        R"(The angular rows of `jacobian_classic_derivative`.

Args:
    in_coordinates_of: axes that the answer is turned to; None is the world.

Returns:
    (3, k) [rad/s^2 per unit velocity].

Raises:
    TypeError: in_coordinates_of is not a Frame.)");
}

}  // namespace kido
