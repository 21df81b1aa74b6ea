#pragma once

#include <algorithm>
#include <exception>

// How surfaces meet each other.

namespace kido {

// Motion of a surface along itself, as that of a belt: velocities at a point and about it.
struct SurfaceMotion {
    double linear[3], angular[3];  // [m/s], [rad/s]
};

// Of one shape; vectors in the axes of its body's row, the motion at its center.
struct ContactSurface {
    double friction, restitution;
    double secondary_friction;     // across `direction`
    double direction[3];           // unit vector; zeros: the same friction in all directions
    double slip, secondary_slip;   // velocity that a force makes it slip with [m/(N s)]
    SurfaceMotion motion;
    double rolling, torsional;     // torque by normal force [m]
};

enum class CombineRule : int { minimum, mean, maximum, product, count };

struct SurfaceRules {
    CombineRule friction, restitution, rolling;  // rolling and torsional friction
};

// Of two shapes that touch.
struct PairSurface {
    double friction, restitution, secondary_friction, slip, secondary_slip, rolling, torsional;
    double direction[3];
    bool of_second;  // whether the direction is in the axes of the second body
    SurfaceMotion first, second;

    // Whether friction and restitution are all there is.
    bool is_plain() const {
        const auto still = [](const SurfaceMotion& m) {
            return std::all_of(m.linear, m.linear + 3, [](double x) { return x == 0.0; }) &&
                   std::all_of(m.angular, m.angular + 3, [](double x) { return x == 0.0; });
        };
        return friction == secondary_friction && slip == 0.0 && secondary_slip == 0.0 && rolling == 0.0 && torsional == 0.0 &&
               still(first) && still(second);
    }
};

inline double combined(CombineRule rule, double a, double b) {
    switch (rule) {
        case CombineRule::minimum: return std::min(a, b);
        case CombineRule::mean: return 0.5 * (a + b);
        case CombineRule::maximum: return std::max(a, b);
        default: return a * b;
    }
}

// Of two directions that of the lower friction counts.
inline PairSurface combined(const SurfaceRules& rules, const ContactSurface& a, const ContactSurface& b) {
    const auto directed = [](const ContactSurface& s) { return s.direction[0] != 0.0 || s.direction[1] != 0.0 || s.direction[2] != 0.0; };
    PairSurface s = {};
    s.friction = combined(rules.friction, a.friction, b.friction);
    s.secondary_friction = combined(rules.friction, a.secondary_friction, b.secondary_friction);
    s.restitution = combined(rules.restitution, a.restitution, b.restitution);
    s.slip = a.slip + b.slip;
    s.secondary_slip = a.secondary_slip + b.secondary_slip;
    s.rolling = combined(rules.rolling, a.rolling, b.rolling);
    s.torsional = combined(rules.rolling, a.torsional, b.torsional);
    s.of_second = directed(b) && (!directed(a) || b.friction < a.friction);
    std::copy_n((s.of_second ? b : a).direction, 3, s.direction);
    s.first = a.motion;
    s.second = b.motion;
    return s;
}

// Somebody who says how two colliders meet, when they begin to touch.
class SurfaceSource {
public:
    virtual ~SurfaceSource() = default;
    virtual PairSurface combine(int first, int second) = 0;
    // What went wrong when it was asked; the step is not made.
    std::exception_ptr failure;
};

struct SurfaceFailure {};

}  // namespace kido
