#include "kernels.hpp"

#include "layout.hpp"

using namespace kido;

namespace {

struct Particle {
    double mass;
    Vec3<double> place;
};

// Twelve particles make a body whose inertia is known by summing over them.
std::vector<Particle> particles(unsigned seed) {
    std::vector<Particle> all;
    for (const auto& row : check::random_inputs<4>(12, 1.0, seed))
        all.push_back({0.1 + std::fabs(row[0]), vector3(row.data() + 1)});
    return all;
}

Vec3<double> velocity_at(const Motion<double>& v, const Vec3<double>& place) {
    return v.linear + cross(v.angular, place);
}

Inertia<double> inertia_of(const std::vector<Particle>& all) {
    Inertia<double> total{};
    for (const Particle& p : all) total = total + inertia(p.mass, p.place, Sym3<double>{});
    return total;
}

double energy_of(const std::vector<Particle>& all, const Motion<double>& v) {
    double energy = 0.0;
    for (const Particle& p : all)
        energy += 0.5 * p.mass * dot(velocity_at(v, p.place), velocity_at(v, p.place));
    return energy;
}

const auto kMoved = []<class T>(const T* in, T* out) { store(se3_exp(motion(in)) * body(in + 6), out); };
const auto kEnergy = []<class T>(const T* in, T* out) { out[0] = kinetic_energy(body(in + 6), motion(in)); };

}  // namespace

TEST("kinetic energy is that of the particles") {
    for (const auto& row : check::random_inputs<6>(30, 1.0)) {
        const double expected = energy_of(particles(3), motion(row.data()));
        CHECK_WITHIN(std::fabs(kinetic_energy(inertia_of(particles(3)), motion(row.data())) - expected),
                     1e-14 * expected);
    }
}

TEST("momentum is that of the particles, its moment about the origin") {
    for (const auto& row : check::random_inputs<6>(30, 1.0)) {
        const Motion<double> v = motion(row.data());
        Force<double> expected{};
        for (const Particle& p : particles(3)) {
            const Vec3<double> momentum = velocity_at(v, p.place) * p.mass;
            expected = {expected.angular + cross(p.place, momentum), expected.linear + momentum};
        }
        double one[6], other[6];
        store(inertia_of(particles(3)) * v, one);
        store(expected, other);
        CHECK_WITHIN(check::distance(one, other, 6), 2e-14);
    }
}

TEST("the moment about the center of mass moves to the origin by the parallel axes") {
    const auto all = particles(4);
    const Inertia<double> whole = inertia_of(all);
    const Vec3<double> center = whole.first * (1.0 / whole.mass);
    Sym3<double> central{};
    for (const Particle& p : all)
        central = central + inertia(p.mass, p.place - center, Sym3<double>{}).moment;
    double one[10], other[10];
    store(inertia(whole.mass, center, central), one);
    store(whole, other);
    CHECK_WITHIN(check::distance(one, other, 10), 2e-14);
}

TEST("a transformed inertia is that of the transformed particles") {
    for (const auto& row : check::random_inputs<6>(30, 2.0)) {
        const Transform<double> a = se3_exp(motion(row.data()));
        std::vector<Particle> moved = particles(5);
        for (Particle& p : moved) p.place = a * p.place;
        double one[10], other[10];
        store(a * inertia_of(particles(5)), one);
        store(inertia_of(moved), other);
        CHECK_WITHIN(check::distance(one, other, 10), 1e-13);
    }
}

TEST("lanes of inertia give the bits of double") {
    check::lanes_agree<16, 10>(kMoved, check::random_inputs<16>(40, 1.0));
    check::lanes_agree<16, 1>(kEnergy, check::random_inputs<16>(40, 1.0));
}

TEST("dual numbers carry the derivatives of inertia") {
    check::duals_agree<16, 10>(kMoved, check::random_inputs<16>(40, 1.0), 1e-8);
    check::duals_agree<16, 1>(kEnergy, check::random_inputs<16>(40, 1.0), 1e-8);
}
