#include <cstring>
#include <random>
#include <vector>

#include "check.hpp"
#include "kido/contact/loop_elimination.hpp"
#include "kido/contact/serial_contact.hpp"
#include "ragdoll.hpp"

using namespace kido;

namespace {

// Four bodies, of which two and two share a manifold of four points, visited one by one.
struct Pairs {
    std::vector<SolverBody> bodies{5, SolverBody{BodyKind::free, true, -1, -1, 0.1, 0, 1}};
    std::vector<PoseRow> poses{5, PoseRow{}};
    std::vector<MotionRow> velocities{5, MotionRow{}}, displacements{5, MotionRow{}}, gains{5, MotionRow{}};
    std::vector<ArticulationResponse> responses;
    ManifoldBlock<double, 4> blocks[2] = {};
    ContactSides sides[2];

    Pairs() {
        std::mt19937_64 random(7);
        std::uniform_real_distribution<double> number(-1.0, 1.0);
        bodies[0].kind = BodyKind::fixed;
        for (int row = 1; row < 5; ++row) {
            const double mass = 1.5 + number(random), axes[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, inverse[7] = {90, 3, 5, 70, 2, 80, 1.0 / mass};
            std::copy_n(axes, 9, poses[row].v + kRowAxes);
            std::copy_n(inverse, 7, poses[row].v + kRowInertia);
            for (int c = 0; c < 6; ++c) {
                velocities[row].v[c] = number(random);
                displacements[row].v[c] = 1e-3 * number(random);
            }
        }
        for (int k = 0; k < 2; ++k) {
            ManifoldBlock<double, 4>& m = blocks[k];
            m.normal = {0.0, 0.6, 0.8};
            m.tangent = {1.0, 0.0, 0.0};
            m.friction = 0.5;
            sides[k].first = {1 + 2 * k, -1, 0, 0, {0.1 * number(random), 0.0, -0.1}};
            sides[k].second = {2 + 2 * k, -1, 0, 0, {0.0, 0.1 * number(random), 0.1}};
            ManifoldAnchors<double, 4> anchors = {};
            for (int p = 0; p < 4; ++p) {
                anchors.used[p] = 1.0;
                m.gap[p] = -1e-4 * number(random);
                m.at_1[p] = 0.05 * number(random);
                m.at_2[p] = 0.05 * number(random);
                m.normal_impulse[p] = 0.3 + 0.1 * number(random);
            }
            sides[k].prepare(rows(), 5e-4, anchors, m);
        }
    }
    SideRows rows() { return {bodies, poses.data(), velocities.data(), displacements.data(), gains.data(), responses}; }
};

constexpr double kSubstep = 5e-4;
const SweepSettings kSettings = {Softness::of(0.25, 5.0, kSubstep), Softness::of(0.25, 5.0, kSubstep), 1.0 / kSubstep, 4.0, 0.0};

template <class X>
bool has_bits(const X& a, const X& b) {
    return std::memcmp(&a, &b, sizeof a) == 0;
}

template <bool Relaxing>
void compare(SweepGaps gaps) {
    Pairs together, alone;
    serial_visits<Relaxing>(kSettings, together.rows(), {&together.sides[0], &together.sides[1]},
                            {&together.blocks[0], &together.blocks[1]}, gaps);
    for (const int k : {1, 0}) serial_visit<Relaxing>(kSettings, alone.rows(), alone.sides[k], alone.blocks[k], gaps);
    for (int k = 0; k < 2; ++k) CHECK(has_bits(together.blocks[k], alone.blocks[k]));
    for (int row = 1; row < 5; ++row) CHECK(has_bits(together.velocities[row], alone.velocities[row]));
    CHECK(!has_bits(together.velocities[1], Pairs().velocities[1]));
}

}  // namespace

TEST("two visits at once give the bits of one after the other") {
    compare<false>(SweepGaps::prepared);
    compare<false>(SweepGaps::moved);
    compare<true>(SweepGaps::moved);
}

TEST("visits are apart where no body and no tree is in both") {
    Pairs pairs;
    const Ragdoll doll;
    for (int i = 0; i < 3; ++i) pairs.responses.emplace_back(doll.model());
    const auto sides = [](int first_row, int first_tree, int second_row, int second_tree) {
        ContactSides made;
        made.first = {first_row, first_tree, 0, 0, zero3<double>()};
        made.second = {second_row, second_tree, 0, 0, zero3<double>()};
        return made;
    };
    const SideRows rows = pairs.rows();
    const ContactSides links = sides(10, 0, 30, 1);
    CHECK(links.is_apart_from(rows, sides(0, -1, 50, 2)));
    CHECK(links.is_apart_from(rows, sides(1, -1, 2, -1)));
    CHECK(!links.is_apart_from(rows, sides(0, -1, 31, 1)));
    CHECK(!links.is_apart_from(rows, sides(11, 0, 2, -1)));
    // The ground is in both.
    CHECK(sides(0, -1, 10, 0).is_apart_from(rows, sides(0, -1, 30, 1)));
    CHECK(!sides(3, -1, 10, 0).is_apart_from(rows, sides(30, 1, 3, -1)));
    CHECK(sides(3, -1, 10, 0).is_apart_from(rows, sides(30, 1, 4, -1)));
}
