#include <nanobind/stl/string.h>

#include "bound_frame.hpp"

#include <cmath>
#include <string>
#include <vector>

#include "kido/tree/joint.hpp"
#include "real_numbers.hpp"

namespace kido {

namespace {

FrameMotion<double> body_motion(State& state, int index, Order order) {
    const Body& body = state.model().bodies[index];
    FrameMotion<double> m = at_rest<double>();
    if (body.link < 0) {
        m.R = mat3(body.R);
        m.p = vec3(body.p);
        return m;
    }
    if (order != Order::pose) {
        const double* V = order == Order::acceleration ? (state.acceleration(body.link), state.velocity(body.link))
                                                       : state.velocity(body.link);
        m.angular = vec3(V);
        m.linear = vec3(V + 3);
    }
    if (order == Order::acceleration) {
        const double* A = state.acceleration(body.link);
        m.angular_acceleration = vec3(A);
        m.linear_acceleration = vec3(A + 3);
    }
    const double* P = state.pose(body.link);
    m.R = mat3(P);
    m.p = vec3(P + 9);
    if (body.offset == Offset::full) m = at_point(m, vec3(body.p), order);
    if (body.offset != Offset::none) m.R = m.R * mat3(body.R);
    return m;
}

[[noreturn]] void raise_changed() {
    nb::object error = nb::module_::import_("kido.errors").attr("EditError");
    PyErr_SetString(error.ptr(), "the skeleton was changed while it was asked, by a function of a user joint or another thread");
    throw nb::python_error();
}

}  // namespace

RelativeMotion<double> BoundFrame::still() {
    const Vec3<double> o = zero3<double>();
    return {identity3<double>(), o, o, o, o, o};
}

std::shared_ptr<State> BoundFrame::ready() const {
    if (is_ready()) return state;
    nb::object self = nb::find(*this);
    self.attr("_bind")();
    // Functions of user joints, and other threads, may have unbound it again.
    if (!is_ready()) raise_changed();
    return state;
}

FrameMotion<double> BoundFrame::motion(Order order) const {
    if (kind_ == Kind::body) {
        if (is_ready()) return body_motion(*state, body, order);
        const std::shared_ptr<State> bound = ready();  // binds `body` too
        return body_motion(*bound, body, order);
    }
    if (kind_ == Kind::moving && !parent) return compose(at_rest<double>(), *relative, order);
    if (kind_ == Kind::moving && parent->kind_ == Kind::body && parent->is_ready()) {
        return compose(parent->motion(order), *relative, order);
    }
    return motion_along_parents(order);
}

// From this frame up to a body or the world, and down again. Where Python is asked, it may part frames and let go of them,
// so all of them are held meanwhile.
FrameMotion<double> BoundFrame::motion_along_parents(Order order) const {
    std::vector<const BoundFrame*> path;
    bool asks_python = false;
    const BoundFrame* frame = this;
    for (; frame && (frame->kind_ == Kind::moving || frame->kind_ == Kind::user); frame = frame->parent) {
        path.push_back(frame);
        asks_python = asks_python || frame->kind_ == Kind::user;
    }
    const bool on_body = frame && frame->kind_ == Kind::body;
    std::vector<nb::object> held;
    if (asks_python || (on_body && !frame->is_ready())) {
        for (const BoundFrame* each : path) held.push_back(nb::find(*each));
        if (on_body) held.push_back(nb::find(*frame));
    }
    FrameMotion<double> motion = on_body ? frame->motion(order) : at_rest<double>();
    for (std::size_t i = path.size(); i-- > 0;) {
        const BoundFrame& each = *path[i];
        if (each.kind_ == Kind::user) {
            motion = compose(motion, each.ask_python(order), order);
        } else {
            motion = compose(motion, *each.relative, order);
        }
    }
    return motion;
}

RelativeMotion<double>& BoundFrame::stored() const {
    if (!relative) throw nb::type_error("the motion of this frame is not stored");
    return *relative;
}

const BoundFrame* BoundFrame::carrier() const {
    const BoundFrame* frame = this;
    while (frame && frame->kind_ != Kind::body) frame = frame->parent;
    return frame;
}

RelativeMotion<double> BoundFrame::ask_python(Order order) const {
    nb::object self = nb::find(*this);
    RelativeMotion<double> own = still();
    double T[16], twist[6];
    read_numbers("relative_transform", self.attr("relative_transform"), 4, 4, "m", T);
    own.R = {{T[0], T[4], T[8]}, {T[1], T[5], T[9]}, {T[2], T[6], T[10]}};
    own.p = {T[3], T[7], T[11]};
    if (order == Order::pose) return own;
    read_numbers("relative_spatial_velocity", self.attr("relative_spatial_velocity"), 6, 0, "rad/s, m/s", twist);
    own.angular = vec3(twist);
    own.linear = vec3(twist + 3);
    if (order == Order::velocity) return own;
    read_numbers("relative_spatial_acceleration", self.attr("relative_spatial_acceleration"), 6, 0, "rad/s^2, m/s^2",
                 twist);
    own.angular_acceleration = vec3(twist);
    own.linear_acceleration = vec3(twist + 3);
    return own;
}

const BoundFrame* frame_argument(const char* name, nb::handle value) {
    if (value.is_none()) return nullptr;
    const BoundFrame* frame = nullptr;
    if (!nb::try_cast(value, frame) || !frame) {
        throw nb::type_error((std::string(name) + ": expected a Frame, got " + class_name(value)).c_str());
    }
    return frame->is_world() ? nullptr : frame;
}

void read_numbers(const char* name, nb::handle value, int rows, int columns, const char* unit, double* out) {
    const auto expected = [&] {
        const std::string shape = columns ? "(" + std::to_string(rows) + ", " + std::to_string(columns) + ")"
                                          : "(" + std::to_string(rows) + ",)";
        return std::string(name) + ": expected shape " + shape + " [" + unit + "], got ";
    };
    nb::object owner = real_numbers(value, [&] { return expected() + brief(value); });
    auto* a = reinterpret_cast<PyArrayObject*>(owner.ptr());
    const int axes = columns ? 2 : 1;
    if (PyArray_NDIM(a) != axes || PyArray_DIM(a, 0) != rows || (columns && PyArray_DIM(a, 1) != columns)) {
        throw nb::value_error((expected() + shape_text(a)).c_str());
    }
    const double* data = static_cast<const double*>(PyArray_DATA(a));
    const int count = rows * (columns ? columns : 1);
    for (int i = 0; i < count; ++i) {
        if (!std::isfinite(data[i])) {
            throw nb::value_error((std::string(name) + ": expected finite numbers [" + unit + "], got " +
                                   std::to_string(data[i]) + " at [" + std::to_string(i) + "]")
                                      .c_str());
        }
        out[i] = data[i];
    }
}

Vec3<double> offset_argument(nb::handle value) {
    if (value.is_none()) return zero3<double>();
    double offset[3];
    read_numbers("offset", value, 3, 0, "m", offset);
    return vec3(offset);
}

nb::object new_array(std::initializer_list<npy_intp> shape, double*& data) {
    npy_intp extents[3];
    int axes = 0;
    for (npy_intp extent : shape) extents[axes++] = extent;
    PyObject* array = PyArray_SimpleNew(axes, extents, NPY_DOUBLE);
    if (!array) throw nb::python_error();
    data = static_cast<double*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(array)));
    return nb::steal(array);
}

}  // namespace kido
