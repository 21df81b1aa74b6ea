#include "check.hpp"
#include "closed_form_arms.hpp"
#include "closed_form_candidates.hpp"

// Chains of screws, the steps that make candidates true, and what is kept of them.

using namespace kido;
using namespace kido::closed_form;
using namespace arms;

namespace {

constexpr int kSamples = 20;

ScrewChain random_chain(Random& random, int count, int slides) {
    ScrewChain chain;
    chain.count = count;
    chain.size = 2.5;
    random.joints(chain.joint, count);
    for (int k = 0; k < slides; ++k) chain.joint[(count / 2 + k) % count].is_prismatic = true;
    Screw turn{random.direction(), random.point()};
    const double angle = random.angle();
    chain.tool = motion_of(&turn, 1, &angle);
    return chain;
}

void random_positions(Random& random, const ScrewChain& chain, double* q) {
    for (int k = 0; k < chain.count; ++k) {
        q[k] = chain.joint[k].is_prismatic ? random.between(-1.0, 1.0) : random.angle();
    }
}

Placement reference(const ScrewChain& chain, const double* q) {
    return motion_of(chain.joint, chain.count, q) * chain.tool;
}

struct Collected {
    double rows[kMostSolutions][kMostJoints], angular[kMostSolutions], linear[kMostSolutions];
    Collector kept;

    Collected(const ScrewChain& chain, const Placement& target)
        : kept(chain, target, rows[0], angular, linear) {}
};

}  // namespace

TEST("a chain's tool is where its joints bring it, one joint locked and from the tool to the base alike") {
    Random random(51);
    for (int count = 1; count <= kMostJoints; ++count) {
        for (int slides = 0; slides < std::min(count, 4); ++slides) {
            const ScrewChain chain = random_chain(random, count, slides);
            double q[kMostJoints], rest[kMostJoints], back[kMostJoints];
            random_positions(random, chain, q);
            const Placement whole = reference(chain, q);
            CHECK_WITHIN(difference_of(chain.forward(q), whole), 1e-14);
            CHECK(chain.num_prismatic() == slides);
            for (int locked = 0; locked < count; ++locked) {
                std::copy(q + locked + 1, q + count, std::copy(q, q + locked, rest));
                const ScrewChain others = chain.locked(locked, q[locked]);
                CHECK_WITHIN(difference_of(others.forward(rest), whole), 1e-14);
                CHECK(others.num_prismatic() == slides - chain.joint[locked].is_prismatic);
            }
            const ScrewChain other = chain.reversed();
            std::reverse_copy(q, q + count, back);
            const Placement motion = motion_of(chain.joint, count, q);
            CHECK_WITHIN(
                difference_of(motion * motion_of(other.joint, count, back), {identity3<double>(), {}}),
                1e-14);
        }
    }
}

TEST("a joint moves points forth and back, and turns directions only if it turns") {
    Random random(52);
    for (int sample = 0; sample < kSamples; ++sample) {
        Screw s{random.direction(), random.point()};
        const Point x = random.point();
        const double q = random.angle();
        CHECK_WITHIN(far_apart(s.move(q, x), carried_by(&s, 1, &q, x)), 1e-15);
        CHECK_WITHIN(far_apart(s.back(q, s.move(q, x)), x), 1e-15);
        CHECK_WITHIN(far_apart(s.moved(q) * x, carried_by(&s, 1, &q, x)), 1e-15);
        CHECK_WITHIN(far_apart(s.rotation(q) * x, rotated(s.axis, q, x)), 1e-15);
        CHECK_WITHIN(far_apart(s.inverted().move(-q, x), s.move(q, x)), 1e-15);
        s.is_prismatic = true;
        CHECK_WITHIN(far_apart(s.moved(q) * x, x + s.axis * q), 1e-15);
        CHECK_WITHIN(far_apart(s.rotation(q) * x, x), 0.0);
        CHECK_WITHIN(far_apart(s.inverted().moved(-q) * x, s.moved(q) * x), 1e-15);
    }
}

TEST("the difference of two poses is the rotation vector and the shift between them, small and large") {
    Random random(53);
    for (double angle : {0.0, 1e-12, 1e-8, 1e-6, 1e-4, 0.5, 1.5, 1.6, 2.5, 3.1}) {
        for (int sample = 0; sample < kSamples; ++sample) {
            const ScrewChain chain = random_chain(random, 3, 0);
            double q[3];
            random_positions(random, chain, q);
            const Placement at = reference(chain, q);
            const Point k = random.direction(), shift = random.point();
            const Placement target = {
                {rotated(k, angle, at.R.x), rotated(k, angle, at.R.y), rotated(k, angle, at.R.z)},
                at.p + shift};
            const PoseDifference e = difference(target, at);
            CHECK_WITHIN(far_apart(e.angular, k * angle), 1e-14 + 1e-15 / (kPi - angle));
            CHECK_WITHIN(far_apart(e.linear, shift), 1e-15);
            CHECK_WITHIN(std::fabs(e.squared() - angle * angle - dot(shift, shift)), 1e-13);
        }
    }
}

