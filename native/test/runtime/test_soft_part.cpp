#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "check.hpp"
#include "kido/contact/soft_part.hpp"

// What springs may keep of the energy of points that contacts stop, against energies that are summed here.

using namespace kido;

namespace {

constexpr double kStep = 1e-2, kOfTaken = 0.75;
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

double product(const SoftMaterial& m, const Points& a, const Points& b) {
    double sum = 0.0;
    for (int i = 0; i < m.size(); ++i) sum += m.vertex_stiffness[i] * dot(a[i], b[i]);
    for (std::size_t e = 0; e < m.edges.size(); ++e) {
        const auto [i, j] = m.edges[e];
        sum += m.edge_stiffness[e] * dot(a[i] - a[j], b[i] - b[j]);
    }
    return sum;
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
        part.limit_energy(kStep, kSubsteps, kWeight, taken);
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
        part.limit_energy(kStep, kSubsteps, kWeight, 0.0);
        part.advance(kStep, kSubsteps, kWeight);
        CHECK_WITHIN(std::abs(part.layer.accelerations[2].x - 0.6 * moved / (kStep * kStep)), 1e-9);
        // `sums` are over sub-steps.
        CHECK_WITHIN(std::abs(part.layer.displacements[2].z + 0.8 * moved / kSubsteps), 1e-15);
    }
}
