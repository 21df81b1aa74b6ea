#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "check.hpp"
#include "kido/contact/soft_landing.hpp"
#include "kido/contact/soft_part.hpp"

// What springs may keep of the energy of points that contacts stop, against energies that are summed here.

using namespace kido;

namespace {

constexpr double kStep = 1e-2, kOfTaken = 0.75, kModulus = 2e4;
constexpr int kSubsteps = 4;
constexpr double kWeight = kStep * (kSubsteps + 1) / 2.0;

using Points = std::vector<Vec3<double>>;

// A tetrahedron whose points are tied to their places and to each other.
SoftMaterial tetrahedron(double stiffness) {
    SoftMaterial m;
    for (int i = 0; i < 4; ++i) {
        m.mass.push_back(0.1 + 0.05 * i);
        m.vertex_stiffness.push_back(stiffness * (1.0 + 0.3 * i));
        m.damping.push_back(0.0);
        m.rest.push_back({0.1 * (i == 1), 0.1 * (i == 2), 0.1 * (i == 3)});
        m.frozen.push_back(false);
        for (int j = 0; j < i; ++j) {
            m.edges.push_back({j, i});
            m.edge_stiffness.push_back(stiffness * (0.5 + 0.1 * (i + j)));
        }
    }
    return m;
}

SoftMaterial with_gas() {
    SoftMaterial m = tetrahedron(100.0);
    m.faces = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    m.bulk_modulus = kModulus;
    return m;
}

Vec3<double> random_vector(std::mt19937& random, double size) {
    std::normal_distribution<double> number;
    const double x = number(random), y = number(random), z = number(random);
    return Vec3<double>{x, y, z} * size;
}

double product(const SoftMaterial& m, const Points& a, const Points& b) {
    double sum = 0.0;
    for (int i = 0; i < m.size(); ++i) sum += m.vertex_stiffness[i] * dot(a[i], b[i]);
    for (std::size_t e = 0; e < m.edges.size(); ++e) {
        const auto [i, j] = m.edges[e];
        sum += m.edge_stiffness[e] * dot(a[i] - a[j], b[i] - b[j]);
    }
    return sum;
}

const StepReach<double> kReach = {kStep, kSubsteps, kWeight, zero3<double>()};

// As a tree has its points stay back.
void limit_energy(SoftPart& part, double taken) {
    LinkMotion<double> still{};
    still.axes = identity3<double>();
    StepEnergy energy = part.find_lags(still, {}, false, kReach);
    energy.over -= kOfTaken * std::max(taken, 0.0);
    part.stay_back(energy.least_share());
}

// Points that fly, and are stopped within the step by impulses on each.
struct Stopped {
    SoftMaterial material;
    SoftPart part;
    Points began, velocities, ended;

    Stopped(double stiffness, double speed, double sums, std::mt19937& random)
        : material(tetrahedron(stiffness)), part(0, 0, -1, false, material), began(4), velocities(4), ended(4) {
        std::normal_distribution<double> number;
        LinkMotion<double> still{};
        still.axes = identity3<double>();
        for (int i = 0; i < 4; ++i) {
            part.layer.displacements[i] = Vec3<double>{number(random), number(random), number(random)} * 1e-3;
            part.layer.yielded[i] = Vec3<double>{number(random), number(random), number(random)} * 1e-3;
            part.layer.velocities[i] = Vec3<double>{number(random), number(random), number(random)} * speed;
        }
        CHECK(part.eliminate(kStep, still, zero3<double>(), zero3<double>()));
        part.accelerate(still, {});
        part.begin_spread();
        for (int i = 0; i < 4; ++i) {
            const Vec3<double> impulse = part.layer.velocities[i] * (-material.mass[i] * (1.0 + 0.1 * i));
            part.add_impulse(still, i, impulse, impulse * sums);
        }
        part.end_spread(still, {}, {});
        began = beside_rest();
        for (int i = 0; i < 4; ++i) velocities[i] = (part.layer.velocities[i] + part.end_velocity(i, kStep)) * 0.5;
    }

