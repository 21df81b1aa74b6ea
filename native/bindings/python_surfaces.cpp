#include "python_surfaces.hpp"

#include <algorithm>

#include "kept_array.hpp"

namespace kido {

ContactSurface surface_of(const nb::object& numbers, const double* frame) {
    const auto* x = static_cast<const double*>(kept_array("surface", numbers, NPY_DOUBLE, 16, kNoColumns));
    const auto turned = [&](const double* v, double* out) {
        for (int i = 0; i < 3; ++i) out[i] = frame[3 + i] * v[0] + frame[6 + i] * v[1] + frame[9 + i] * v[2];
    };
    ContactSurface s = {};
    s.friction = x[0];
    s.restitution = x[1];
    s.secondary_friction = x[2];
    turned(x + 3, s.direction);
    s.slip = x[6];
    s.secondary_slip = x[7];
    turned(x + 8, s.motion.linear);
    turned(x + 11, s.motion.angular);
    // At the center of the row: the place of the body's origin there is the frame's.
    const double *w = s.motion.angular, *p = frame;
    const double at[3] = {w[1] * p[2] - w[2] * p[1], w[2] * p[0] - w[0] * p[2], w[0] * p[1] - w[1] * p[0]};
    for (int i = 0; i < 3; ++i) s.motion.linear[i] -= at[i];
    s.rolling = x[14];
    s.torsional = x[15];
    return s;
}

}  // namespace kido
