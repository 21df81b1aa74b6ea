#pragma once

#include <array>
#include <exception>
#include <utility>
#include <vector>

#include "kido/contact/native_world.hpp"
#include "numpy_api.hpp"

// How surfaces of colliders meet, as Python says it.

namespace kido {

namespace nb = nanobind;

// Sixteen numbers: friction, restitution, friction across the direction, direction (3), slip, slip across, motion of the surface:
// linear (3), angular (3), rolling and torsional friction. From the axes of a body to those of its row, whose pose is `frame`.
ContactSurface surface_of(const nb::object& numbers, const double* frame);

// A Python function that says how two colliders meet: numbers as of `surface_of`, in the axes of the first body.
class PythonSurfaces : public SurfaceSource {
public:
    PythonSurfaces(nb::object function, const std::vector<std::array<double, 12>>& frames)
        : function_(std::move(function)), frames_(frames) {}
    const nb::object& function() const { return function_; }
    PairSurface combine(int first, int second) override {
        const nb::gil_scoped_acquire lock;
        PairSurface pair = {};
        if (failure) return pair;
        try {
            const ContactSurface s = surface_of(function_(first, second), frames_.at(first).data());
            pair = {s.friction, s.restitution, s.secondary_friction, s.slip, s.secondary_slip, s.rolling, s.torsional, {}, false,
                    s.motion, {}};
            std::copy_n(s.direction, 3, pair.direction);
        } catch (...) {
            failure = std::current_exception();
        }
        return pair;
    }
    // Raises what went wrong.
    void check() {
        if (failure) std::rethrow_exception(std::exchange(failure, nullptr));
    }

private:
    nb::object function_;
    const std::vector<std::array<double, 12>>& frames_;  // of the bodies' origins in their rows, by colliders
};

}  // namespace kido