    Points beside_rest() const {
        Points from = part.layer.displacements;
        for (int i = 0; i < 4; ++i) from[i] -= part.layer.yielded[i];
        return from;
    }
    // Energy of springs at the end of the step, where points stay back by what energy allows for what contacts have taken.
    double energy(double taken) {
        Points ends;
        for (int i = 0; i < 4; ++i) ends.push_back(part.end_velocity(i, kStep));
        limit_energy(part, taken);
        implicit = began;
        for (int i = 0; i < 4; ++i) implicit[i] += ends[i] * kStep;
        part.advance(kStep, kSubsteps, kWeight);
        ended = beside_rest();
        return 0.5 * product(material, ended, ended);
    }
    // What springs had, and took from the motion, and what they may keep of what contacts have taken.
    double most(double taken) const {
        return 0.5 * product(material, began, began) + kStep * product(material, velocities, implicit) + kOfTaken * std::max(taken, 0.0);
    }
    Points implicit;
};

}  // namespace

TEST("springs of points that are stopped keep what they took from the motion, and of what contacts took three quarters") {
    std::mt19937 random(7);
    int limited = 0, free = 0, out_of_reach = 0;
    for (const double stiffness : {1e2, 1e4, 1e6}) {
        for (int k = 0; k < 60; ++k) {
            const double taken = k % 3 == 0 ? 0.0 : k % 3 == 1 ? -1.0 : 1e-3 * stiffness * 1e-3;
            Stopped unlimited(stiffness, 0.3, 0.5, random);
            Stopped limits = unlimited;
            const double whole = unlimited.energy(HUGE_VAL), kept = limits.energy(taken), most = limits.most(taken);
            if (whole <= most) {
                ++free;
                CHECK_WITHIN(std::abs(kept - whole), 0.0);
                continue;
            }
            // Less is kept, just as much as it may be; where no place on the way has so little, the one that has least.
            CHECK(kept < whole);
            Points way(4);
            for (int i = 0; i < 4; ++i) way[i] = limits.implicit[i] - unlimited.ended[i];
            const double a = 0.5 * product(limits.material, way, way), b = product(limits.material, unlimited.ended, way);
            const double least = whole - b * b / (4.0 * a), at = -b / (2.0 * a);
            if (least > most || at > 1.0) {
                ++out_of_reach;
                const double s = std::min(at, 1.0);
                if (least > most) CHECK_WITHIN(std::abs(kept - (whole + b * s + a * s * s)), 1e-9 * whole);
            } else {
                ++limited;
                CHECK_WITHIN(std::abs(kept - most), 1e-9 * whole);
            }
        }
    }
    CHECK(limited > 10);
    CHECK(free > 10);
    CHECK(out_of_reach > 0);
}

TEST("energy is looked at where a point's velocity changes by a hundredth of a millimeter in the step") {
    LinkMotion<double> still{};
    still.axes = identity3<double>();
    for (const double moved : {0.9e-5, 1.1e-5}) {
        SoftPart part(0, 0, -1, false, tetrahedron(0.0));
        CHECK(part.eliminate(kStep, still, zero3<double>(), zero3<double>()));
        part.accelerate(still, {});
        part.begin_spread();
        const Vec3<double> impulse = Vec3<double>{0.6, 0.0, -0.8} * (part.layer.material().mass[2] * moved / kStep);
        part.add_impulse(still, 2, impulse, impulse);
        part.end_spread(still, {}, {});
        CHECK(part.jumps(kStep) == (moved > 1e-5));
        limit_energy(part, 0.0);
        part.advance(kStep, kSubsteps, kWeight);
        CHECK_WITHIN(std::abs(part.layer.accelerations[2].x - 0.6 * moved / (kStep * kStep)), 1e-9);
        // `sums` are over sub-steps.
        CHECK_WITHIN(std::abs(part.layer.displacements[2].z + 0.8 * moved / kSubsteps), 1e-15);
    }
}

