#include "transmitted_wrenches.hpp"

#include <vector>

#include "body_columns.hpp"
#include "frame.hpp"
#include "kido/spatial/articulated.hpp"
#include "kido/tree/joint.hpp"

namespace kido {

namespace {

struct PlacedWrench {
    Mat3<double> R;         // axes of the body
    Vec3<double> p;         // its origin
    Wrench<double> wrench;  // about it, in world axes
};

int code_of(const BodyLoads& loads, int body, BodyCode code) {
    return loads.codes[body * static_cast<std::ptrdiff_t>(BodyCode::count) + static_cast<int>(code)];
}

// What a body's own motion takes, less what gravity and the external wrench give.
PlacedWrench own_wrench(State& state, const BodyLoads& loads, int body) {
    const FrameMotion<double> m = body_motion(state, body, Order::acceleration);
    const double* row = loads.rows + static_cast<std::ptrdiff_t>(body) * BodyColumns::count;
    const Vec3<double> arm = m.R * vec3(row + BodyColumns::com.first);
    Vec3<double> acceleration =
        m.linear_acceleration + cross(m.angular_acceleration, arm) + cross(m.angular, cross(m.angular, arm));
    if (code_of(loads, body, BodyCode::gravity)) acceleration -= vec3(loads.gravity);
    const Sym3<double> moment = rotate(m.R, sym3(row + BodyColumns::moment.first));
    Wrench<double> wrench;
    wrench.force = acceleration * row[BodyColumns::mass.first];
    wrench.torque =
        moment * m.angular_acceleration + cross(m.angular, moment * m.angular) + cross(arm, wrench.force);
    if (loads.wrenches) {
        const double* external = loads.wrenches + 6 * static_cast<std::ptrdiff_t>(body);
        wrench.torque -= m.R * vec3(external);
        wrench.force -= m.R * vec3(external + 3);
    }
    return {m.R, m.p, wrench};
}

}  // namespace

void transmitted_wrenches(State& state, const BodyLoads& loads, double* out) {
    const int count = state.model().num_bodies;
    std::vector<PlacedWrench> bodies(count);
    for (int body = 0; body < count; ++body) bodies[body] = own_wrench(state, loads, body);
    for (int body = count - 1; body >= 0; --body) {
        const PlacedWrench& self = bodies[body];
        double* to = out + 6 * static_cast<std::ptrdiff_t>(body);
        write3(to, transposed_times(self.R, self.wrench.torque));
        write3(to + 3, transposed_times(self.R, self.wrench.force));
        const int parent = code_of(loads, body, BodyCode::parent);
        if (parent >= 0) bodies[parent].wrench = bodies[parent].wrench + shift(self.wrench, self.p - bodies[parent].p);
    }
}

}  // namespace kido
