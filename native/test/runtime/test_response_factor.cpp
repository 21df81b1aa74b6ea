#include <cmath>
#include <random>
#include <vector>

#include "check.hpp"
#include "kido/contact/articulation_response.hpp"
#include "ragdoll.hpp"

using namespace kido;

namespace {

constexpr double kSubstep = 5e-4;

// A ragdoll in a pose of its own, touched at many places; its response as a matrix, or as the factor of one.
struct Touched {
    Ragdoll doll;
    Articulation a{doll.model(), 1};
    ArticulationResponse response{doll.model()};
    std::vector<int> firsts, counts;

    explicit Touched(bool matrix, int contacts = 11) {
        std::mt19937_64 random(3);
        std::uniform_real_distribution<double> number(-0.5, 0.5);
        for (double& q : a.positions) q = number(random);
        for (double& v : a.velocities) v = number(random);
        a.place();
        const double gravity[3] = {0.0, 0.0, -9.81};
        CHECK(a.accelerate(gravity, 1e-3, true));
        response.begin();
        if (matrix) response.need_matrix();
        for (int i = 0; i < contacts; ++i) claim(link_of(i), size_of(i));
        response.allot();
        for (int i = 0; i < contacts; ++i) {
            const Vec3<double> normal = unit({number(random), number(random), 1.0}), across = unit(cross(normal, Vec3<double>{1.0, 0.0, 0.0}));
            const Mat3<double> frame = {normal, across, cross(normal, across)};
            const Vec3<double> arm = a.arm(link_of(i)) + Vec3<double>{number(random), number(random), number(random)};
            add(response.add_framed(a.model(), link_of(i), frame, arm, size_of(i)), size_of(i));
        }
        for (const int dof : {0, 4, 6, 7, 8, Ragdoll::kHinge, Ragdoll::kOtherHinge, Ragdoll::kSlide}) {
            add(response.add_dof(a.model(), dof), 1);
        }
        response.compute(a, kSubstep);
    }
    // Links have several contacts, of one point and of more, in turn.
    static int link_of(int i) { return (3 * i) % (Ragdoll::kLinks - 2); }
    static int size_of(int i) { return i % 3 == 0 ? 3 : 6; }
    static Vec3<double> unit(const Vec3<double>& v) { return v * (1.0 / std::sqrt(dot(v, v))); }
    void claim(int link, int count) {
        response.claim_framed(link, count);
        for (int c = 0; c < count; c += 3) response.claim_point(link);
    }
    void add(int first, int count) {
        firsts.push_back(first);
        counts.push_back(count);
    }
    // An impulse at each place, in turn.
    void push(double size) {
        for (std::size_t i = 0; i < firsts.size(); ++i) {
            double w[6];
            for (int c = 0; c < 6; ++c) w[c] = size * std::sin(1.0 + 7.0 * i + c);
            const double three[3] = {w[0], w[1], w[2]}, one[1] = {w[0]};
            if (counts[i] == 6) response.push(firsts[i], w);
            if (counts[i] == 3) response.push(firsts[i], three);
            if (counts[i] == 1) response.push(firsts[i], one);
        }
        // One coordinate in the midst of others.
        const double one[1] = {0.3 * size};
        response.push(firsts[1] + 4, one);
    }
};

double difference(const Touched& x, const Touched& y) {
    double most = 0.0;
    for (int i = 0; i < x.response.size(); ++i) {
        most = std::max(most, std::fabs(x.response.motion_at(i) - y.response.motion_at(i)));
        most = std::max(most, std::fabs(x.response.displacement_at(i) - y.response.displacement_at(i)) / kSubstep);
    }
    return most;
}

}  // namespace

