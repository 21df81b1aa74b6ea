#pragma once

#include <variant>

#include "kido/contact/impact.hpp"
#include "kido/contact/surface_law.hpp"

// Impacts at the same time of manifolds that share bodies: one generalized reflection (Smith, Kaufman, Vouga, Tamstorf and Grinspun 2012,
// Reflections on Simultaneous Impact). The impulses that stop all points that meet, none of which pulls, are unique in what they do to the
// velocities, whatever the order in which they are found, so that symmetric impacts stay symmetric. They are given once more, times
// the restitution: with restitution 1 exactly the energy that comes in goes out, and never more; friction, then, only takes.
// Points that do not meet, though they may touch, have no part in it: what they get to do afterwards is another impact at the same
// time, so that a row of balls passes momentum on as it should.

KIDO_BEGIN

using AnyImpact = std::variant<ManifoldImpact<ManifoldBlock<double, 1>>, ManifoldImpact<ManifoldBlock<double, 4>>,
                               ManifoldImpact<SurfaceBlock>>;

class ImpactGroup {
public:
    ImpactGroup(const SideRows& rows, const std::vector<AnyImpact*>& impacts) : rows_(rows), impacts_(impacts) {}

    // False where nothing meets after all.
    bool resolve() {
        double speed = 0.0;
        for_each([&](auto& i) { speed = std::max(speed, i.begin(rows_)); });
        if (!(speed > 0.0) || !stop(speed)) return false;
        restore();
        const bool alone = impacts_.size() == 1;
        for (int pass = 0; pass < (alone ? 1 : kFrictionPasses * kFrictionPasses); ++pass) {
            for_each([&](auto& i) { i.rub(rows_, alone ? kFrictionPasses : 1); });
        }
        for_each([&](auto& i) { i.leap(rows_); });
        return true;
    }

private:
    static constexpr int kPasses = 200, kFrictionPasses = 10;
    static constexpr double kConverged = 1e-14;  // of the velocities

    template <class F>
    void for_each(F f) {
        for (AnyImpact* impact : impacts_) std::visit(f, *impact);
    }
    // Impulses that stop all points, of the size that takes the most energy: all of that which they can where they have converged.
    bool stop(double speed) {
        const bool alone = impacts_.size() == 1;
        for (int pass = 0; pass < kPasses; ++pass) {
            double most = 0.0;
            for_each([&](auto& i) { most = std::max(most, i.stop(rows_, alone ? kPasses : 1, kConverged * speed)); });
            if (alone || most <= kConverged * speed) break;
        }
        double power = 0.0, square = 0.0;
        for_each([&](auto& i) {
            power += i.power();
            square += i.square(rows_);
        });
        if (!(power > 0.0) || !(square > 0.0)) return false;
        for_each([&](auto& i) { i.scale(rows_, power / square); });
        energy_ = power * power / square;
        return true;
    }
    // Where restitutions differ, impulses may give back more than was taken: then all give less.
    void restore() {
        for_each([&](auto& i) { i.begin_restoring(rows_); });
        for_each([&](auto& i) { i.restore(rows_, 1.0); });
        double energy = 0.0;
        for_each([&](auto& i) { energy += i.restored(rows_); });
        const double share = energy > energy_ * (1.0 + 1e-9) ? std::sqrt(energy_ / energy) : 1.0;
        if (share < 1.0) {
            for_each([&](auto& i) { i.restore(rows_, share - 1.0); });
        }
        for_each([&](auto& i) { i.take_restored(share); });
    }

    SideRows rows_;
    const std::vector<AnyImpact*>& impacts_;
    double energy_ = 0.0;  // twice what stopping takes [J]
};

KIDO_END