TEST("a symmetric system of any size is solved from its lower triangle") {
    Random random(54);
    for (int n = 1; n <= 6; ++n) {
        double B[6][6], A[6][6] = {}, x[6], y[6] = {};
        for (auto& row : B) {
            for (double& number : row) number = random.between(-1.0, 1.0);
        }
        for (int i = 0; i < n; ++i) {
            x[i] = random.between(-1.0, 1.0);
            for (int j = 0; j < n; ++j) {
                for (int k = 0; k < 6; ++k) A[i][j] += B[i][k] * B[j][k];
            }
            A[i][i] += 0.1;
        }
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) y[i] += A[i][j] * x[j];
        }
        for (int i = 0; i < n; ++i) {
            for (int j = i + 1; j < n; ++j) A[i][j] = 1e9;
        }
        solve_symmetric(A, y, n);
        for (int i = 0; i < n; ++i) CHECK_WITHIN(std::fabs(y[i] - x[i]), 1e-11);
    }
}

TEST("sensitivity is the rate of the tool, with lengths by the size") {
    Random random(55);
    for (int slides : {0, 2}) {
        const ScrewChain chain = random_chain(random, 6, slides);
        double q[kMostJoints], target_q[kMostJoints];
        random_positions(random, chain, q);
        random_positions(random, chain, target_q);
        const Placement target = reference(chain, target_q);
        const Sensitivity s(chain, target, q);
        const PoseDifference e = difference(target, reference(chain, q));
        CHECK_WITHIN(std::fabs(s.error[1] - e.angular.y) + std::fabs(s.error[5] - e.linear.z / chain.size),
                     1e-13);
        for (int k = 0; k < 6; ++k) {
            const double step = 1e-6, unit = chain.joint[k].is_prismatic ? chain.size : 1.0;
            double more[6], less[6];
            std::copy(q, q + 6, more);
            std::copy(q, q + 6, less);
            more[k] += step * unit;
            less[k] -= step * unit;
            const PoseDifference d = difference(reference(chain, more), reference(chain, less));
            const double rate[6] = {d.angular.x,
                                    d.angular.y,
                                    d.angular.z,
                                    d.linear.x / chain.size,
                                    d.linear.y / chain.size,
                                    d.linear.z / chain.size};
            for (int r = 0; r < 6; ++r) CHECK_WITHIN(std::fabs(rate[r] / (2.0 * step) - s.J[k][r]), 1e-8);
        }
    }
}

TEST("a step of few joints is that of many, and steps go to the target quadratically") {
    Random random(56);
    for (int count : {2, 3, 5, 6, 7}) {
        for (int slides : {0, 1}) {
            const ScrewChain chain = random_chain(random, count, slides);
            double q[kMostJoints], from[kMostJoints], few[kMostJoints] = {}, many[kMostJoints] = {};
            random_positions(random, chain, q);
            for (int k = 0; k < count; ++k) from[k] = q[k] + random.between(-1e-3, 1e-3);
            const Placement target = reference(chain, q);
            const Sensitivity s(chain, target, from);
            if (count <= 6) {
                step_of_few(s, count, 1e-2, few);
                step_of_many(s, count, 1e-2, many);
                for (int k = 0; k < count; ++k) CHECK_WITHIN(std::fabs(few[k] - many[k]), 1e-15);
                std::fill(few, few + count, 0.0);
                step_of_few(s, count, 10.0, few);
                for (int k = 0; k < count; ++k) CHECK(std::fabs(few[k]) < 1e-3);
            }
            const double before = difference_of(reference(chain, from), target);
            newton_step(chain, target, 1e-13, from);
            CHECK_WITHIN(difference_of(reference(chain, from), target), 100.0 * before * before);
            newton_step(chain, target, 1e-13, from);
            newton_step(chain, target, 1e-13, from);
            CHECK_WITHIN(difference_of(reference(chain, from), target), 1e-13);
        }
    }
}

TEST("angles are wrapped into one turn whose end belongs to it, and gaps are taken round it") {
    CHECK(wrapped(kPi) == kPi);
    CHECK_WITHIN(std::fabs(wrapped(-kPi) - kPi), 0.0);
    for (double x : {0.3, -3.1, 3.1}) {
        for (int turns : {-3, -1, 0, 2}) CHECK_WITHIN(std::fabs(wrapped(x + 2.0 * kPi * turns) - x), 1e-14);
    }
    Random random(57);
    const ScrewChain chain = random_chain(random, 3, 1);
    CHECK_WITHIN(std::fabs(gap(chain, 0, kPi - 0.1, 0.1 - kPi) - 0.2), 1e-14);
    CHECK_WITHIN(std::fabs(gap(chain, 0, 0.5, 0.2) - 0.3), 1e-15);
    CHECK_WITHIN(std::fabs(gap(chain, 1, 5.0, -2.5) - 3.0), 1e-15);
}

