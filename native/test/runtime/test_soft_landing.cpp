#include <cmath>
#include <random>
#include <vector>

#include "check.hpp"
#include "kido/contact/soft_landing.hpp"
#include "ragdoll.hpp"

// Energy of a ragdoll with points around two of its links, which contacts stop in a step: kinetic energy of links and points by their
// velocities, springs and gravity by where they end, against what contacts have taken.

using namespace kido;

namespace {

constexpr double kStep = 1e-2, kOfTaken = 0.75;
constexpr int kSubsteps = 4;

struct Landing {
    Ragdoll doll;
    Articulation a{doll.model(), 1};
    ArticulationResponse response{doll.model()};
    std::vector<double> changes, sums, start;
    std::vector<Vec3<double>> began;  // places of points
    StepReach<double> reach = {kStep, kSubsteps, StepReach<double>::weight_of(kStep, kSubsteps, true), zero3<double>()};
    SoftLanding landing;
    double taken = 0.0;
    std::mt19937_64 random;

    Landing(int seed, double stiffness, double fall, const Vec3<double>& push, double modulus = 0.0) : random(seed) {
        for (double& q : a.positions) q = number(0.5);
        std::fill(a.velocities.begin(), a.velocities.end(), 0.0);
        for (const int link : {0, 2}) a.add_soft(link, true, tetrahedron(stiffness, modulus), false);
        a.place();
        const Link& root = a.model().links[0];
        write3(&a.velocities[root.dof + 3], transposed_times(a.axes(0), Vec3<double>{0.3, 0.1, -fall}));
        a.place();
        for (SoftPart& soft : a.softs) {
            for (int i = 0; i < 4; ++i) soft.layer.displacements[i] = vector(0.01), soft.layer.velocities[i] = vector(0.5);
        }
        for (const SoftPart& soft : a.softs) {
            for (int i = 0; i < 4; ++i) began.push_back(soft.layer.place(i));
        }
        const double gravity[3] = {0.5, -1.0, -9.0};
        CHECK(a.accelerate(gravity, kStep, true));
        touch(push);
    }
    double number(double size) { return std::uniform_real_distribution<double>(-size, size)(random); }
    Vec3<double> vector(double size) {
        const double x = number(size), y = number(size), z = number(size);
        return {x, y, z};
    }
    SoftMaterial tetrahedron(double stiffness, double modulus) {
        SoftMaterial m;
        if (modulus > 0.0) m.faces = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
        m.bulk_modulus = modulus;
        for (int i = 0; i < 4; ++i) {
            m.mass.push_back(0.3 + 0.1 * i);
            m.vertex_stiffness.push_back(stiffness);
            m.damping.push_back(0.0);
            m.rest.push_back({0.1 * (i == 1), 0.1 * (i == 2), 0.1 * (i == 3)});
            m.frozen.push_back(false);
            for (int j = 0; j < i; ++j) m.edges.push_back({j, i}), m.edge_stiffness.push_back(0.5 * stiffness);
        }
        return m;
    }
    // Impulses beside points, in each sub-step.
    void touch(const Vec3<double>& push) {
        response.begin();
        response.need_matrix();
        for (const SoftPart& soft : a.softs) response.claim_link(soft.link);
        response.allot();
        std::vector<int> firsts;
        std::vector<Vec3<double>> offsets;
        for (std::size_t s = 0; s < a.softs.size(); ++s) {
            const SoftPart& soft = a.softs[s];
            const LinkMotion<double>& at = a.link_motion(soft.link);
            for (int i = 0; i < 3; ++i) {
                const PointShares on = {1, {i, 0, 0}, {1.0, 0.0, 0.0}};
                offsets.push_back(vector(0.05));
                firsts.push_back(response.add_points(a.model(), soft.link, static_cast<int>(s), on, identity3<double>(), soft.share(at, on),
                                                     at.arm, offsets.back()));
            }
        }
        response.compute(a, kStep / kSubsteps);
        for (std::size_t c = 0; c < firsts.size(); ++c) check_motion(c, firsts[c], offsets[c]);
        std::vector<Vec3<double>> given(firsts.size(), zero3<double>());
        for (int k = 0; k < kSubsteps; ++k) {
            response.start_substep();
            for (std::size_t c = 0; c < firsts.size(); ++c) {
                const Vec3<double> impulse = (push + vector(0.1)) * (k == 0 ? 1.0 : 0.1);
                const double w[3] = {impulse.x, impulse.y, impulse.z};
                response.push(firsts[c], w);
                given[c] += impulse;
            }
            response.move(kStep / kSubsteps);
        }
        changes.resize(a.velocities.size());
        sums.resize(a.velocities.size());
        response.spread(a, changes.data(), sums.data());
        for (std::size_t c = 0; c < firsts.size(); ++c) {
            const int s = static_cast<int>(c / 3), i = static_cast<int>(c % 3);
            taken -= dot(given[c], (point_velocity(s, i, false) + point_velocity(s, i, true)) * 0.5);
            taken -= dot(cross(offsets[c], given[c]), (spin(s, false) + spin(s, true)) * 0.5);
        }
    }
    // Of a contact beside a point, at the beginning, and what it gains in a sub-step.
    void check_motion(std::size_t contact, int first, const Vec3<double>& offset) {
        const int s = static_cast<int>(contact / 3), i = static_cast<int>(contact % 3);
        const SoftPart& soft = a.softs[s];
        double moves[8], gains[8];
        response.read<&ArticulationResponse::motion>(first, {}, moves);
        response.read<&ArticulationResponse::gain>(first, {}, gains);
        const Vec3<double> v = point_velocity(s, i, false) + cross(spin(s, false), offset);
        const Vec3<double> gain = soft.acceleration(a.link_motion(soft.link), i) + cross(a.acceleration(soft.link).angular, offset);
        const Vec3<double> wrong = vec3(moves) - v, missing = vec3(gains) - gain * (kStep / kSubsteps);
        CHECK_WITHIN(dot(wrong, wrong), 1e-24);
        CHECK_WITHIN(dot(missing, missing), 1e-24);
    }
    std::vector<double> rates(bool end) const {
        std::vector<double> v = a.velocities;
        for (std::size_t k = 0; k < v.size() && end; ++k) v[k] += a.accelerations[k] * kStep + changes[k];
        return v;
    }
    Vec3<double> point_velocity(int s, int i, bool end) const {
        const SoftPart& soft = a.softs[s];
        const LinkMotion<double>& at = a.link_motion(soft.link);
        const Motion<double> v = link_motions(a, rates(end))[soft.link];
        const Vec3<double> own = end ? soft.end_velocity(i, kStep) : soft.layer.velocities[i];
        return v.linear + cross(v.angular, at.arm + soft.arm(at, i)) + at.axes * own;
    }
    Vec3<double> spin(int s, bool end) const { return link_motions(a, rates(end))[a.softs[s].link].angular; }
    double kinetic(bool end) const {
        double twice = 0.0;
        const std::vector<Motion<double>> v = link_motions(a, rates(end));
        for (int i = 0; i < a.model().num_links; ++i) twice += dot(v[i], link_momentum(a, i, v[i]));
        for (int s = 0; s < 2; ++s) {
            for (int i = 0; i < 4; ++i) {
                const Vec3<double> own = point_velocity(s, i, end);
                twice += a.softs[s].layer.material().mass[i] * dot(own, own);
            }
        }
        return 0.5 * twice;
    }
    // Of a gas, by Boyle's law.
    static double gas(const SoftPart& soft) {
        const SoftMaterial& m = soft.layer.material();
        const auto volume = [](const Vec3<double>& a, const Vec3<double>& b, const Vec3<double>& c, const Vec3<double>& d) {
            return dot(b - a, cross(c - a, d - a)) / 6.0;
        };
        const double rest = volume(m.rest[0], m.rest[1], m.rest[2], m.rest[3]);
        const double now = volume(soft.layer.place(0), soft.layer.place(1), soft.layer.place(2), soft.layer.place(3));
        return now > 0.0 ? m.bulk_modulus * (now - rest - rest * std::log(now / rest)) : HUGE_VAL;
    }
    double springs() const {
        double sum = 0.0;
        for (const SoftPart& soft : a.softs) {
            sum += 0.5 * soft.layer.product(soft.layer.displacements, soft.layer.displacements);
            if (soft.layer.has_gas()) sum += gas(soft);
        }
        return sum;
    }
    // Of all masses, along straight ways: where momentum leads the whole, for the skeleton moves freely.
    double lifted() {
        std::vector<double> moved(changes.size());
        for (std::size_t k = 0; k < moved.size(); ++k) {
            moved[k] = (a.velocities[k] * kSubsteps + a.accelerations[k] * reach.weight + sums[k]) * (kStep / kSubsteps);
        }
        const std::vector<Motion<double>> links = link_motions(a, moved);
        double sum = 0.0;
        for (int i = 0; i < a.model().num_links; ++i) sum -= dot(a.gravity(), link_momentum(a, i, links[i]).force);
        for (const SoftPart& soft : a.softs) {
            const LinkMotion<double>& at = a.link_motion(soft.link);
            for (int i = 0; i < 4; ++i) {
                const Vec3<double> own = soft.layer.velocities[i] * kSubsteps + soft.layer.accelerations[i] * reach.weight + soft.sum(i);
                const Motion<double>& v = links[soft.link];
                const Vec3<double> carried = v.linear + cross(v.angular, at.arm + soft.arm(at, i));
                sum -= soft.layer.material().mass[i] * dot(a.gravity(), carried + at.axes * own * (kStep / kSubsteps));
            }
        }
        return sum;
    }
    double ended = 0.0, loose = 0.0;  // kinetic energy, and that of points beside each other
    // Energy that is gained in the step, but for what points lose by it as motion.
    double gained() {
        const double before = springs(), more = kinetic(true) - kinetic(false) + lifted();
        landing.limit_energy(a, response, changes, sums, reach);
        ended = kinetic(true);
        for (SoftPart& soft : a.softs) loose += soft.find_loose_motion(kStep).first;
        return more + end() - before;
    }
    // The same where points stay back by a share.
    double gained(double share) {
        const double before = springs(), more = kinetic(true) - kinetic(false) + lifted();
        for (SoftPart& soft : a.softs) {
            soft.find_lags(a.link_motion(soft.link), {}, true, reach);
            soft.stay_back(share);
        }
        return more + end() - before;
    }
    double end() {
        for (SoftPart& soft : a.softs) soft.advance(kStep, kSubsteps, reach.weight);
        return springs();
    }
    double most() const { return taken > 0.0 ? (kOfTaken - 1.0) * taken : 0.0; }
    std::vector<Vec3<double>> point_changes() const {
        std::vector<Vec3<double>> all;
        for (const SoftPart& soft : a.softs) {
            for (int i = 0; i < 4; ++i) all.push_back(soft.change(i));
        }
        return all;
    }
};

}  // namespace

