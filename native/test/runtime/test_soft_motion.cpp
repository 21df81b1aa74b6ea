#include <cmath>
#include <random>
#include <vector>

#include "check.hpp"
#include "kido/contact/soft_part.hpp"

// Newton's law for each point around a link that moves in any way: accelerations by second differences of where the point is, against the
// forces of springs at the end of the step, gravity, impulses and pins.

using namespace kido;

namespace {

constexpr double kStep = 1e-2;

struct Pose {
    Vec3<double> origin;
    Mat3<double> axes;
};

struct Moving {
    std::mt19937 random;
    SoftMaterial material;
    SoftPart part;
    LinkMotion<double> at = {};
    Vec3<double> reference, gravity;
    Motion<double> rate;  // spatial acceleration about the reference
    bool pinned;

    Moving(int seed, bool weighs, bool pinned)
        : random(seed), material(springs(pinned)), part(0, 0, -1, weighs, material), reference(some(1.0)),
          gravity(weighs ? Vec3<double>{1.0, -2.0, -9.0} : zero3<double>()), rate{some(3.0), some(3.0)}, pinned(pinned) {
        at.axes = so3_exp(some(1.0));
        at.arm = some(0.5);
        at.motion = {some(2.0), some(1.0)};
        for (int i = 0; i < 4; ++i) {
            part.layer.displacements[i] = some(1e-2);
            part.layer.velocities[i] = some(0.5);
            part.targets[i] = reference + at.arm + part.arm(at, i) + some(1e-2);
            part.target_velocities[i] = some(0.5);
        }
        CHECK(part.eliminate(kStep, at, reference, Vec3<double>{1.0, -2.0, -9.0}));
        part.accelerate(at, rate);
    }
    Vec3<double> some(double size) {
        std::normal_distribution<double> number;
        const double x = number(random), y = number(random), z = number(random);
        return Vec3<double>{x, y, z} * size;
    }
    static SoftMaterial springs(bool pinned) {
        SoftMaterial m;
        for (int i = 0; i < 4; ++i) {
            m.mass.push_back(0.1 + 0.05 * i);
            m.vertex_stiffness.push_back(100.0 + 30.0 * i);
            m.damping.push_back(0.2 * i);
            m.rest.push_back({0.1 * (i == 1), 0.1 * (i == 2), 0.1 * (i == 3)});
            m.frozen.push_back(false);
            for (int j = 0; j < i; ++j) m.edges.push_back({j, i}), m.edge_stiffness.push_back(50.0 + 10.0 * j);
        }
        if (pinned) m.pinned = {0, 1, 0, 0};
        return m;
    }
    // Of the link, some time later: what is at the reference moves as the spatial velocity says.
    Pose later(double time) const {
        const int count = 200;
        const double dt = time / count;
        Vec3<double> from_reference = at.arm;
        Mat3<double> axes = at.axes;
        for (int k = 0; k < count; ++k) {
            const double t = (k + 0.5) * dt;
            const Vec3<double> w = at.motion.angular + rate.angular * t, v = at.motion.linear + rate.linear * t;
            const Vec3<double> middle = from_reference + (v + cross(w, from_reference)) * (0.5 * dt);
            from_reference += (v + cross(w, middle)) * dt;
            axes = so3_exp(w * dt) * axes;
        }
        return {from_reference, axes};
    }
    Vec3<double> place(int i, double time) const {
        const Pose link = later(time);
        const Vec3<double> own = part.layer.velocities[i] * time + part.layer.accelerations[i] * (0.5 * time * time);
        return link.origin + link.axes * (material.rest[i] + part.layer.displacements[i] + own);
    }
    Vec3<double> velocity(int i) const {
        const double d = 1e-5;
        return (place(i, d) - place(i, -d)) * (0.5 / d);
    }
    Vec3<double> acceleration(int i) const {
        const double d = 1e-3;
        return (place(i, d) - place(i, 0.0) * 2.0 + place(i, -d)) * (1.0 / (d * d));
    }
    // Of springs, dampers and gravity, where velocities at the end of the step lead; `end`: whether impulses are given.
    Vec3<double> force(int i, bool end) const {
        const auto velocity = [&](int k) {
            return end ? part.end_velocity(k, kStep) : part.layer.velocities[k] + part.layer.accelerations[k] * kStep;
        };
        const auto displacement = [&](int k) { return part.layer.displacements[k] + velocity(k) * kStep; };
        Vec3<double> sum = displacement(i) * -material.vertex_stiffness[i] - velocity(i) * material.damping[i];
        for (std::size_t e = 0; e < material.edges.size(); ++e) {
            const auto [a, b] = material.edges[e];
            const Vec3<double> pull = (displacement(b) - displacement(a)) * material.edge_stiffness[e];
            if (a == i) sum += pull;
            if (b == i) sum -= pull;
        }
        return at.axes * sum + gravity * material.mass[i];
    }
    Vec3<double> pin(int i) const { return pinned && i == 1 ? part.pin_forces[i] : zero3<double>(); }
};

double size(const Vec3<double>& v) { return std::sqrt(dot(v, v)); }

}  // namespace

