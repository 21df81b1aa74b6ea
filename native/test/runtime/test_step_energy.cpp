#include <cmath>
#include <random>

#include "check.hpp"
#include "kido/contact/step_energy.hpp"

// The share by which points stay back, against a search in small steps.

using namespace kido;

namespace {

// The first share on a grid at which nothing is gained; where there is none, that of the least gain.
double searched(const StepEnergy& energy, int steps) {
    double best = 0.0;
    for (int k = 0; k <= steps; ++k) {
        const double s = double(k) / steps;
        if (energy.gained(s) <= 0.0) return s;
        if (energy.gained(s) < energy.gained(best)) best = s;
    }
    return best;
}

}  // namespace

TEST("points stay back by the least share that makes up for what was gained, with gas and without") {
    std::mt19937_64 random(3);
    std::uniform_real_distribution<double> number(0.0, 1.0);
    int none = 0, some = 0, never = 0;
    for (int k = 0; k < 400; ++k) {
        StepEnergy energy = {number(random) - 0.3, -2.5 * number(random), number(random)};
        if (k % 2 == 0) energy.gases.push_back({number(random), 1.0, 1.0 - 0.5 * number(random), 0.4 * number(random), 0.1, -0.05});
        const double share = energy.least_share(), expected = searched(energy, 20000);
        CHECK_WITHIN(std::abs(share - expected), energy.gained(expected) > 0.0 && k % 2 == 0 ? 0.5 / 16 + 1e-4 : 1e-4);
        if (energy.gained(0.0) <= 0.0) {
            ++none;
        } else if (energy.gained(expected) > 0.0) {
            ++never;
        } else {
            ++some;
            CHECK_WITHIN(std::abs(energy.gained(share)), 1e-9);
        }
    }
    CHECK(none > 20);
    CHECK(some > 20);
    CHECK(never > 20);
}

TEST("where nothing that gives way holds the points, they stay where they are") {
    CHECK((StepEnergy{1.0, 0.5, 1.0}.least_share()) == 0.0);
    CHECK((StepEnergy{1.0, -0.5, 0.0}.least_share()) == 0.0);
    CHECK((StepEnergy{1.0, 0.0, 0.0}.least_share()) == 0.0);
}

TEST("the volume of a gas is a cubic polynomial of the share") {
    const auto volume = [](double s) { return 2.0 + s * (0.3 + s * (-0.2 + s * 0.7)); };
    const GasWay way = GasWay::through(3.0, 1.5, volume(0.0), volume(0.5), volume(1.0), volume(-1.0));
    for (const double s : {0.1, 0.4, 0.9}) {
        const double now = volume(s);
        CHECK_WITHIN(std::abs(way.energy(s) - 3.0 * (now - 1.5 - 1.5 * std::log(now / 1.5))), 1e-13);
    }
    CHECK((GasWay{3.0, 1.5, -1.0, 0.0, 0.0, 0.0}.energy(0.0)) == HUGE_VAL);
}
