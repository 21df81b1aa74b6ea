#include <nanobind/stl/string.h>

#include "bound_frame.hpp"

#include <cmath>
#include <string>

#include "bind_math.hpp"
#include "bound_state.hpp"
#include "kido/tree/joint.hpp"
#include "real_numbers.hpp"

namespace kido {

RelativeMotion<double>& BoundFrame::stored() const {
    if (!relative) throw nb::type_error("the motion of this frame is not stored");
    return *relative;
}

std::shared_ptr<State> BoundFrame::bind() const {
    const nb::object self = nb::find(*this);
    self.attr("_bind")();
    if (!is_ready()) raise_changed();  // by functions of user joints, or by another thread
    return state;
}

std::shared_ptr<const void> BoundFrame::hold() const {
    PyObject* self = nb::find(*this).release().ptr();
    return {self, [](const void* object) { Py_DECREF(static_cast<PyObject*>(const_cast<void*>(object))); }};
}

RelativeMotion<double> BoundFrame::ask(Order order) const {
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

Axes axes_argument(nb::handle in_coordinates_of, Axes::Of by_default) {
    if (in_coordinates_of.is_none()) return {by_default, nullptr};
    const BoundFrame* frame = frame_argument("in_coordinates_of", in_coordinates_of);
    return {frame ? Axes::Of::frame : Axes::Of::world, frame};
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

void read_transform(const char* name, nb::handle value, double (&out)[16]) {
    constexpr double kRigid = 1e-6;
    read_numbers(name, value, 4, 4, "m", out);
    if (rows::transform_defect({out}) <= kRigid) return;
    throw nb::value_error((std::string(name) + ": expected a rigid transform, R^T R = 1 within 1e-06 and a last row of 0, 0, 0, 1").c_str());
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

nb::object read_only(nb::object array) {
    PyArray_CLEARFLAGS(reinterpret_cast<PyArrayObject*>(array.ptr()), NPY_ARRAY_WRITEABLE);
    return array;
}

}  // namespace kido