TEST("what gravity gains where points and their link go farther than the mean of their velocities is counted too") {
    std::mt19937 random(5);
    const auto some = [&](double size) { return random_vector(random, size); };
    const Vec3<double> gravity = {1.0, -2.0, -9.0};
    for (int k = 0; k < 20; ++k) {
        LinkMotion<double> at{};
        at.axes = so3_exp(some(1.0));
        at.arm = some(0.5);
        at.motion = {some(1.0), some(1.0)};
        const Motion<double> moved = {some(0.1), some(0.1)};
        const SoftMaterial material = tetrahedron(300.0);
        SoftPart part(0, 0, -1, true, material);
        for (int i = 0; i < 4; ++i) part.layer.displacements[i] = some(1e-2), part.layer.velocities[i] = some(1.0);
        CHECK(part.eliminate(kStep, at, zero3<double>(), gravity));
        part.accelerate(at, {some(1.0), some(1.0)});
        part.begin_spread();
        for (int i = 0; i < 4; ++i) part.add_impulse(at, i, some(0.1), some(0.3));
        part.end_spread(at, {some(0.1), some(0.1)}, {some(0.1), some(0.1)});

        const Points began = part.layer.displacements, velocities = part.layer.velocities;
        Points ends(4), implicit(4), mean(4);
        for (int i = 0; i < 4; ++i) {
            const Vec3<double> v = part.end_velocity(i, kStep);
            mean[i] = (velocities[i] + v) * 0.5;
            implicit[i] = began[i] + v * kStep;
            const Vec3<double> rates = velocities[i] * double(kSubsteps) + part.layer.accelerations[i] * kWeight + part.sum(i);
            ends[i] = began[i] + rates * (kStep / kSubsteps);
        }
        const bool falls = k % 2 == 0;
        const StepEnergy energy = part.find_lags(at, moved, falls, kReach);
        for (const double share : {0.0, 0.3, 1.0}) {
            double expected = -0.5 * product(material, began, began) - kStep * product(material, mean, implicit);
            Points at_share(4);
            for (int i = 0; i < 4; ++i) {
                const Vec3<double> lag = (implicit[i] - ends[i]) * share;
                at_share[i] = ends[i] + lag;
                const Vec3<double> place = at.arm + at.axes * (material.rest[i] + began[i]);
                const Vec3<double> beyond = ends[i] + (falls ? lag : zero3<double>()) - began[i] - mean[i] * kStep;
                expected -= material.mass[i] * dot(gravity, moved.linear + cross(moved.angular, place) + at.axes * beyond);
            }
            expected += 0.5 * product(material, at_share, at_share);
            CHECK_WITHIN(std::abs(energy.gained(share) - expected), 1e-12 * (1.0 + std::abs(expected)));
        }
    }
}

