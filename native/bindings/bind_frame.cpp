#include <nanobind/stl/string.h>

#include "bound_frame.hpp"
#include "known_attributes.hpp"
#include "kido/tree/joint.hpp"
#include "topics.hpp"

#define FLOATS "numpy.typing.NDArray[numpy.float64]"
#define ARRAY "numpy.typing.ArrayLike"
#define FRAMES "relative_to: Frame | None = None, in_coordinates_of: Frame | None = None"

namespace kido {

using namespace nb::literals;

namespace {

// Reads the arguments in the order in which they are refused.
FrameQuery query(const BoundFrame& frame, nb::handle offset, nb::handle relative_to, nb::handle in_coordinates_of,
                 Axes::Of default_axes, Order order) {
    const BoundFrame* base = frame_argument("relative_to", relative_to);
    const Axes axes = axes_argument(in_coordinates_of, default_axes);
    const Vec3<double> point = offset_argument(offset);
    return {frame, offset.is_none() ? nullptr : &point, base, axes, order};
}

nb::object vector3(const Vec3<double>& v) {
    double* out;
    nb::object array = new_array({3}, out);
    write3(out, v);
    return array;
}

nb::object vector6(const Vec3<double>& angular, const Vec3<double>& linear) {
    double* out;
    nb::object array = new_array({6}, out);
    write3(out, angular);
    write3(out + 3, linear);
    return array;
}

nb::object matrix4(const Mat3<double>& R, const Vec3<double>& p) {
    double* out;
    nb::object array = new_array({4, 4}, out);
    const double rows[16] = {R.x.x, R.y.x, R.z.x, p.x, R.x.y, R.y.y, R.z.y, p.y,
                             R.x.z, R.y.z, R.z.z, p.z, 0.0,   0.0,   0.0,   1.0};
    std::copy(rows, rows + 16, out);
    return array;
}

nb::object transform(const BoundFrame& frame, nb::handle relative_to, nb::handle in_coordinates_of) {
    const BoundFrame* base = frame_argument("relative_to", relative_to);
    const BoundFrame* coordinates = frame_argument("in_coordinates_of", in_coordinates_of);
    const bool turned = !in_coordinates_of.is_none();
    if (!base && !turned) {
        const FrameMotion<double> m = frame.motion(Order::pose);
        return matrix4(m.R, m.p);
    }
    if (base == &frame && !turned) return matrix4(identity3<double>(), zero3<double>());
    const RelativePose pose = pose_relative_to(frame, base, turned ? coordinates : base);
    return matrix4(pose.R, pose.p);
}

nb::object spatial_velocity(const BoundFrame& frame, nb::handle offset, nb::handle base, nb::handle coordinates) {
    const FrameQuery q = query(frame, offset, base, coordinates, Axes::Of::self, Order::velocity);
    return vector6(q.angular_velocity(), q.linear_velocity());
}

nb::object spatial_acceleration(const BoundFrame& frame, nb::handle offset, nb::handle base, nb::handle coordinates) {
    const FrameQuery q = query(frame, offset, base, coordinates, Axes::Of::self, Order::acceleration);
    return vector6(q.angular_acceleration(), q.spatial_linear_acceleration());
}

}  // namespace

FrameClass bind_frame(nb::module_& m) {
    nb::enum_<Frame::Kind>(m, "FrameKind", "Where the native half of a frame learns how it moves.")
        .value("USER", Frame::Kind::user, "A Python object says how it moves relative to its parent.")
        .value("WORLD", Frame::Kind::world, "It does not.")
        .value("MOVING", Frame::Kind::moving, "Motion relative to the parent is stored.")
        .value("BODY", Frame::Kind::body, "A body of a State.");
    static PyType_Slot slots[] = {{Py_tp_setattro, reinterpret_cast<void*>(set_known_attribute)}, {0, nullptr}};
    FrameClass frame(m, "Frame", nb::is_weak_referenceable(), nb::type_slots(slots));
    frame.doc() = "Native half of kido.Frame: where it stands, how it moves, relative to any other.";
    frame.def(nb::init<Frame::Kind>(), "kind"_a, nb::sig("def __init__(self, kind: FrameKind) -> None"));

    frame.def("transform", transform, nb::kw_only(), "relative_to"_a = nb::none(), "in_coordinates_of"_a = nb::none(),
              nb::sig("def transform(self, *, " FRAMES ") -> " FLOATS),
              R"(Pose of this frame.

Args:
    relative_to: the frame whose coordinates the pose maps to; None is the world.
    in_coordinates_of: axes that the whole answer is turned to, by a rotation from the left, as DART does; None is
        `relative_to`.

Returns:
    T_relative_to_self (4, 4), translation in [m].

Raises:
    TypeError: an argument is not a Frame.)");

    frame.def("spatial_velocity", spatial_velocity, "offset"_a = nb::none(), nb::kw_only(), "relative_to"_a = nb::none(),
              "in_coordinates_of"_a = nb::none(),
              nb::sig("def spatial_velocity(self, offset: " ARRAY " | None = None, *, " FRAMES ") -> " FLOATS),
              R"(Spatial velocity of this frame, at its origin or another of its points.

Args:
    offset: the point, in this frame's coordinates (3,) [m]; None is the origin.
    relative_to: whose observer sees the motion; None is the world.
    in_coordinates_of: axes of the answer; None is this frame.

Returns:
    (6,), angular [rad/s] then linear [m/s].

Raises:
    TypeError, ValueError: an argument is not a Frame, or offset not three finite numbers.)");

    frame.def(
        "linear_velocity",
        [](const BoundFrame& f, nb::handle offset, nb::handle base, nb::handle coordinates) {
            const FrameQuery q = query(f, offset, base, coordinates, Axes::Of::world, Order::velocity);
            return vector3(q.linear_velocity());
        },
        "offset"_a = nb::none(), nb::kw_only(), "relative_to"_a = nb::none(), "in_coordinates_of"_a = nb::none(),
        nb::sig("def linear_velocity(self, offset: " ARRAY " | None = None, *, " FRAMES ") -> " FLOATS),
        R"(Velocity of this frame's origin or another of its points.

Args:
    offset: the point, in this frame's coordinates (3,) [m]; None is the origin.
    relative_to: whose observer sees the motion; None is the world.
    in_coordinates_of: axes of the answer; None is the world.

Returns:
    (3,) [m/s].

Raises:
    TypeError, ValueError: as for spatial_velocity.)");

    frame.def(
        "angular_velocity",
        [](const BoundFrame& f, nb::handle base, nb::handle coordinates) {
            const FrameQuery q = query(f, nb::none(), base, coordinates, Axes::Of::world, Order::velocity);
            return vector3(q.angular_velocity());
        },
        nb::kw_only(), "relative_to"_a = nb::none(), "in_coordinates_of"_a = nb::none(),
        nb::sig("def angular_velocity(self, *, " FRAMES ") -> " FLOATS),
        R"(Angular velocity of this frame.

Args:
    relative_to: whose observer sees the motion; None is the world.
    in_coordinates_of: axes of the answer; None is the world.

Returns:
    (3,) [rad/s].

Raises:
    TypeError: an argument is not a Frame.)");

    frame.def("spatial_acceleration", spatial_acceleration, "offset"_a = nb::none(), nb::kw_only(),
              "relative_to"_a = nb::none(), "in_coordinates_of"_a = nb::none(),
              nb::sig("def spatial_acceleration(self, offset: " ARRAY " | None = None, *, " FRAMES ") -> " FLOATS),
              R"(Spatial acceleration of this frame: the rate of its spatial velocity, component by component in its own axes.

Args:
    offset: the point, in this frame's coordinates (3,) [m]; None is the origin.
    relative_to: whose observer sees the motion; None is the world.
    in_coordinates_of: axes that the answer is turned to; None is this frame.

Returns:
    (6,), angular [rad/s^2] then linear [m/s^2]. The linear part is not the second derivative of position; that is
    `linear_acceleration`.

Raises:
    TypeError, ValueError: as for spatial_velocity.

Source: Featherstone (2008), section 2.11.)");

    frame.def(
        "linear_acceleration",
        [](const BoundFrame& f, nb::handle offset, nb::handle base, nb::handle coordinates) {
            const FrameQuery q = query(f, offset, base, coordinates, Axes::Of::world, Order::acceleration);
            return vector3(q.linear_acceleration());
        },
        "offset"_a = nb::none(), nb::kw_only(), "relative_to"_a = nb::none(), "in_coordinates_of"_a = nb::none(),
        nb::sig("def linear_acceleration(self, offset: " ARRAY " | None = None, *, " FRAMES ") -> " FLOATS),
        R"(Classical acceleration of this frame's origin or another of its points: the second derivative of its position.

A moving observer sees the Coriolis, centripetal and Euler terms too: they are in the answer.

Args:
    offset: the point, in this frame's coordinates (3,) [m]; None is the origin.
    relative_to: whose observer sees the motion; None is the world.
    in_coordinates_of: axes of the answer; None is the world.

Returns:
    (3,) [m/s^2], gravity not included.

Raises:
    TypeError, ValueError: as for spatial_velocity.)");

    frame.def(
        "angular_acceleration",
        [](const BoundFrame& f, nb::handle base, nb::handle coordinates) {
            const FrameQuery q = query(f, nb::none(), base, coordinates, Axes::Of::world, Order::acceleration);
            return vector3(q.angular_acceleration());
        },
        nb::kw_only(), "relative_to"_a = nb::none(), "in_coordinates_of"_a = nb::none(),
        nb::sig("def angular_acceleration(self, *, " FRAMES ") -> " FLOATS),
        R"(Angular acceleration of this frame.

Args:
    relative_to: whose observer sees the motion; None is the world.
    in_coordinates_of: axes of the answer; None is the world.

Returns:
    (3,) [rad/s^2].

Raises:
    TypeError: an argument is not a Frame.)");

    frame.def(
        "_transform_from",
        [](const BoundFrame& f, nb::handle base) { return read_only(transform(f, base, nb::none())); }, "base"_a,
        nb::sig("def _transform_from(self, base: Frame) -> " FLOATS), "`transform` relative to a frame, read-only.");
    frame.def(
        "_spatial_velocity_from",
        [](const BoundFrame& f, nb::handle base) {
            return read_only(spatial_velocity(f, nb::none(), base, nb::none()));
        },
        "base"_a, nb::sig("def _spatial_velocity_from(self, base: Frame) -> " FLOATS),
        "`spatial_velocity` relative to a frame, read-only.");
    frame.def(
        "_spatial_acceleration_from",
        [](const BoundFrame& f, nb::handle base) {
            return read_only(spatial_acceleration(f, nb::none(), base, nb::none()));
        },
        "base"_a, nb::sig("def _spatial_acceleration_from(self, base: Frame) -> " FLOATS),
        "`spatial_acceleration` relative to a frame, read-only.");
    frame.def(
        "_place_under",
        [](BoundFrame& f, nb::handle parent) { f.parent = frame_argument("parent", parent); }, "parent"_a.none(),
        nb::sig("def _place_under(self, parent: Frame | None) -> None"), "Sets the native parent; None is the world.");
    frame.def(
        "_set_relative_pose",
        [](BoundFrame& f, nb::handle T) {
            double x[16];
            read_numbers("relative_transform", T, 4, 4, "m", x);
            f.stored().R = {{x[0], x[4], x[8]}, {x[1], x[5], x[9]}, {x[2], x[6], x[10]}};
            f.stored().p = {x[3], x[7], x[11]};
        },
        "transform"_a.none(), nb::sig("def _set_relative_pose(self, transform: " ARRAY ") -> None"),
        "Stores the pose (4, 4) of a moving frame in its parent.");
    frame.def(
        "_set_relative_translation",
        [](BoundFrame& f, const char* name, nb::handle p) {
            double x[3];
            read_numbers(name, p, 3, 0, "m", x);
            f.stored().p = vec3(x);
        },
        "name"_a, "translation"_a.none(),
        nb::sig("def _set_relative_translation(self, name: str, translation: " ARRAY ") -> None"),
        "Stores the position (3,) of a moving frame in its parent; `name` is the argument's in messages.");
    frame.def(
        "_set_relative_velocity",
        [](BoundFrame& f, nb::handle V) {
            double x[6];
            read_numbers("relative_spatial_velocity", V, 6, 0, "rad/s, m/s", x);
            f.stored().angular = vec3(x);
            f.stored().linear = vec3(x + 3);
        },
        "velocity"_a.none(), nb::sig("def _set_relative_velocity(self, velocity: " ARRAY ") -> None"),
        "Stores the spatial velocity (6,) of a moving frame relative to its parent.");
    frame.def(
        "_set_relative_acceleration",
        [](BoundFrame& f, nb::handle A) {
            double x[6];
            read_numbers("relative_spatial_acceleration", A, 6, 0, "rad/s^2, m/s^2", x);
            f.stored().angular_acceleration = vec3(x);
            f.stored().linear_acceleration = vec3(x + 3);
        },
        "acceleration"_a.none(), nb::sig("def _set_relative_acceleration(self, acceleration: " ARRAY ") -> None"),
        "Stores the spatial acceleration (6,) of a moving frame relative to its parent.");
    frame.def(
        "_relative_pose", [](const BoundFrame& f) { return read_only(matrix4(f.stored().R, f.stored().p)); },
        nb::sig("def _relative_pose(self) -> " FLOATS), "The stored pose (4, 4), read-only.");
    frame.def(
        "_relative_velocity",
        [](const BoundFrame& f) { return read_only(vector6(f.stored().angular, f.stored().linear)); },
        nb::sig("def _relative_velocity(self) -> " FLOATS), "The stored velocity (6,), read-only.");
    frame.def(
        "_relative_acceleration",
        [](const BoundFrame& f) {
            return read_only(vector6(f.stored().angular_acceleration, f.stored().linear_acceleration));
        },
        nb::sig("def _relative_acceleration(self) -> " FLOATS), "The stored acceleration (6,), read-only.");
    return frame;
}

}  // namespace kido
