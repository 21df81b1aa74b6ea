#include "numpy_api.hpp"
#include "topics.hpp"

// inspect.signature asks a callable for its __signature__. The types of nanobind's functions have none; here they get one,
// which kido._native_signature reads from the declaration that nanobind keeps. So do classes, those whose constructor is native:
// before Python 3.11.5 their __new__ keeps it from looking at __init__.

namespace kido {

namespace nb = nanobind;

namespace {

template <bool Bound>
PyObject* signature_of(PyObject* function, void*) {
    try {
        const nb::module_ reader = nb::module_::import_("kido._native_signature");
        return reader.attr("native_signature")(nb::handle(function), Bound).release().ptr();
    } catch (nb::python_error& error) {
        error.restore();
        return nullptr;
    }
}

// Of a class: that of its constructor.
PyObject* signature_of_class(PyObject* type, void* method) {
    const nb::object init = nb::steal(PyObject_GetAttrString(type, "__init__"));
    if (!init.is_valid()) return nullptr;
    if (reinterpret_cast<PyObject*>(Py_TYPE(init.ptr())) == method) return signature_of<true>(init.ptr(), nullptr);
    PyErr_SetString(PyExc_AttributeError, "__signature__");
    return nullptr;
}

PyGetSetDef kOfFunction = {"__signature__", signature_of<false>, nullptr, nullptr, nullptr};
PyGetSetDef kOfBound = {"__signature__", signature_of<true>, nullptr, nullptr, nullptr};

// The types are immutable from Python, and belong to this extension alone (NB_DOMAIN).
void describe(nb::handle callable, PyGetSetDef* getter) {
    PyTypeObject* type = Py_TYPE(callable.ptr());
    const nb::object descriptor = nb::steal(PyDescr_NewGetSet(type, getter));
    if (!descriptor.is_valid() || PyDict_SetItemString(type->tp_dict, getter->name, descriptor.ptr()) != 0) {
        throw nb::python_error();
    }
    PyType_Modified(type);
}

}  // namespace

void bind_signatures(nb::module_& m) {
    const nb::object method = m.attr("Tree").attr("forward_dynamics");
    describe(m.attr("num_threads"), &kOfFunction);
    describe(method, &kOfFunction);
    describe(method.attr("__get__")(m), &kOfBound);
    static PyGetSetDef of_class = {"__signature__", signature_of_class, nullptr, nullptr, nullptr};
    of_class.closure = Py_TYPE(method.ptr());
    describe(m.attr("Tree"), &of_class);
}

}  // namespace kido
