#include "check.hpp"
#include "closed_form_arms.hpp"
#include "kido/ik/closed_form/parallel_axes.hpp"

// Six joints of which three in a row are parallel, and what they are solved with.

using namespace kido;
using namespace kido::closed_form;
using namespace arms;

namespace {

constexpr int kSamples = 40;
constexpr double kSize = 2.5;
constexpr double kStep = 2.0 * kPi / ParallelAxes::kSweep;

struct Arm {
    Screw joint[6];
    int first;

    Arm(int which, Random& random) : first(which) {
        random.joints(joint, 6);
        const Point h = joint[first].axis;
        for (int k = first + 1; k < first + 3; ++k) joint[k].axis = h * random.either();
        if (first == 1) joint[0].axis = random.direction(h);
        for (int k = first + 3; k < 6; ++k) joint[k].axis = random.direction(joint[k - 1].axis);
    }
    ParallelAxes form() const {
        ParallelAxes form{};
        std::copy(joint, joint + 6, form.joint);
        form.first = first;
        form.arm = PlanarArm::of(joint[first], joint[first + 1], joint[first + 2], kSize);
        form.size = kSize;
        return form;
    }
    Emitted solve(const double* q, const double* near) const {
        Emitted found(joint, 6);
        form().solve(motion_of(joint, 6, q), near, false, found);
        return found;
    }
};

void random_angles(Random& random, double* q) {
    for (int k = 0; k < 6; ++k) q[k] = random.angle();
}

void check_motion(const Arm& arm, const Emitted::Row& row, const double* q, double bound) {
    CHECK_WITHIN(row.excess, kRounding);
    CHECK_WITHIN(difference_of(motion_of(arm.joint, 6, row.q), motion_of(arm.joint, 6, q)), bound);
}

void check_planted(const Arm& arm, const double* q, const double* near, double apart, double error) {
    const Emitted found = arm.solve(q, near);
    Emitted::Row planted{};
    CHECK_WITHIN(found.from(q, &planted), apart);
    check_motion(arm, planted, q, error);
    for (const Emitted::Row& row : found.rows) {
        if (row.excess <= kRounding) check_motion(arm, row, q, 1e-7);
    }
}

// Whether the three parallel joints reach what the positions of the others ask of them.
bool planar_reach(const Arm& arm, const double* q, const double* other) {
    const Screw *a = arm.joint + arm.first, *b = a + 1, *c = a + 2;
    const Placement others = motion_of(arm.joint, 6, q);
    const int after = arm.first + 3;
    const Point target = inverse(motion_of(arm.joint, arm.first, other)) * others *
                         (inverse(motion_of(arm.joint + after, 6 - after, other + after)) * c->point);
    const auto flat = [&](const Point& x) { return length(cross(a->axis, x)); };
    const double upper = flat(b->point - a->point), lower = flat(c->point - b->point),
                 far = flat(target - a->point);
    return std::fabs(upper - lower) < far && far < upper + lower;
}

// The first value of a free joint that reaches: where it is, a step to either side, two steps.
double first_reaching(const Arm& arm, const double* q, double* trial, int joint, double near) {
    for (int i = 0; i < ParallelAxes::kSweep; ++i) {
        trial[joint] = near + (i % 2 ? 1.0 : -1.0) * ((i + 1) / 2) * kStep;
        if (planar_reach(arm, q, trial)) return trial[joint];
    }
    return 1e300;
}

}  // namespace

TEST("three parallel axes, inner and outer, let the positions that made a motion be found") {
    for (int first : {1, 0}) {
        Random random(11 + first);
        for (int sample = 0; sample < kSamples; ++sample) {
            const Arm arm(first, random);
            double q[6];
            const double near[6] = {};
            random_angles(random, q);
            check_planted(arm, q, near, 1e-8, 1e-10);
        }
    }
}

TEST("the same with the two axes beyond the three that meet, so that one equation lacks an angle") {
    for (int first : {1, 0}) {
        Random random(13 + first);
        for (int sample = 0; sample < kSamples; ++sample) {
            Arm arm(first, random);
            Screw &a = arm.joint[first + 3], &b = arm.joint[first + 4];
            b.point = random.along(a);
            b.point = random.along(b);
            double q[6];
            const double near[6] = {};
            random_angles(random, q);
            check_planted(arm, q, near, 1e-8, 1e-10);
        }
    }
}

