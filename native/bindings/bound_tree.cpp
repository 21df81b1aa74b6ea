#include <nanobind/stl/string.h>

#include "bound_tree.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "real_numbers.hpp"

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

}  // namespace

BoundTree::BoundTree(nb::handle integers, nb::handle numbers, nb::handle armature, nb::handle gravity, nb::str name,
                     nb::tuple body_names, nb::tuple joint_names)
    : name_(std::move(name)), body_names_(std::move(body_names)), joint_names_(std::move(joint_names)) {
    const auto whole = rows<npy_int64>(integers, NPY_INT64, BodyRow::integers, "integers");
    const auto real = rows<double>(numbers, NPY_DOUBLE, BodyRow::numbers, "numbers");
    if (whole.count != real.count) throw nb::value_error("rows do not match");
    std::vector<BodyRow> bodies;
    bodies.reserve(whole.count);
    for (npy_intp i = 0; i < whole.count; ++i) {
        const npy_int64* row = whole[i];
        if (row[0] < -1 || row[0] >= i) throw nb::value_error("a parent follows its child");
        if (row[4] < 0 || row[4] > 6) throw nb::value_error("a user joint has 1 to 6 dofs");
        const bool user = row[1] == PrimitiveSequence::user;
        if (user != (row[4] > 0) || (!user && !PrimitiveSequence{row[1]}.valid())) {
            throw nb::value_error("unknown type of joint");
        }
        bodies.emplace_back(row, real[i]);
    }
    CompiledBodies compiled = compile_bodies(bodies);
    joints_ = std::move(compiled.joints);
    const auto g = rows<double>(gravity, NPY_DOUBLE, 3, "gravity");
    int dofs = 0;
    for (const Link& link : compiled.links) dofs += dof_count(link.kind);
    const auto added = rows<double>(armature, NPY_DOUBLE, dofs, "armature");
    if (added.count != 1) throw nb::value_error("armature: expected one row");
    storage_ = std::make_shared<ModelStorage>(std::move(compiled.links), std::move(compiled.weights), std::move(compiled.bodies),
                                              g[0], std::vector<double>(added[0], added[0] + dofs));
}

nb::list BoundTree::massless_joints() const {
    const Model& m = model();
    nb::list result;
    for (std::size_t index = 0; index < joints_.size(); ++index) {
        const CompiledJoint& joint = joints_[index];
        if (joint.link_begin == joint.link_end) continue;
        const Link* first = m.links + joint.link_begin;
        const Link* last = m.links + first->link_end;
        const int end = m.links[joint.link_end - 1].dof + m.links[joint.link_end - 1].dof_count;
        const bool inert = m.armature && std::all_of(m.armature + first->dof, m.armature + end, [](double x) { return x > 0.0; });
        if (inert) continue;
        if (std::all_of(first, last, [](const Link& link) { return link.massless; })) result.append(joint_names_[index]);
    }
    return result;
}

int BoundTree::find(const nb::tuple& names, nb::dict& index, const char* kind, nb::handle key) const {
    const int count = static_cast<int>(nb::len(names));
    if (PyUnicode_Check(key.ptr())) {
        if (nb::len(index) == 0) {
            for (int i = 0; i < count; ++i) index[names[i]] = i;
        }
        if (PyObject* found = PyDict_GetItemWithError(index.ptr(), key.ptr())) {
            return static_cast<int>(PyLong_AsLong(found));
        }
        nb::object error = nb::module_::import_("kido.errors").attr("UnknownNameError");
        nb::object instance = error(kind, key, names, name_);
        PyErr_SetObject(error.ptr(), instance.ptr());
        throw nb::python_error();
    }
    const bool is_index = PyIndex_Check(key.ptr()) && !PyBool_Check(key.ptr());
    const Py_ssize_t given = is_index ? PyNumber_AsSsize_t(key.ptr(), nullptr) : -1;
    const auto message = [&] { return std::string(kind) + ": expected a name or an index, got " + class_name(key); };
    if (!is_index) throw nb::type_error(message().c_str());
    if (given == -1 && PyErr_Occurred()) {
        nb::python_error cause;
        raise_unreadable(cause, message());
    }
    if (given < 0 || given >= count) {
        const std::string range = count > 0 ? "an index from 0 to " + std::to_string(count - 1) : "none, for there are none";
        throw nb::index_error((std::string(kind) + ": expected " + range + ", got " + std::to_string(given)).c_str());
    }
    return static_cast<int>(given);
}

}  // namespace kido