TEST("points around a link that moves in any way follow springs, gravity and pins by Newton's law") {
    for (int k = 0; k < 12; ++k) {
        Moving m(k, k % 2 == 0, k % 3 == 0);
        for (int i = 0; i < 4; ++i) {
            const Vec3<double> a = m.acceleration(i);
            CHECK_WITHIN(size(m.part.velocity(m.at, i) - m.velocity(i)), 1e-4 * (1.0 + size(m.velocity(i))));
            CHECK_WITHIN(size(m.part.acceleration(m.at, i) - a), 1e-4 * (1.0 + size(a)));
            CHECK_WITHIN(size(a * m.material.mass[i] - m.force(i, false) - m.pin(i)), 1e-4 * (1.0 + size(m.force(i, false))));
            if (!m.pinned || i != 1) continue;
            // Led to where it is to be at the end of the step, as fast as it is to be beside that.
            const Vec3<double> behind = m.part.targets[i] - m.reference - m.at.arm - m.part.arm(m.at, i);
            const Vec3<double> wanted = m.part.target_velocities[i] + behind * (1.0 / kStep);
            CHECK_WITHIN(size(m.part.velocity(m.at, i) + a * kStep - wanted), 1e-4 * size(wanted));
        }
    }
}

TEST("impulses on points move all of them, and pins bear them, by Newton's law") {
    for (int k = 0; k < 12; ++k) {
        Moving m(k, k % 2 == 0, k % 3 == 0);
        std::vector<Vec3<double>> impulses;
        const Motion<double> change = {m.some(0.3), m.some(0.3)};
        m.part.begin_spread();
        for (int i = 0; i < 4; ++i) {
            impulses.push_back(i == 1 ? zero3<double>() : m.some(0.1));
            m.part.add_impulse(m.at, i, impulses[i], m.some(0.1));
        }
        m.part.end_spread(m.at, change, {m.some(0.1), m.some(0.1)});
        for (int i = 0; i < 4; ++i) {
            const Vec3<double> moved = change.linear + cross(change.angular, m.at.arm + m.part.arm(m.at, i)) + m.at.axes * m.part.change(i);
            CHECK_WITHIN(size(m.part.change(m.at, i, change) - moved), 1e-12);
            const Vec3<double> all = m.force(i, true) + impulses[i] * (1.0 / kStep) + m.pin(i);
            const Vec3<double> momentum = (m.acceleration(i) + moved * (1.0 / kStep)) * m.material.mass[i];
            CHECK_WITHIN(size(momentum - all), 1e-4 * (1.0 + size(m.pin(i)) + size(all)));
        }
    }
}

TEST("points that are let go feel no pins") {
    Moving m(0, true, true);
    CHECK(size(m.part.pin_forces[1]) > 1e-3);
    CHECK(size(m.part.pin_forces[0]) == 0.0);
    m.part.layer.set_material(Moving::springs(false));
    CHECK(m.part.eliminate(kStep, m.at, m.reference, m.gravity));
    m.part.accelerate(m.at, m.rate);
    CHECK(size(m.part.pin_forces[1]) == 0.0);
}
