#pragma once

#include <algorithm>
#include <cmath>

#include "kido/contact/native_world.hpp"

// How softly rows of constraints give way, implicit in a sub-step (Catto 2011, Soft constraints; Lacoursiere 2007, Ghosts and
// Machines): a row holds where u + bias error + give impulse = 0, u being its velocity at the end of the sub-step.

KIDO_BEGIN

struct RowSoftness {
    double bias;  // [1/s]
    double give;  // velocity per impulse

    // response: of the row's velocity to its own impulse; usual: the largest of its kind. A row that hardly moves is held as one that moves
    // the thousandth part of that, for the mass that it would move is without bounds.
    static RowSoftness of(const ConstraintSoftness& s, double response, double h, double usual = 0.0) {
        response = std::max(response, kLeastResponse * usual);
        double k = s.stiffness, c = s.damping;
        if (s.frequency > 0.0) {
            const double omega = 2.0 * M_PI * s.frequency, mass = 1.0 / std::max(response, 1e-300);
            k = mass * omega * omega;
            c = 2.0 * s.damping_ratio * mass * omega;
        }
        const double sum = c + h * k;
        return {k / sum, 1.0 / (h * sum)};
    }

    // Whether it gives way by itself, beside a response that rigid rows would have: its force is that of its error, and nobody's to damp.
    bool is_spring(double response) const { return give > kStiff * response; }

private:
    static constexpr double kLeastResponse = 1e-3, kStiff = 1e-2;
};

// Whether what holds rigidly cannot be held: its errors are left over step after step, as those of loops that contradict each
// other. Such a constraint turns soft, as contacts are, until its errors vanish.
class Feasibility {
public:
    bool unmet() const { return steps_ >= kPatience; }
    // Whether its rows, too, move at the ends of steps, though they are held: what they hold is driven against them.
    bool driven() const { return driven_; }
    // fastest: of the rows, at the end of the step.
    void see(double largest_error, double fastest) {
        const bool left = largest_error > kLeft;
        steps_ = left ? std::min(steps_ + 1, kPatience) : 0;
        moving_ = left && fastest > kMoves ? std::min(moving_ + 1, kPatience) : std::max(moving_ - 1, 0);
        driven_ = left && moving_ > (driven_ ? 0 : kPatience - 1);
    }
    // The velocity that the spring of what yields asks for: the less the farther it is from being met, where damping is what counts.
    static double push(double error, double bias) {
        const double size = std::fabs(error);
        return size > kNear ? std::copysign(std::min(bias * kNear, kPush) * kNear / size, error) : std::copysign(std::min(bias * size, kPush), error);
    }
    static ConstraintSoftness yielding(double h) { return {0.0, 0.0, kFrequency / h, kDampingRatio}; }

    static constexpr double kLeft = 1e-4;   // [m or rad]
    static constexpr double kMoves = 1e-3;  // [m/s or rad/s]
    static constexpr double kPush = 0.1;    // [m/s or rad/s]
    static constexpr double kNear = 1e-2;   // [m or rad]

private:
    static constexpr int kPatience = 20;   // steps
    static constexpr double kFrequency = 0.25, kDampingRatio = 5.0;  // those of contacts

    int steps_ = 0, moving_ = 0;
    bool driven_ = false;
};

KIDO_END