TEST("a candidate near a solution is made true, kept once, and told with its errors") {
    Random random(58);
    for (int slides : {0, 2}) {
        for (int sample = 0; sample < kSamples; ++sample) {
            const ScrewChain chain = random_chain(random, 6, slides);
            double q[kMostJoints], near[kMostJoints], same[kMostJoints];
            random_positions(random, chain, q);
            q[0] = kPi;
            const Placement target = reference(chain, q);
            Collected all(chain, target);
            for (int k = 0; k < 6; ++k) near[k] = same[k] = q[k] + random.between(-1e-5, 1e-5);
            all.kept.add(near);
            CHECK(all.kept.count() == 1);
            same[0] -= 2.0 * kPi;
            all.kept.add(same);
            CHECK(all.kept.count() == 1);
            CHECK_WITHIN(difference_of(reference(chain, all.rows[0]), target), 1e-11);
            const PoseDifference e = difference(target, reference(chain, all.rows[0]));
            CHECK_WITHIN(
                std::fabs(all.angular[0] - length(e.angular)) + std::fabs(all.linear[0] - length(e.linear)),
                3e-14);
            for (int k = 0; k < 6; ++k) {
                CHECK_WITHIN(chain.joint[k].is_prismatic ? 0.0 : std::fabs(all.rows[0][k]), kPi);
            }
        }
    }
}

TEST("a candidate that no steps make true is not kept") {
    ScrewChain chain;
    chain.count = 1;
    chain.joint[0] = {{0.0, 0.0, 1.0}, {0.0, 0.0, 0.0}};
    chain.tool = {identity3<double>(), {1.0, 0.0, 0.0}};
    const Placement aside = {identity3<double>(), {1.0, 0.0, 1e-6}};
    Collected all(chain, aside);
    double q[kMostJoints] = {0.1};
    all.kept.add(q);
    CHECK(all.kept.count() == 0);
}

TEST("positions that nearly solve go where there are better ones, and stay where there are none") {
    // A wrist that is nearly straight: turns of its outer axes forth and back nearly undo each other.
    const double bend = 2e-10;
    const Point z{0.0, 0.0, 1.0}, y{0.0, 1.0, 0.0}, origin{0.0, 0.0, 0.0};
    ScrewChain chain;
    chain.count = 3;
    chain.joint[0] = chain.joint[2] = {z, origin};
    chain.joint[1] = {y, origin};
    chain.tool = {identity3<double>(), {1.0, 0.0, 0.0}};
    const double exact[3] = {0.5, bend, 0.7};
    const Placement target = reference(chain, exact);
    double candidates[3][kMostJoints] = {{0.5, bend, 0.7}, {2.0, bend, -0.8}, {0.5 + kPi, -bend, 0.7 + kPi}};
    double alone[kMostJoints] = {2.0, bend, -0.8};
    Collected all(chain, target), one(chain, target);
    for (double* q : candidates) all.kept.add(q);
    CHECK(all.kept.count() == 3);
    CHECK(all.angular[1] > 1e-11);
    all.kept.drop_unsettled();
    CHECK(all.kept.count() == 2);
    for (int i = 0; i < 2; ++i) {
        CHECK_WITHIN(circular(all.rows[i][0], i == 0 ? 0.5 : 0.5 + kPi), 1e-9);
        CHECK_WITHIN(all.angular[i] + all.linear[i], 1e-12);
    }
    one.kept.add(alone);
    one.kept.drop_unsettled();
    CHECK(one.kept.count() == 1);
}

TEST("of candidates that miss the nearest is improved to where no small change is nearer") {
    Random random(59);
    for (int count : {2, 3, 6, 7}) {
        for (int slides : {0, 1}) {
            const ScrewChain chain = random_chain(random, count, slides);
            double q[kMostJoints], far[kMostJoints];
            random_positions(random, chain, q);
            random_positions(random, chain, far);
            Placement target = reference(chain, q);
            target.p = target.p + random.direction() * (slides ? 1.0 : 8.0);
            Nearest search{chain, target};
            const auto cost = [&](const double* x) {
                const PoseDifference e = difference(target, reference(chain, x));
                return dot(e.angular, e.angular) + dot(e.linear, e.linear) / square(chain.size);
            };
            CHECK_WITHIN(std::fabs(search.cost(far) - cost(far)), 1e-12);
            search.consider(far);
            search.consider(q);
            CHECK(search.least == std::min(search.cost(q), search.cost(far)));
            search.improve();
            CHECK_WITHIN(std::fabs(search.least - cost(search.best)), 1e-12);
            CHECK(search.least <= std::min(cost(q), cost(far)));
            for (int k = 0; k < count; ++k) {
                for (double step : {1e-3, -1e-3}) {
                    double other[kMostJoints];
                    std::copy(search.best, search.best + count, other);
                    other[k] += step;
                    CHECK(cost(other) > search.least - 1e-9);
                }
            }
        }
    }
}
