#include "known_attributes.hpp"
#include "topics.hpp"

namespace kido {

namespace nb = nanobind;

int set_known_attribute(PyObject* object, PyObject* name, PyObject* value) {
    if (PyObject_GenericSetAttr(object, name, value) == 0) return 0;
    if (!PyErr_ExceptionMatches(PyExc_AttributeError)) return -1;
    try {
        nb::python_error refused;
        nb::handle kind(reinterpret_cast<PyObject*>(Py_TYPE(object)));
        if (PyObject_HasAttr(kind.ptr(), name)) {  // it is there, but cannot be set
            refused.restore();
            return -1;
        }
        nb::object unknown = nb::module_::import_("kido.errors").attr("unknown_attribute")(kind, nb::handle(name));
        PyErr_SetObject(PyExc_AttributeError, unknown.ptr());
    } catch (nb::python_error& error) {
        error.restore();
    }
    return -1;
}

void bind_known_attributes(nb::module_& m) {
    static PyType_Slot slots[] = {
        {Py_tp_setattro, reinterpret_cast<void*>(set_known_attribute)},
        {Py_tp_doc, const_cast<char*>("Base of classes whose objects refuse attributes that they do not have, "
                                      "naming the nearest ones.")},
        {0, nullptr}};
    static PyType_Spec spec = {"kido._core.KnownAttributes", 0, 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
    PyObject* type = PyType_FromSpec(&spec);
    if (!type) throw nb::python_error();
    m.attr("KnownAttributes") = nb::steal(type);
}

}  // namespace kido