TEST("springs and gravity gain no more in a step than motion and three quarters of what contacts have taken") {
    int limited = 0, given = 0, free = 0;
    const struct { double stiffness, fall; Vec3<double> push; } cases[] = {
        {1e3, 0.1, {0.1, 0.0, 0.1}}, {1e3, -0.1, {0.1, 0.0, 0.1}}, {3e3, 0.1, {0.3, 0.0, 0.3}}, {1e3, 0.4, {0.0, 0.0, 0.5}}};
    for (int seed = 1; seed < 1500; ++seed) {
        for (const auto& [stiffness, fall, push] : cases) {
            Landing landing(seed, stiffness, fall, push);
            const double taken = landing.taken, gained = landing.gained(), most = landing.most();
            if (std::abs(gained - most) < 1e-10) {
                limited += taken > 0.0;
                given += taken < 0.0;
            } else {
                free += gained < most;
            }
        }
    }
    CHECK(limited > 4);
    CHECK(given > 500);
    CHECK(free > 500);
}

TEST("a gas learns what contacts have squeezed where no share by which points stay back is enough, and there alone") {
    int enough = 0, pressed = 0;
    for (int seed = 1; seed < 200; ++seed) {
        const auto make = [&] { return Landing(seed, 300.0, 0.4, {0.0, 0.0, 0.1 + 0.002 * seed}, 2e4); };
        double least = HUGE_VAL;
        for (int k = 0; k <= 20; ++k) least = std::min(least, make().gained(k / 20.0));
        Landing landing = make();
        const double beyond = least - landing.most();
        if (!std::isfinite(beyond) || std::abs(beyond) < 1e-4) continue;
        const std::vector<Vec3<double>> before = landing.point_changes();
        landing.gained();
        double moved = 0.0;
        for (std::size_t i = 0; i < before.size(); ++i) {
            const Vec3<double> d = landing.point_changes()[i] - before[i];
            moved = std::max(moved, dot(d, d));
        }
        CHECK((moved > 0.0) == (beyond > 0.0));
        (beyond > 0.0 ? pressed : enough) += 1;
    }
    CHECK(enough > 5);
    CHECK(pressed > 5);
}