TEST("a response that is touched at many places is its factor, and the same as the matrix") {
    Touched matrix(true), factor(false);
    CHECK(factor.response.is_factored() && !matrix.response.is_factored());
    CHECK(!Touched(false, 2).response.is_factored());
    const int n = matrix.response.size();
    CHECK(factor.response.size() == n);
    double error = 0.0, largest = 0.0;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            largest = std::max(largest, std::fabs(matrix.response.response(i, j)));
            error = std::max(error, std::fabs(matrix.response.response(i, j) - factor.response.response(i, j)));
        }
    }
    CHECK(largest > 1.0);
    CHECK_WITHIN(error, 1e-12 * largest);
    for (std::size_t i = 0; i < factor.firsts.size(); ++i) {
        for (std::size_t j = 0; j < factor.firsts.size(); ++j) {
            if (factor.counts[i] != 6) continue;
            double C[6][8];
            factor.response.factor().respond<6>(factor.firsts[i], factor.firsts[j], C);
            for (int r = 0; r < 6; ++r) {
                for (int c = 0; c < factor.counts[j]; ++c) {
                    const double expected = matrix.response.response(factor.firsts[i] + r, factor.firsts[j] + c);
                    CHECK_WITHIN(std::fabs(C[r][c] - expected), 1e-12 * largest);
                }
            }
        }
    }
}

TEST("impulses move a factored response as they move its matrix") {
    Touched matrix(true), factor(false);
    for (Touched* t : {&matrix, &factor}) {
        for (int s = 0; s < 2; ++s) {
            t->response.start_substep();
            t->push(0.1);
            t->response.move(kSubstep);
            t->push(-0.03);
        }
    }
    CHECK_WITHIN(difference(matrix, factor), 1e-11);
    double eight[8];
    factor.response.read<&ArticulationResponse::motion>(factor.firsts[1], factor.response.place_of(factor.firsts[1]), eight);
    for (int c = 0; c < 6; ++c) CHECK_WITHIN(std::fabs(eight[c] - factor.response.motion_at(factor.firsts[1] + c)), 1e-12);
    factor.response.read<&ArticulationResponse::displacement>(factor.firsts[1], factor.response.place_of(factor.firsts[1]), eight);
    for (int c = 0; c < 6; ++c) CHECK_WITHIN(std::fabs(eight[c] - factor.response.displacement_at(factor.firsts[1] + c)), 1e-15);
    std::vector<double> changes(Ragdoll::kDofs), sums(Ragdoll::kDofs), others(Ragdoll::kDofs), other_sums(Ragdoll::kDofs);
    matrix.response.spread(matrix.a, changes.data(), sums.data());
    factor.response.spread(factor.a, others.data(), other_sums.data());
    for (int k = 0; k < Ragdoll::kDofs; ++k) {
        CHECK_WITHIN(std::fabs(changes[k] - others[k]), 1e-11);
        CHECK_WITHIN(std::fabs(sums[k] - other_sums[k]), 1e-11);
    }
}

TEST("displacements, leaps and what is set aside are the same of a factored response") {
    Touched matrix(true), factor(false);
    for (Touched* t : {&matrix, &factor}) {
        t->push(0.1);
        t->response.move(kSubstep);
        t->response.set_leaps_aside();
        t->response.begin_displacing(kSubstep);
        t->push(2e-5);
        t->response.end_displacing(kSubstep);
        t->response.take_leaps();
        const auto kept = t->response.motion_state();
        t->push(5.0);
        t->response.set_motion_state(kept);
        t->response.set_motion_aside();
        t->push(1e-5);
        t->response.take_as_displacement(kSubstep);
    }
    CHECK_WITHIN(difference(matrix, factor), 1e-11);
    CHECK_WITHIN(std::fabs(factor.response.sum_of_zeros()), 0.0);
    std::vector<double> changes(Ragdoll::kDofs), sums(Ragdoll::kDofs), others(Ragdoll::kDofs), other_sums(Ragdoll::kDofs);
    matrix.response.spread(matrix.a, changes.data(), sums.data());
    factor.response.spread(factor.a, others.data(), other_sums.data());
    for (int k = 0; k < Ragdoll::kDofs; ++k) CHECK_WITHIN(std::fabs(sums[k] - other_sums[k]), 1e-10);
}
