#pragma once

#include "kept_array.hpp"
#include "simulated_skeleton.hpp"

namespace kido {

// What a skeleton's loads are read from; the arrays live as long as they are held here.
class HeldLoads {
public:
    HeldLoads() = default;
    // Raises ValueError where an array is not what the skeleton needs; wrenches may be None.
    HeldLoads(const SimulatedSkeleton& skeleton, nb::object constants, nb::object actuators, nb::object wrenches, nb::object limited)
        : arrays_{std::move(constants), std::move(actuators), std::move(wrenches), std::move(limited)} {
        const npy_intp n = skeleton.state().num_dofs();
        kept_array("constants", arrays_[0], NPY_DOUBLE, static_cast<int>(DofConstant::count), n);
        kept_array("actuators", arrays_[1], NPY_UINT8, n, kNoColumns);
        if (!arrays_[2].is_none()) kept_array("wrenches", arrays_[2], NPY_DOUBLE, skeleton.state().model().num_bodies, 6);
        kept_array("limited", arrays_[3], NPY_UINT8, n, kNoColumns);
        look();
    }

    // With numbers of its own.
    HeldLoads copy() const {
        HeldLoads out;
        for (int i = 0; i < 4; ++i) {
            out.arrays_[i] = arrays_[i];
            if (!arrays_[i].is_valid() || arrays_[i].is_none()) continue;
            out.arrays_[i] = nb::steal(PyArray_NewCopy(reinterpret_cast<PyArrayObject*>(arrays_[i].ptr()), NPY_CORDER));
            if (!out.arrays_[i].is_valid()) throw nb::python_error();
        }
        out.look();
        return out;
    }

    bool are_set() const { return loads_.constants != nullptr; }
    const Loads& loads() const { return loads_; }
    const unsigned char* limited() const { return limited_; }

private:
    void look() {
        const auto data = [this](int i) -> const void* {
            if (!arrays_[i].is_valid() || arrays_[i].is_none()) return nullptr;
            return PyArray_DATA(reinterpret_cast<PyArrayObject*>(arrays_[i].ptr()));
        };
        loads_.constants = static_cast<const double*>(data(0));
        loads_.actuators = static_cast<const unsigned char*>(data(1));
        loads_.wrenches = static_cast<const double*>(data(2));
        limited_ = static_cast<const unsigned char*>(data(3));
    }

    nb::object arrays_[4];  // constants, actuators, wrenches, limited
    Loads loads_{};
    const unsigned char* limited_ = nullptr;
};

}  // namespace kido