TEST("a direction nearly along the three axes is bent to the side that was meant") {
    for (int first : {1, 0}) {
        Random random(15 + first);
        for (double tilt : {3e-4, 1e-4}) {
            for (int sample = 0; sample < 12; ++sample) {
                Arm arm(first, random);
                double q[6];
                random_angles(random, q);
                // Where joint first + 3 has its angle, the next points along the three but for a tilt.
                Screw& next = arm.joint[first + 4];
                const Screw& bender = arm.joint[first + 3];
                const Point h = arm.joint[first].axis, aside = random.normal_to(h);
                next.axis = rotated(bender.axis, -q[first + 3], rotated(aside, tilt, h));
                if (first == 0) arm.joint[5].axis = random.direction(next.axis);
                double near[6];
                std::copy(q, q + 6, near);
                const Emitted found = arm.solve(q, near);
                double least = 1e300;
                for (const Emitted::Row& row : found.rows) {
                    least = std::min(
                        least, difference_of(motion_of(arm.joint, 6, row.q), motion_of(arm.joint, 6, q)));
                }
                CHECK_WITHIN(least, 1e-3 * tilt);
            }
        }
    }
}

TEST("where an outermost axis is the other's own, the first is left where it is") {
    Random random(17);
    for (int sample = 0; sample < kSamples; ++sample) {
        Arm arm(1, random);
        double q[6], near[6];
        random_angles(random, q);
        const Placement five = inverse(motion_of(arm.joint, 5, q));
        arm.joint[5].axis = five.R * arm.joint[0].axis;
        arm.joint[5].point = five * random.along(arm.joint[0]);
        const Placement moved = motion_of(arm.joint, 6, q);
        for (double turned : {0.0, 0.4}) {
            q[0] += turned;
            q[5] -= turned;
            std::copy(q, q + 6, near);
            near[5] = 0.0;
            Emitted found(arm.joint, 6);
            arm.form().solve(moved, near, false, found);
            Emitted::Row row{};
            CHECK_WITHIN(found.from(q, &row), 1e-6);
            CHECK_WITHIN(difference_of(motion_of(arm.joint, 6, row.q), moved), 1e-10);
            CHECK_WITHIN(std::fabs(row.q[0] - near[0]), 1e-15);
        }
    }
}

TEST("an arm that is folded upon the first of the three leaves that one where it is") {
    Random random(24);
    for (int first : {1, 0}) {
        for (int sample = 0; sample < kSamples; ++sample) {
            Arm arm(first, random);
            double q[6], near[6];
            random_angles(random, q);
            const Screw *a = arm.joint + first, *b = a + 1;
            // The last of the three comes to lie on the first, however much that one has turned.
            arm.joint[first + 2].point =
                rotated(b->axis, -q[first + 1], random.along(*a) - b->point) + b->point;
            std::copy(q, q + 6, near);
            near[first + 1] = near[first + 2] = 0.0;
            check_planted(arm, q, near, 1e-6, 1e-10);
        }
    }
}

TEST("a joint that a singular pose leaves free takes the nearest of sixteen angles that reaches") {
    for (int first : {1, 0}) {
        Random random(18 + first);
        int forward = 0, backward = 0;
        for (int sample = 0; sample < 150; ++sample) {
            Arm arm(first, random);
            double q[6], near[6], trial[6];
            random_angles(random, q);
            const int free = first + 4;  // its axis is along the three
            const Placement before = inverse(motion_of(arm.joint + first + 3, 1, q + first + 3));
            arm.joint[free].axis = before.R * arm.joint[first].axis;
            arm.joint[free].point = random.along(arm.joint[free - 1]);
            arm.joint[free].point = random.along(arm.joint[free]);
            if (first == 0) arm.joint[5].axis = random.direction(arm.joint[4].axis);
            std::copy(q, q + 6, near);
            std::copy(q, q + 6, trial);
            near[free] = random.angle();
            const double wanted = first_reaching(arm, q, trial, free, near[free]);
            if (wanted > 1e200) continue;
            const Emitted found = arm.solve(q, near);
            double least = 1e300;
            for (const Emitted::Row& row : found.rows) {
                if (circular(row.q[first + 3], q[first + 3]) > 1e-6 || row.excess > kRounding) continue;
                if (circular(row.q[first == 1 ? 0 : 5], q[first == 1 ? 0 : 5]) > 1e-6) continue;
                least = std::min(least, std::fabs(row.q[free] - wanted));
            }
            CHECK_WITHIN(least, 1e-12);
            forward += wanted > near[free];
            backward += wanted < near[free];
        }
        CHECK(forward > 2);
        CHECK(backward > 2);
    }
}

