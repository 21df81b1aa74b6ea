#pragma once

#include <vector>

#include "message.hpp"

namespace kido {

// Array arguments with common leading axes, which are broadcast as NumPy does.
class LeadingAxes {
public:
    static constexpr int kMostAxes = 29;

    // Takes in the leading axes of an argument; raises ValueError where they do not fit those before.
    void join(const char* name, PyArrayObject* array, int trailing);

    std::size_t count() const;
    // Row of an argument that a sample has.
    std::size_t row(PyArrayObject* array, int trailing, std::size_t sample) const;
    // A new array with these and further axes.
    nb::object results(int type, std::initializer_list<npy_intp> trailing, void*& data) const;

private:
    int axes_ = 0;
    npy_intp shape_[kMostAxes];
};

// Vectors (..., 3).
class VectorArgument {
public:
    VectorArgument(const char* name, nb::handle value, const char* unit, LeadingAxes& leading);

    const double* at(std::size_t sample) const;
    // Whether fits(vector) holds for each vector that was given.
    template <class Fits>
    bool all(const Fits& fits) const {
        auto* array = reinterpret_cast<PyArrayObject*>(owner_.ptr());
        const double* data = static_cast<const double*>(PyArray_DATA(array));
        for (npy_intp k = 0; k < PyArray_SIZE(array); k += size_) {
            if (!fits(data + k)) return false;
        }
        return true;
    }

protected:
    VectorArgument(const char* name, nb::handle value, const char* unit, LeadingAxes& leading,
                   std::initializer_list<int> trailing);

    nb::object owner_;
    const LeadingAxes& leading_;
    int trailing_, size_;
};

// Rigid transforms (..., 4, 4) as poses: origin, then axes by columns.
class PoseArgument : VectorArgument {
public:
    PoseArgument(const char* name, nb::handle value, LeadingAxes& leading);

    void read(std::size_t sample, double (&pose)[12]) const;
};

}  // namespace kido