TEST("what is gained wherever points are, they lose as motion beside each other, and keep their momentum") {
    int slowed = 0, kept = 0;
    for (int seed = 1; seed < 600; ++seed) {
        for (const double stiffness : {1e3, 3e4}) {
            Landing landing(seed, stiffness, 0.4, {0.0, 0.0, 0.1 + 1e-3 * seed});
            const double before = landing.kinetic(true);
            const std::vector<Vec3<double>> changes = landing.point_changes();
            const double gained = landing.gained(), lost = before - landing.ended;
            // Impulses may push so much that nothing moves beside each other any more.
            const bool stopped = landing.loose < 1e-12;
            CHECK(gained - lost < 1e-9 || stopped);
            Vec3<double> linear = zero3<double>(), angular = linear;
            for (std::size_t i = 0; i < changes.size(); ++i) {
                const SoftLayer& layer = landing.a.softs[i / 4].layer;
                const Vec3<double> given = (landing.point_changes()[i] - changes[i]) * layer.material().mass[i % 4];
                linear += given;
                angular += cross(landing.began[i], given);
                if (i % 4 < 3) continue;
                CHECK_WITHIN(dot(linear, linear), 1e-24);
                CHECK_WITHIN(dot(angular, angular), 1e-24);
                linear = angular = zero3<double>();
            }
            (gained > 1e-6 && !stopped ? slowed : kept) += 1;
            if (gained <= 0.0) CHECK(lost == 0.0);
            if (gained > 1e-6 && !stopped) CHECK_WITHIN(std::abs(gained - lost), 1e-9);
        }
    }
    CHECK(slowed > 10);
    CHECK(kept > 10);
}

TEST("what is pushed by something that moves may gain what that gives") {
    int more = 0;
    for (int seed = 1; seed < 20; ++seed) {
        Landing alone(seed, 1e3, -0.1, {0.1, 0.0, 0.1}), pushed(seed, 1e3, -0.1, {0.1, 0.0, 0.1});
        pushed.response.is_pushed = true;
        const double first = alone.gained(), second = pushed.gained();
        CHECK(second >= first);
        more += second > first + 1e-6;
        CHECK(second <= std::max(-pushed.taken, 0.0) + 1e-9);
    }
    CHECK(more > 3);
}
