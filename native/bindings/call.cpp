#include "call.hpp"

#include <algorithm>

#include <string_view>

#include "chain_rates.hpp"
#include "instruction_set.hpp"
#include "long_call.hpp"
#include "real_numbers.hpp"

namespace kido {

namespace {

// Work above which other Python threads may run meanwhile; below, giving the lock away costs more than the call.
constexpr std::size_t kLongCall = 128;

std::string expected_text(std::initializer_list<int> shape) {
    std::string text = "(...";
    for (int extent : shape) text += ", " + std::to_string(extent);
    return text + ")";
}

// Whether two contiguous arrays share memory.
bool overlap(PyObject* a, PyObject* b) {
    auto* first = reinterpret_cast<PyArrayObject*>(a);
    auto* second = reinterpret_cast<PyArrayObject*>(b);
    const char* a_begin = static_cast<const char*>(PyArray_DATA(first));
    const char* b_begin = static_cast<const char*>(PyArray_DATA(second));
    return a_begin < b_begin + PyArray_NBYTES(second) && b_begin < a_begin + PyArray_NBYTES(first);
}

[[noreturn]] void raise_singular(const BoundTree& tree) {
    nb::object error = nb::module_::import_("kido.errors").attr("SingularMassError");
    nb::object instance = error(tree.massless_joints(), tree.name());
    PyErr_SetObject(error.ptr(), instance.ptr());
    throw nb::python_error();
}

}  // namespace

AnyCall::AnyCall(const BoundTree& tree, Problem& problem) : tree_(tree), problem_(problem) {}

AnyCall::~AnyCall() {
    for (int i = 0; i < input_count_; ++i) Py_XDECREF(inputs_[i].array);
    Py_XDECREF(users_.array);
}

void AnyCall::input(const char* name, nb::handle value, std::initializer_list<int> shape, const char* unit) {
    const auto expected = [&] { return expected_text(shape) + " [" + unit + "]"; };
    const auto message = [&] {
        std::string text = std::string(name) + ": expected numbers of shape " + expected() + ", got " + class_name(value);
        if (PyArray_Check(value.ptr())) text += " of " + dtype_name(value);
        return text;
    };
    if (value.is_none()) throw nb::type_error(message().c_str());
    nb::object owner = real_numbers(value, message);
    auto* array = reinterpret_cast<PyArrayObject*>(owner.release().ptr());
    const int trailing = static_cast<int>(shape.size());
    const int axes = PyArray_NDIM(array);
    Input& input = inputs_[input_count_++];
    input = {name, array, trailing, 1};
    bool fits = axes >= trailing;
    int axis = axes - trailing;
    for (int extent : shape) {
        fits = fits && PyArray_DIM(array, axis) == extent;
        ++axis;
        input.size *= extent;
    }
    if (!fits) {
        throw nb::value_error((std::string(name) + ": expected shape " + expected() + ", got " + shape_text(array)).c_str());
    }
    if (axes - trailing > kMaxAxes - 3) {
        throw nb::value_error((std::string(name) + ": expected at most " + std::to_string(kMaxAxes - 3) + " leading axes, got " +
                               std::to_string(axes - trailing))
                                  .c_str());
    }
    if (!active_kernels().arrays.finite(static_cast<const double*>(PyArray_DATA(array)), PyArray_SIZE(array))) {
        refuse_infinite(input);
    }
}

void AnyCall::optional(const char* name, nb::handle value, std::initializer_list<int> shape, const char* unit) {
    if (value.is_none()) {
        inputs_[input_count_++] = {name, nullptr, 0, 0};
    } else {
        input(name, value, shape, unit);
    }
}

void AnyCall::output(std::initializer_list<int> shape) {
    Output& output = outputs_[output_count_++];
    output = {0, {}, 1};
    for (int extent : shape) {
        output.shape[output.axes++] = extent;
        output.size *= extent;
    }
}

void AnyCall::refuse_infinite(const Input& input) const {
    const double* data = static_cast<const double*>(PyArray_DATA(input.array));
    const npy_intp count = PyArray_SIZE(input.array);
    npy_intp flat = 0;
    while (flat < count && data[flat] - data[flat] == 0.0) ++flat;
    std::string index;
    npy_intp rest = flat;
    for (int axis = PyArray_NDIM(input.array) - 1; axis >= 0; --axis) {
        const npy_intp extent = PyArray_DIM(input.array, axis);
        index = std::to_string(rest % extent) + (index.empty() ? "" : ", " + index);
        rest /= extent;
    }
    const std::string value = data[flat] != data[flat] ? "nan" : data[flat] > 0 ? "inf" : "-inf";
    throw nb::value_error(
        (std::string(input.name) + ": expected finite numbers, got " + value + " at [" + index + "]").c_str());
}

void AnyCall::broadcast() {
    leading_ = 0;
    for (int i = 0; i < input_count_; ++i) {
        const Input& input = inputs_[i];
        if (!input.array) continue;
        const int axes = PyArray_NDIM(input.array) - input.trailing;
        if (axes > leading_) {
            std::move_backward(shape_, shape_ + leading_, shape_ + axes);
            std::fill(shape_, shape_ + axes - leading_, 1);
            leading_ = axes;
        }
        for (int k = 0; k < axes; ++k) {
            npy_intp& extent = shape_[leading_ - axes + k];
            const npy_intp own = PyArray_DIM(input.array, k);
            if (extent == 1) {
                extent = own;
            } else if (own != 1 && own != extent) {
                throw nb::value_error((std::string(input.name) + ": leading shape " +
                                       shape_text(PyArray_DIMS(input.array), axes) +
                                       " does not broadcast with that of the arguments before it, " +
                                       shape_text(shape_, leading_))
                                          .c_str());
            }
        }
    }
    problem_.samples = 1;
    for (int k = 0; k < leading_; ++k) problem_.samples *= shape_[k];
}

// Gives the problem an input whose samples lie one behind the other, or one that repeats.
void AnyCall::align(Input& input, int index) {
    if (!input.array) return;
    const std::size_t own = PyArray_SIZE(input.array) / std::max<std::size_t>(input.size, 1);
    if (own != problem_.samples && own != 1 && input.size > 0) {
        npy_intp full[kMaxAxes];
        std::copy(shape_, shape_ + leading_, full);
        std::copy_n(PyArray_DIMS(input.array) + PyArray_NDIM(input.array) - input.trailing, input.trailing,
                    full + leading_);
        PyObject* copy = PyArray_SimpleNew(leading_ + input.trailing, full, NPY_DOUBLE);
        if (!copy) throw nb::python_error();
        if (PyArray_CopyInto(reinterpret_cast<PyArrayObject*>(copy), input.array) != 0) {
            Py_DECREF(copy);
            throw nb::python_error();
        }
        Py_DECREF(input.array);
        input.array = reinterpret_cast<PyArrayObject*>(copy);
    }
    problem_.in[index] = static_cast<const double*>(PyArray_DATA(input.array));
    problem_.stride[index] = own == 1 ? 0 : static_cast<std::ptrdiff_t>(input.size);
}

// An array to write into: new, or the checked argument. Owned.
PyArrayObject* AnyCall::result(const Output& output, nb::handle out, const std::string& name) const {
    npy_intp full[kMaxAxes];
    const int axes = leading_ + output.axes;
    std::copy(shape_, shape_ + leading_, full);
    std::copy(output.shape, output.shape + output.axes, full + leading_);
    if (out.is_none()) {
        PyObject* array = PyArray_SimpleNew(axes, full, NPY_DOUBLE);
        if (!array) throw nb::python_error();
        return reinterpret_cast<PyArrayObject*>(array);
    }
    const std::string expected = name + ": expected a writable, C-contiguous float64 array of shape " + shape_text(full, axes);
    if (!PyArray_Check(out.ptr())) {
        throw nb::type_error((expected + ", got " + class_name(out)).c_str());
    }
    auto* array = reinterpret_cast<PyArrayObject*>(out.ptr());
    if (PyArray_TYPE(array) != NPY_DOUBLE || !PyArray_ISNOTSWAPPED(array)) {
        throw nb::type_error((expected + ", got " + dtype_name(out)).c_str());
    }
    if (!PyArray_ISWRITEABLE(array)) throw nb::value_error((expected + ", got a read-only array").c_str());
    if (PyArray_NDIM(array) != axes || !std::equal(full, full + axes, PyArray_DIMS(array))) {
        throw nb::value_error((expected + ", got " + shape_text(array)).c_str());
    }
    if (!PyArray_ISCARRAY(array)) throw nb::value_error((expected + ", got a strided array").c_str());
    Py_INCREF(array);
    return array;
}

// An argument that shares memory with a result is copied first.
void AnyCall::separate(PyArrayObject* result) {
    for (int i = 0; i < input_count_; ++i) {
        PyObject* array = reinterpret_cast<PyObject*>(inputs_[i].array);
        if (!array || !overlap(array, reinterpret_cast<PyObject*>(result))) continue;
        PyObject* copy = PyArray_NewCopy(inputs_[i].array, NPY_CORDER);
        if (!copy) throw nb::python_error();
        Py_DECREF(inputs_[i].array);
        inputs_[i].array = reinterpret_cast<PyArrayObject*>(copy);
    }
}

// Has the tree's user joints asked for all samples.
void AnyCall::ask_users() {
    const bool has_v = input_count_ > 1 && std::string_view(inputs_[1].name) == "v";
    const auto array = [](const Input& input) { return nb::borrow(reinterpret_cast<PyObject*>(input.array)); };
    nb::object motion = tree_.user_motion()(array(inputs_[0]), has_v ? array(inputs_[1]) : nb::none());
    users_ = {"motion of user joints", reinterpret_cast<PyArrayObject*>(motion.release().ptr()), 1,
              user_numbers(tree_.model())};
    align(users_, Problem::users);
    if (!has_v) return;
    double* numbers = static_cast<double*>(PyArray_DATA(users_.array));
    const std::size_t count = problem_.stride[Problem::users] == 0 ? 1 : problem_.samples;
    for (std::size_t i = 0; i < count; ++i) {
        const double* v = problem_.in[1] + problem_.stride[1] * static_cast<std::ptrdiff_t>(i);
        chain_rates(tree_.model(), v, numbers + users_.size * i);
    }
}

void AnyCall::call_function(const nb::object* results) const {
    nb::object arguments = nb::steal(PyTuple_New(input_count_));
    for (int i = 0; i < input_count_; ++i) {
        PyObject* array = inputs_[i].array ? reinterpret_cast<PyObject*>(inputs_[i].array) : Py_None;
        Py_INCREF(array);
        PyTuple_SET_ITEM(arguments.ptr(), i, array);
    }
    nb::object given = nb::steal(PyObject_CallObject(function_.ptr(), arguments.ptr()));
    if (!given) throw nb::python_error();
    for (int i = 0; i < output_count_; ++i) {
        auto* to = reinterpret_cast<PyArrayObject*>(results[i].ptr());
        auto* from = reinterpret_cast<PyArrayObject*>(PyTuple_GET_ITEM(given.ptr(), i));
        if (PyArray_CopyInto(to, from) != 0) throw nb::python_error();
    }
}

nb::object AnyCall::run(nb::handle out) {
    broadcast();
    nb::object owned[Problem::max_outputs];
    problem_.out_given = !out.is_none();
    const bool several = output_count_ > 1;
    if (several && !out.is_none() && (!PyTuple_Check(out.ptr()) || PyTuple_GET_SIZE(out.ptr()) != output_count_)) {
        const std::string got = PyTuple_Check(out.ptr()) ? "one of " + std::to_string(PyTuple_GET_SIZE(out.ptr())) : class_name(out);
        throw nb::type_error(("out: expected a tuple of " + std::to_string(output_count_) + " arrays, got " + got).c_str());
    }
    for (int i = 0; i < output_count_; ++i) {
        nb::handle target = several && !out.is_none() ? nb::handle(PyTuple_GET_ITEM(out.ptr(), i)) : out;
        PyArrayObject* array = result(outputs_[i], target, several && !out.is_none() ? "out[" + std::to_string(i) + "]" : "out");
        owned[i] = nb::steal(reinterpret_cast<PyObject*>(array));
        if (!target.is_none()) separate(array);
        problem_.out[i] = static_cast<double*>(PyArray_DATA(array));
    }
    for (int i = 0; i < output_count_; ++i) {
        for (int j = 0; j < i; ++j) {
            if (overlap(owned[i].ptr(), owned[j].ptr())) {
                throw nb::value_error("out: expected separate arrays, got two that share memory");
            }
        }
    }
    for (int i = 0; i < input_count_; ++i) align(inputs_[i], i);
    std::size_t failed = kAllPositive;
    if (problem_.samples > 0 && function_.is_valid()) {
        call_function(owned);
    } else if (problem_.samples > 0) {
        if (moves_ && problem_.model->num_user_links > 0) ask_users();
        if (problem_.samples * static_cast<std::size_t>(problem_.model->num_links) > kLongCall) {
            without_lock([&](StopSignal* stop) { failed = evaluate(problem_, stop); });
        } else {
            failed = evaluate(problem_);
        }
    }
    if (failed != kAllPositive) raise_singular(tree_);
    if (!several) return std::move(owned[0]);
    nb::object tuple = nb::steal(PyTuple_New(output_count_));
    for (int i = 0; i < output_count_; ++i) PyTuple_SET_ITEM(tuple.ptr(), i, owned[i].release().ptr());
    return tuple;
}

}  // namespace kido
