#include "pose_batch.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "bind_math.hpp"
#include "real_numbers.hpp"

namespace kido {

namespace {

constexpr double kRigid = 1e-6;  // of rotations: R^T R = 1 within this

std::string expected_text(const char* name, std::initializer_list<int> trailing, const char* unit) {
    std::string text = std::string(name) + ": expected shape (...";
    for (const int extent : trailing) text += ", " + std::to_string(extent);
    return text + ") [" + unit + "], got ";
}

}  // namespace

void LeadingAxes::join(const char* name, PyArrayObject* array, int trailing) {
    const int axes = PyArray_NDIM(array) - trailing;
    if (axes > kMostAxes) throw nb::value_error((std::string(name) + ": expected fewer leading axes").c_str());
    if (axes > axes_) {
        std::move_backward(shape_, shape_ + axes_, shape_ + axes);
        std::fill(shape_, shape_ + axes - axes_, 1);
        axes_ = axes;
    }
    for (int k = 0; k < axes; ++k) {
        npy_intp& extent = shape_[axes_ - axes + k];
        const npy_intp own = PyArray_DIM(array, k);
        if (extent == 1) {
            extent = own;
        } else if (own != 1 && own != extent) {
            throw nb::value_error((std::string(name) + ": leading shape " + shape_text(PyArray_DIMS(array), axes) +
                                   " does not broadcast with that of the arguments before it, " + shape_text(shape_, axes_))
                                      .c_str());
        }
    }
}

std::size_t LeadingAxes::count() const {
    std::size_t count = 1;
    for (int k = 0; k < axes_; ++k) count *= static_cast<std::size_t>(shape_[k]);
    return count;
}

std::size_t LeadingAxes::row(PyArrayObject* array, int trailing, std::size_t sample) const {
    const int axes = PyArray_NDIM(array) - trailing;
    std::size_t row = 0, stride = 1;
    for (int k = axes - 1; k >= 0; --k) {
        const auto extent = static_cast<std::size_t>(shape_[axes_ - axes + k]), own = static_cast<std::size_t>(PyArray_DIM(array, k));
        if (own != 1) row += sample % extent * stride;
        sample /= extent;
        stride *= own;
    }
    return row;
}

nb::object LeadingAxes::results(int type, std::initializer_list<npy_intp> trailing, void*& data) const {
    npy_intp full[kMostAxes + 3];
    std::copy(shape_, shape_ + axes_, full);
    std::copy(trailing.begin(), trailing.end(), full + axes_);
    PyObject* array = PyArray_SimpleNew(axes_ + static_cast<int>(trailing.size()), full, type);
    if (!array) throw nb::python_error();
    data = PyArray_DATA(reinterpret_cast<PyArrayObject*>(array));
    return nb::steal(array);
}

VectorArgument::VectorArgument(const char* name, nb::handle value, const char* unit, LeadingAxes& leading)
    : VectorArgument(name, value, unit, leading, {3}) {}

VectorArgument::VectorArgument(const char* name, nb::handle value, const char* unit, LeadingAxes& leading,
                               std::initializer_list<int> trailing)
    : leading_(leading), trailing_(static_cast<int>(trailing.size())), size_(1) {
    owner_ = real_numbers(value, [&] { return expected_text(name, trailing, unit) + brief(value); });
    auto* array = reinterpret_cast<PyArrayObject*>(owner_.ptr());
    bool fits = PyArray_NDIM(array) >= trailing_;
    int axis = PyArray_NDIM(array) - trailing_;
    for (const int extent : trailing) {
        fits = fits && PyArray_DIM(array, axis) == extent;
        ++axis;
        size_ *= extent;
    }
    if (!fits) throw nb::value_error((expected_text(name, trailing, unit) + shape_text(array)).c_str());
    const double* data = static_cast<const double*>(PyArray_DATA(array));
    if (!std::all_of(data, data + PyArray_SIZE(array), [](double x) { return std::isfinite(x); })) {
        throw nb::value_error((std::string(name) + ": expected finite numbers [" + unit + "]").c_str());
    }
    leading.join(name, array, trailing_);
}

const double* VectorArgument::at(std::size_t sample) const {
    auto* array = reinterpret_cast<PyArrayObject*>(owner_.ptr());
    return static_cast<const double*>(PyArray_DATA(array)) + static_cast<std::size_t>(size_) * leading_.row(array, trailing_, sample);
}

PoseArgument::PoseArgument(const char* name, nb::handle value, LeadingAxes& leading) : VectorArgument(name, value, "m", leading, {4, 4}) {
    auto* array = reinterpret_cast<PyArrayObject*>(owner_.ptr());
    const double* data = static_cast<const double*>(PyArray_DATA(array));
    for (npy_intp k = 0; k < PyArray_SIZE(array); k += 16) {
        if (rows::transform_defect({data + k}) <= kRigid) continue;
        throw nb::value_error((std::string(name) + ": expected rigid transforms, R^T R = 1 within 1e-06 and a last row of 0, 0, 0, 1").c_str());
    }
}

void PoseArgument::read(std::size_t sample, double (&pose)[12]) const {
    const double* T = at(sample);
    for (int i = 0; i < 3; ++i) {
        pose[i] = T[4 * i + 3];
        for (int j = 0; j < 3; ++j) pose[3 + 3 * j + i] = T[4 * i + j];
    }
}

}  // namespace kido