TEST("of a gas, what it gains is counted by Boyle's law, and so is what contacts squeeze in the step") {
    std::mt19937 random(9);
    const auto some = [&](double size) { return random_vector(random, size); };
    LinkMotion<double> still{};
    still.axes = identity3<double>();
    const SoftMaterial material = with_gas();
    const auto volume = [&](const Points& moved) {
        const auto p = [&](int i) { return material.rest[i] + moved[i]; };
        return dot(p(1) - p(0), cross(p(2) - p(0), p(3) - p(0))) / 6.0;
    };
    const double rest = volume(Points(4, zero3<double>()));
    const auto energy_of = [&](double v) { return kModulus * (v - rest - rest * std::log(v / rest)); };
    for (int k = 0; k < 20; ++k) {
        SoftPart part(0, 0, -1, false, material);
        for (int i = 0; i < 4; ++i) {
            part.layer.displacements[i] = some(5e-3);
            part.layer.yielded[i] = some(1e-3);
            part.layer.velocities[i] = some(0.3);
        }
        CHECK(part.eliminate(kStep, still, zero3<double>(), zero3<double>()));
        part.accelerate(still, {});
        part.begin_spread();
        for (int i = 0; i < 4; ++i) part.add_impulse(still, i, some(0.05), some(0.1));
        part.end_spread(still, {}, {});
        Points before(4), added(4), sums(4);
        for (int i = 0; i < 4; ++i) before[i] = part.end_velocity(i, kStep), sums[i] = part.sum(i);
        const double power = part.layer.gas_power(before);
        part.press_again(kReach);

        // The gas has at the end the pressure of the volume that all velocities make: p = K (V0 / V - 1), V to first order.
        const Points& began = part.layer.displacements;
        double squeezed = volume(began), given = 0.0;
        Vec3<double> momentum = zero3<double>(), angular = momentum;
        Points ends(4);
        for (int i = 0; i < 4; ++i) {
            ends[i] = part.end_velocity(i, kStep);
            // Its pressure acts evenly in all of the step: velocities, summed over sub-steps, grow from one to the next.
            Vec3<double> grown = zero3<double>();
            for (int s = 1; s <= kSubsteps; ++s) grown += (ends[i] - before[i]) * (double(s) / kSubsteps);
            const Vec3<double> wrong = part.sum(i) - sums[i] - grown;
            CHECK_WITHIN(dot(wrong, wrong), 1e-24);
            added[i] = ends[i] - before[i];
            momentum += added[i] * material.mass[i];
            angular += cross(part.layer.place(i), added[i]) * material.mass[i];
            for (int c = 0; c < 3; ++c) {
                const auto slope = [&](double d) {
                    Points moved = began;
                    (&moved[i].x)[c] += d;
                    return volume(moved);
                };
                const double along = (slope(1e-5) - slope(-1e-5)) / 2e-5;
                squeezed += kStep * along * (&ends[i].x)[c];
                given += along * (&before[i].x)[c];
            }
        }
        const double pressure = kModulus * (rest / squeezed - 1.0);
        CHECK_WITHIN(std::abs(part.layer.gas_power(before) - pressure * given), 1e-7 * std::abs(pressure * given));
        CHECK(std::abs(part.layer.gas_power(before) - power) > 1e-3 * std::abs(power));
        CHECK_WITHIN(dot(momentum, momentum), 1e-26);
        CHECK_WITHIN(dot(angular, angular), 1e-26);

        const StepEnergy energy = part.find_lags(still, {}, false, kReach);
        CHECK(energy.gases.size() == 1);
        Points at_share(4);
        for (const double share : {0.0, 0.25, 0.7, 1.0}) {
            for (int i = 0; i < 4; ++i) {
                const Vec3<double> rates = part.layer.velocities[i] * double(kSubsteps) + part.layer.accelerations[i] * kWeight + part.sum(i);
                const Vec3<double> last = began[i] + rates * (kStep / kSubsteps);
                at_share[i] = last + (began[i] + ends[i] * kStep - last) * share;
            }
            CHECK_WITHIN(std::abs(energy.gases[0].energy(share) - energy_of(volume(at_share))), 1e-11);
        }
    }
}

TEST("springs that keep the lengths of edges gain what their energy grows beyond their work on the points") {
    std::mt19937 random(11);
    const auto some = [&](double size) { return random_vector(random, size); };
    LinkMotion<double> still{};
    still.axes = identity3<double>();
    SoftMaterial material = tetrahedron(1e4);
    material.along_edges = true;
    const auto energy_of = [&](const Points& x) {
        double twice = 0.0;
        for (int i = 0; i < 4; ++i) twice += material.vertex_stiffness[i] * dot(x[i], x[i]);
        for (std::size_t e = 0; e < material.edges.size(); ++e) {
            const auto [a, b] = material.edges[e];
            const Vec3<double> rest = material.rest[b] - material.rest[a], now = rest + x[b] - x[a];
            const double stretch = std::sqrt(dot(now, now)) - std::sqrt(dot(rest, rest));
            twice += material.edge_stiffness[e] * stretch * stretch;
        }
        return 0.5 * twice;
    };
    int limited = 0;
    for (int k = 0; k < 40; ++k) {
        SoftPart part(0, 0, -1, false, material);
        for (int i = 0; i < 4; ++i) part.layer.displacements[i] = some(1e-3), part.layer.velocities[i] = some(0.3);
        CHECK(part.eliminate(kStep, still, zero3<double>(), zero3<double>()));
        part.accelerate(still, {});
        part.begin_spread();
        Points impulses(4);
        for (int i = 0; i < 4; ++i) {
            impulses[i] = part.layer.velocities[i] * (-material.mass[i] * (1.0 + 0.1 * i));
            part.add_impulse(still, i, impulses[i], impulses[i] * 0.5);
        }
        part.end_spread(still, {}, {});

        const Points began = part.layer.displacements;
        Points ends(4), implicit(4);
        double work = 0.0;  // of all springs, by what the points' momenta changed by
        for (int i = 0; i < 4; ++i) {
            const Vec3<double> v = part.layer.velocities[i], end = part.end_velocity(i, kStep);
            const Vec3<double> force = ((end - v) * material.mass[i] - impulses[i]) * (1.0 / kStep) + end * material.damping[i];
            work += kStep * dot(force, (v + end) * 0.5);
            implicit[i] = began[i] + end * kStep;
            ends[i] = began[i] + (v * double(kSubsteps) + part.layer.accelerations[i] * kWeight + part.sum(i)) * (kStep / kSubsteps);
        }
        StepEnergy energy = part.find_lags(still, {}, false, kReach);
        for (const double share : {0.0, 0.3, 1.0}) {
            Points at_share(4);
            for (int i = 0; i < 4; ++i) at_share[i] = ends[i] + (implicit[i] - ends[i]) * share;
            const double expected = energy_of(at_share) - energy_of(began) + work;
            CHECK_WITHIN(std::abs(energy.gained(share) - expected), 1e-11 * (1.0 + std::abs(expected)));
        }
        StepEnergy two;
        two.add(energy);
        two.add(energy);
        CHECK_WITHIN(std::abs(two.gained(0.3) - 2.0 * energy.gained(0.3)), 1e-12);
        const double share = energy.least_share();
        if (share > 0.0 && energy.gained(1.0) < 0.0) {
            ++limited;
            CHECK_WITHIN(std::abs(energy.gained(share)), 1e-9);
        }
    }
    CHECK(limited > 3);
}

