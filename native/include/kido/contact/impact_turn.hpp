#pragma once

#include "kido/contact/free_motion.hpp"

// How a free body stands at the time of an impact. Until then it turns with the spin that it had, from then on with the one it has
// got, each time without a torque: free_turn keeps the energy of both. The step moves bodies from where they are at its start, by
// their last velocity: a body that was hit is taken for one that started turned, so that it comes through its pose at the impact.

KIDO_BEGIN

// By how much a body is taken to have started turned, in world axes, and by how much its impacts have displaced it in angle.
struct ImpactTurn {
    int row;
    Mat3<double> turn;
    Vec3<double> leap;
};

class BodyAtImpact {
public:
    // pose: the body's at the start of the step, velocity: of then, so that its momentum is that of now. Both are set to those at the
    // time t [s], as far as the body turns.
    BodyAtImpact(const ConstantRow& constants, PoseRow& pose, MotionRow& velocity, ImpactTurn& turn, double t)
        : constants_(constants), pose_(pose), kept_(pose), velocity_(velocity), turn_(turn), time_(t) {
        const Mat3<double> axes = turn.turn * start_axes();
        const Sym3<double> I = inertia(axes);
        const Vec3<double> spin = inverse(axes) * (inertia(start_axes()) * vec3(velocity.v + 3));
        const Turn moved = free_turn(spin, I, t);
        axes_ = moved.rotation * axes;
        write3(velocity_.v + 3, moved.rotation * moved.velocity);
        write_inverse();
    }
    // After the impact: as if it had started turned.
    void go_back() {
        const Vec3<double> spin = vec3(velocity_.v + 3), momentum = inertia(axes_) * spin;
        turn_.turn = free_turn(spin, inertia(axes_), -time_).rotation * axes_ * transpose(start_axes());
        pose_ = kept_;
        write3(velocity_.v + 3, inverse(start_axes()) * momentum);
    }
    static bool is_round(const ConstantRow& constants) { return constants.v[3] == constants.v[4] && constants.v[4] == constants.v[5]; }

private:
    Mat3<double> start_axes() const {
        const double* R = kept_.v + kRowAxes;
        return {vec3(R), vec3(R + 3), vec3(R + 6)};
    }
    Sym3<double> inertia(const Mat3<double>& axes) const {
        return rotated_diagonal(axes, constants_.v[3], constants_.v[4], constants_.v[5]);
    }
    Sym3<double> inverse(const Mat3<double>& axes) const {
        return rotated_diagonal(axes, constants_.v[0], constants_.v[1], constants_.v[2]);
    }
    void write_inverse() {
        const Sym3<double> I = inverse(axes_);
        const double numbers[6] = {I.xx, I.xy, I.xz, I.yy, I.yz, I.zz};
        std::copy_n(numbers, 6, pose_.v + kRowInertia);
    }

    const ConstantRow& constants_;
    PoseRow& pose_;
    PoseRow kept_;
    MotionRow& velocity_;
    ImpactTurn& turn_;
    Mat3<double> axes_;
    double time_;
};

KIDO_END