TEST("a pair of equations finds the angles that made it, also where both together lack the second") {
    Random random(20);
    for (int sample = 0; sample < kSamples; ++sample) {
        const double x = random.angle(), y = random.angle(), f = random.between(-2.0, 2.0);
        LinearPair pair{};
        for (auto& row : pair.row) {
            for (double& number : row) number = random.between(-1.0, 1.0);
        }
        const auto make = [&] {
            for (int i = 0; i < 2; ++i) {
                const double* row = pair.row[i];
                pair.right[i] =
                    row[0] * std::cos(x) + row[1] * std::sin(x) + row[2] * std::cos(y) + row[3] * std::sin(y);
            }
        };
        make();
        PairSolution found[4];
        int count = solve_pair(pair, false, 0.0, found);
        double least = 1e300;
        for (int k = 0; k < count; ++k) {
            CHECK(found[k].y_known);
            least = std::min(least, std::max(circular(found[k].x, x), circular(found[k].y, y)));
        }
        CHECK_WITHIN(least, 1e-9);
        pair.row[1][2] = f * pair.row[0][2];
        pair.row[1][3] = f * pair.row[0][3];
        make();
        count = solve_pair(pair, false, 0.0, found);
        least = 1e300;
        for (int k = 0; k < count; ++k) {
            CHECK(!found[k].y_known);
            CHECK_WITHIN(found[k].excess, kRounding);
            least = std::min(least, circular(found[k].x, x));
        }
        CHECK_WITHIN(least, 1e-9);
    }
}

TEST("a determinant counts as none beside the larger of the two equations") {
    PairSolution found[4];
    for (double apart : {2e-8, 2e-6}) {
        for (bool swapped : {false, true}) {
            LinearPair pair{{{0.5, 0.2, 0.1, 0.1 * (1.0 + apart)}, {0.1, -0.4, 1.0, 1.0}}, {0.3, 0.2}};
            if (swapped) std::swap(pair.row[0], pair.row[1]);
            const int count = solve_pair(pair, false, 0.0, found);
            CHECK(count > 0);
            for (int k = 0; k < count; ++k) CHECK(found[k].y_known == (apart > 1e-6));
        }
    }
}

TEST("a pair of equations whose determinant is small but no rounding is solved for both angles") {
    Random random(23);
    for (int sample = 0; sample < kSamples; ++sample) {
        const double x = random.angle(), y = random.angle();
        LinearPair pair{{{0.3, -0.7, 1.0, 2.0}, {-0.5, 0.4, 2.0, 4.0 + 1e-3}}, {}};
        for (int i = 0; i < 2; ++i) {
            const double* row = pair.row[i];
            pair.right[i] =
                row[0] * std::cos(x) + row[1] * std::sin(x) + row[2] * std::cos(y) + row[3] * std::sin(y);
        }
        PairSolution found[4];
        const int count = solve_pair(pair, false, 0.0, found);
        double least = 1e300;
        for (int k = 0; k < count; ++k) {
            CHECK(found[k].y_known);
            least = std::min(least, std::max(circular(found[k].x, x), circular(found[k].y, y)));
        }
        CHECK_WITHIN(least, 1e-6);
    }
}

TEST("a planar arm finds the three angles that made a motion, and says by how much one is out of reach") {
    Random random(21);
    for (int sample = 0; sample < kSamples; ++sample) {
        Screw joint[3];
        random.joints(joint, 3);
        for (int k = 1; k < 3; ++k) joint[k].axis = joint[0].axis * random.either();
        const PlanarArm arm = PlanarArm::of(joint[0], joint[1], joint[2], kSize);
        const double q[3] = {random.angle(), random.angle(), random.angle()}, near[3] = {};
        const auto solve = [&](const Placement& motion, Emitted& found) {
            return arm.solve([&](const Point& x) { return motion * x; }, near, 0.0,
                             [&](double a, double b, double c, double excess) {
                                 const double row[3] = {a, b, c};
                                 found(row, excess);
                             });
        };
        const Placement motion = motion_of(joint, 3, q);
        Emitted found(joint, 3);
        CHECK(solve(motion, found));
        CHECK_WITHIN(found.from(q), 1e-9);
        for (const Emitted::Row& row : found.rows) {
            CHECK_WITHIN(difference_of(motion_of(joint, 3, row.q), motion), 1e-9);
        }
        const auto flat = [&](const Point& x) { return length(cross(joint[0].axis, x)); };
        const double longest = flat(joint[1].point - joint[0].point) + flat(joint[2].point - joint[1].point);
        const Point out = random.normal_to(joint[0].axis) * (longest + 0.5 * kSize);
        const Placement away = {motion.R, joint[0].point + out - motion.R * joint[2].point};
        Emitted missed(joint, 3);
        CHECK(!solve(away, missed));
        CHECK(missed.rows.size() == 1);
        CHECK_WITHIN(std::fabs(missed.rows[0].excess - 0.5), 1e-12);
        const Point end = carried_by(joint, 3, missed.rows[0].q, joint[2].point);
        CHECK_WITHIN(std::fabs(flat(end - joint[0].point - out) - 0.5 * kSize), 1e-9);
    }
}