TEST("what is led takes no part in the momentum that a gas must not give") {
    std::mt19937 random(9);
    const auto some = [&](double size) { return random_vector(random, size); };
    LinkMotion<double> still{};
    still.axes = identity3<double>();
    for (const bool frozen : {false, true}) {
        SoftMaterial material = with_gas();
        if (frozen) material.frozen[0] = 1;
        else material.pinned = {1, 0, 0, 0};
        SoftPart part(0, 0, -1, false, material);
        CHECK(part.eliminate(kStep, still, zero3<double>(), zero3<double>()));
        part.accelerate(still, {});
        part.begin_spread();
        for (int i = 1; i < 4; ++i) part.add_impulse(still, i, some(0.05), some(0.1));
        part.end_spread(still, {}, {});
        Points before(4);
        for (int i = 0; i < 4; ++i) before[i] = part.end_velocity(i, kStep);
        part.press_again(kReach);
        Vec3<double> momentum = zero3<double>(), angular = momentum;
        double most = 0.0;
        for (int i = 0; i < 4; ++i) {
            const Vec3<double> added = part.end_velocity(i, kStep) - before[i];
            if (i == 0) CHECK_WITHIN(dot(added, added), frozen ? 0.0 : 1e-10);
            else momentum += added * material.mass[i];
            if (i > 0) angular += cross(part.layer.place(i), added) * material.mass[i];
            most = std::max(most, dot(added, added));
        }
        CHECK(most > 1e-6);
        CHECK_WITHIN(dot(momentum, momentum), 1e-26);
        CHECK_WITHIN(dot(angular, angular), 1e-26);
    }
}

TEST("a gas within a surface of which two points move gives them no momentum") {
    LinkMotion<double> still{};
    still.axes = identity3<double>();
    SoftMaterial material = with_gas();
    material.frozen = {1, 1, 0, 0};
    SoftPart part(0, 0, -1, false, material);
    CHECK(part.eliminate(kStep, still, zero3<double>(), zero3<double>()));
    part.accelerate(still, {});
    part.begin_spread();
    part.add_impulse(still, 2, {0.0, 0.05, 0.01}, {0.0, 0.1, 0.0});
    part.end_spread(still, {}, {});
    const Vec3<double> before = part.end_velocity(2, kStep);
    part.press_again(kReach);
    const Vec3<double> added = part.end_velocity(2, kStep) - before, other = part.change(3);
    CHECK(dot(added, added) > 1e-12 && std::isfinite(dot(other, other)));
}
