#include <nanobind/stl/string.h>

#include "bound_tree.hpp"

#include <algorithm>
#include <string>

namespace kido {

namespace {

template <class Number>
struct Rows {
    nb::object owner;
    const Number* data;
    npy_intp count, width;
    const Number* operator[](npy_intp i) const { return data + i * width; }
};

template <class Number>
Rows<Number> rows(nb::handle value, int type, npy_intp width, const char* name) {
    PyObject* array = PyArray_FROM_OTF(value.ptr(), type, NPY_ARRAY_IN_ARRAY);
    if (!array) throw nb::python_error();
    nb::object owner = nb::steal(array);
    auto* a = reinterpret_cast<PyArrayObject*>(array);
    if (PyArray_NDIM(a) != 2 || PyArray_DIM(a, 1) != width) {
        throw nb::value_error((std::string(name) + ": expected rows of " + std::to_string(width)).c_str());
    }
    return {owner, static_cast<const Number*>(PyArray_DATA(a)), PyArray_DIM(a, 0), width};
}

// A 3 x 4 frame in row-major order -> columns of the rotation, translation.
void read_frame(const double* frame, double* R, double* p) {
    for (int row = 0; row < 3; ++row) {
        for (int column = 0; column < 3; ++column) R[3 * column + row] = frame[4 * row + column];
        p[row] = frame[4 * row + 3];
    }
}

bool is_identity(const double* R) {
    for (int i = 0; i < 9; ++i) {
        if (R[i] != (i % 4 == 0 ? 1.0 : 0.0)) return false;
    }
    return true;
}

Offset offset_of(const Body& body) {
    if (std::any_of(body.p, body.p + 3, [](double x) { return x != 0.0; })) return Offset::full;
    return is_identity(body.R) ? Offset::none : Offset::rotation;
}

}  // namespace

BoundTree::BoundTree(nb::handle link_integers, nb::handle link_numbers, nb::handle body_links,
                     nb::handle body_frames, nb::handle joint_integers, nb::handle gravity, nb::str name,
                     nb::dict body_names, nb::dict joint_names)
    : name_(std::move(name)), body_names_(std::move(body_names)), joint_names_(std::move(joint_names)) {
    const auto integers = rows<npy_int64>(link_integers, NPY_INT64, 2, "link_integers");
    const auto numbers = rows<double>(link_numbers, NPY_DOUBLE, 23, "link_numbers");
    std::vector<Link> links(integers.count);
    if (numbers.count != integers.count) throw nb::value_error("links: rows do not match");
    for (npy_intp i = 0; i < integers.count; ++i) {
        Link& link = links[i];
        link = {};
        link.parent = static_cast<int>(integers[i][0]);
        link.kind = static_cast<JointKind>(integers[i][1]);
        if (link.parent >= i || link.parent < -1) throw nb::value_error("links: a parent follows its child");
        if (integers[i][1] < 0 || integers[i][1] > 4) throw nb::value_error("links: unknown kind of joint");
        const double* x = numbers[i];
        link.pitch = x[0];
        read_frame(x + 1, link.R, link.p);
        link.mass = x[13];
        std::copy(x + 14, x + 17, link.h);
        std::copy(x + 17, x + 23, link.I);
    }
    const auto owners = rows<npy_int64>(body_links, NPY_INT64, 1, "body_links");
    const auto frames = rows<double>(body_frames, NPY_DOUBLE, 12, "body_frames");
    std::vector<Body> bodies(owners.count);
    if (frames.count != owners.count) throw nb::value_error("bodies: rows do not match");
    for (npy_intp i = 0; i < owners.count; ++i) {
        bodies[i].link = static_cast<int>(owners[i][0]);
        if (bodies[i].link < -1 || bodies[i].link >= integers.count) throw nb::value_error("bodies: unknown link");
        read_frame(frames[i], bodies[i].R, bodies[i].p);
        bodies[i].offset = offset_of(bodies[i]);
    }
    const auto joints = rows<npy_int64>(joint_integers, NPY_INT64, 3, "joint_integers");
    if (joints.count != owners.count) throw nb::value_error("joints: expected one for each body");
    joints_.resize(joints.count);
    for (npy_intp i = 0; i < joints.count; ++i) {
        joints_[i] = {static_cast<int>(joints[i][0]), static_cast<int>(joints[i][1]), static_cast<int>(joints[i][2])};
    }
    const auto g = rows<double>(gravity, NPY_DOUBLE, 3, "gravity");
    storage_ = std::make_unique<ModelStorage>(std::move(links), std::move(bodies), g[0]);
}

nb::list BoundTree::massless_joints() const {
    const Model& m = model();
    nb::list result;
    std::size_t index = 0;
    for (auto [joint_name, position] : joint_names_) {
        const Joint& joint = joints_[index++];
        if (joint.link_begin == joint.link_end) continue;
        const Link* first = m.links + joint.link_begin;
        const Link* last = m.links + first->link_end;
        if (std::all_of(first, last, [](const Link& link) { return link.massless; })) result.append(joint_name);
    }
    return result;
}

int BoundTree::find(const nb::dict& names, const char* kind, nb::handle key) const {
    const int count = static_cast<int>(nb::len(names));
    if (PyUnicode_Check(key.ptr())) {
        if (PyObject* index = PyDict_GetItemWithError(names.ptr(), key.ptr())) {
            return static_cast<int>(PyLong_AsLong(index));
        }
        nb::object error = nb::module_::import_("kido.errors").attr("UnknownNameError");
        nb::object instance = error(kind, key, nb::list(names.keys()), name_);
        PyErr_SetObject(error.ptr(), instance.ptr());
        throw nb::python_error();
    }
    const bool is_index = PyIndex_Check(key.ptr()) && !PyBool_Check(key.ptr());
    const Py_ssize_t index = is_index ? PyNumber_AsSsize_t(key.ptr(), nullptr) : -1;
    if (!is_index || (index == -1 && PyErr_Occurred())) {
        PyErr_Clear();
        const std::string type = nb::cast<std::string>(nb::handle(Py_TYPE(key.ptr())).attr("__name__"));
        throw nb::type_error((std::string(kind) + ": expected a name or an index, got " + type).c_str());
    }
    if (index < 0 || index >= count) {
        throw nb::index_error((std::string(kind) + ": expected an index from 0 to " + std::to_string(count - 1) +
                               ", got " + std::to_string(index))
                                  .c_str());
    }
    return static_cast<int>(index);
}

}  // namespace kido
