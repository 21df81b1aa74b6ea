#include "check.hpp"
#include "closed_form_arms.hpp"
#include "kido/ik/closed_form/prismatic_part.hpp"
#include "kido/ik/closed_form/spherical_wrist.hpp"

// Each way to bring a point to a place, by itself: of random joints, with offsets wherever it allows them.

using namespace kido;
using namespace kido::closed_form;
using namespace arms;

namespace {

constexpr int kSamples = 25;
constexpr double kSize = 2.5;
constexpr double kShort = 1e-3;  // an excess that rounding does not make

PositionPart random_part(Random& random) {
    PositionPart part{};
    random.joints(part.joint, 3);
    part.carried = random.point();
    part.size = kSize;
    return part;
}

void let_meet(PositionPart& part, int first, Random& random) {
    Screw &a = part.joint[first], &b = part.joint[first + 1];
    b.point = part.meeting = random.along(a);
    b.point = random.along(b);
}

PositionPart part_of(PositionMethod method, Random& random) {
    PositionPart part = random_part(random);
    part.method = method;
    Screw* j = part.joint;
    switch (method) {
        case PositionMethod::first_meet: let_meet(part, 0, random); break;
        case PositionMethod::last_parallel: j[2].axis = j[1].axis * random.either(); break;
        case PositionMethod::last_meet: let_meet(part, 1, random); break;
        case PositionMethod::first_parallel:
            j[1].axis = j[0].axis * random.either();
            j[2].axis = random.direction(j[0].axis);
            break;
        case PositionMethod::quartic: break;
    }
    return part;
}

PositionPart part_of(PrismaticMethod method, Random& random) {
    PositionPart part = random_part(random);
    Screw* j = part.joint;
    switch (method) {
        case PrismaticMethod::meeting: let_meet(part, 0, random); break;
        case PrismaticMethod::parallel:
            j[1].axis = j[0].axis * random.either();
            j[2].axis = random.direction(j[0].axis);
            break;
        case PrismaticMethod::across:
            j[1].axis = random.normal_to(j[0].axis);
            j[2].axis = random.direction(j[0].axis);
            break;
        case PrismaticMethod::along: j[2].axis = j[0].axis * random.either(); break;
        case PrismaticMethod::oblique: j[2].axis = random.direction(j[0].axis); break;
        default: break;
    }
    switch (method) {
        case PrismaticMethod::meeting:
        case PrismaticMethod::parallel:
        case PrismaticMethod::skew: j[2].is_prismatic = true; break;
        case PrismaticMethod::across:
        case PrismaticMethod::along:
        case PrismaticMethod::oblique: j[1].is_prismatic = true; break;
        case PrismaticMethod::last_two: j[1].is_prismatic = j[2].is_prismatic = true; break;
        default: j[0].is_prismatic = j[2].is_prismatic = true; break;
    }
    return part;
}

// That positions are found for the place to which they bring a point, and that all found bring it there.
template <class Solve>
void check_planted(const PositionPart& part, Random& random, Solve&& solve) {
    double q[3];
    for (int k = 0; k < 3; ++k) q[k] = part.joint[k].is_prismatic ? random.between(-1.0, 1.0) : random.angle();
    const Point place = carried_by(part.joint, 3, q, part.carried);
    Emitted found(part.joint, 3);
    solve(place, [&](double a, double b, double c, double excess) {
        const double row[3] = {a, b, c};
        found(row, excess);
    });
    Emitted::Row planted{};
    CHECK_WITHIN(found.from(q, &planted), 1e-8);
    CHECK_WITHIN(planted.excess, kRounding);
    CHECK_WITHIN(far_apart(carried_by(part.joint, 3, planted.q, part.carried), place), 1e-10);
    for (const Emitted::Row& row : found.rows) {
        const double error = far_apart(carried_by(part.joint, 3, row.q, part.carried), place);
        if (row.excess <= kRounding) CHECK_WITHIN(error, 1e-8);
        if (error <= 1e-10) CHECK_WITHIN(row.excess, kRounding);
    }
}

const PositionMethod kPositionMethods[] = {PositionMethod::first_meet, PositionMethod::last_parallel,
                                           PositionMethod::last_meet, PositionMethod::first_parallel,
                                           PositionMethod::quartic};
const PrismaticMethod kPrismaticMethods[] = {
    PrismaticMethod::meeting, PrismaticMethod::parallel, PrismaticMethod::skew,     PrismaticMethod::across,
    PrismaticMethod::along,   PrismaticMethod::oblique,  PrismaticMethod::last_two, PrismaticMethod::outer_two};
const double kNear[3] = {0.3, -0.2, 0.1};

}  // namespace

TEST("each method of three joints that turn finds the positions that brought a point to its place") {
    for (PositionMethod method : kPositionMethods) {
        Random random(1);
        for (int sample = 0; sample < kSamples; ++sample) {
            const PositionPart part = part_of(method, random);
            check_planted(part, random, [&](const Point& place, auto&& emit) {
                solve_position(part, place, kNear, false, emit);
            });
        }
    }
}

TEST("each method of joints of which some slide finds the positions that brought a point to its place") {
    for (PrismaticMethod method : kPrismaticMethods) {
        Random random(2);
        for (int sample = 0; sample < kSamples; ++sample) {
            const PositionPart part = part_of(method, random);
            check_planted(part, random, [&](const Point& place, auto&& emit) {
                solve_prismatic(method, part, place, kNear, false, emit);
            });
        }
    }
}

TEST("each method that has no place out of reach proposes positions and does not take them for solutions") {
    Random random(3);
    for (PositionMethod method : kPositionMethods) {
        const PositionPart part = part_of(method, random);
        const Point place = part.joint[0].point + random.direction(part.joint[0].axis) * 30.0;
        int count = 0;
        double least = 1e300;
        const auto emit = [&](double, double, double, double excess) {
            ++count;
            least = std::min(least, excess);
        };
        if (method == PositionMethod::quartic) {
            solve_position(part, place, kNear, false, emit);
            CHECK(count == 0);
            solve_position(part, place, kNear, true, emit);
            CHECK(count > 0);
        } else {
            solve_position(part, place, kNear, false, emit);
            CHECK(count > 0);
            CHECK(least > kShort);
        }
    }
}

TEST("two slides that only change the height take the lengths nearest to where they are") {
    Random random(4);
    for (int sample = 0; sample < kSamples; ++sample) {
        PositionPart part = random_part(random);
        Screw* j = part.joint;
        j[0].axis = j[1].axis * random.either();
        j[2].axis = j[1].axis * random.either();
        j[0].is_prismatic = j[2].is_prismatic = true;
        const double q[3] = {random.between(-1.0, 1.0), random.angle(), random.between(-1.0, 1.0)};
        const double near[3] = {random.between(-1.0, 1.0), 0.0, random.between(-1.0, 1.0)};
        const Point place = carried_by(j, 3, q, part.carried);
        Emitted found(j, 3);
        solve_prismatic(PrismaticMethod::outer_two, part, place, near, false,
                      [&](double a, double b, double c, double e) {
                          const double row[3] = {a, b, c};
                          found(row, e);
                      });
        CHECK(found.rows.size() == 1);
        const double* x = found.rows[0].q;
        CHECK_WITHIN(far_apart(carried_by(j, 3, x, part.carried), place), 1e-14);
        CHECK_WITHIN(found.rows[0].excess, kRounding);
        // Of the lengths that make this height, the nearest: the way to them is normal to their line.
        const double along[2] = {-dot(j[1].axis, j[2].axis), dot(j[1].axis, j[0].axis)};
        CHECK_WITHIN(std::fabs((x[0] - near[0]) * along[0] + (x[2] - near[2]) * along[1]), 1e-14);
    }
}

TEST("a place near the first axis, far up, is reached to the last digits") {
    Random random(8);
    for (int sample = 0; sample < kSamples; ++sample) {
        for (bool slides : {false, true}) {
            PositionPart part = slides ? part_of(PrismaticMethod::across, random)
                                       : part_of(PositionMethod::first_parallel, random);
            Screw* j = part.joint;
            const double q[3] = {random.angle(), random.between(-1.0, 1.0), random.angle()};
            const Point end = carried_by(j + 1, 2, q + 1, part.carried);
            j[0].point = end + random.normal_to(j[0].axis) * 1e-6 + j[0].axis * 1.5;
            const Point place = carried_by(j, 3, q, part.carried);
            double least = 1e300;
            const auto emit = [&](double a, double b, double c, double) {
                const double row[3] = {a, b, c};
                if (circular(c, q[2]) > 1e-6 || std::fabs(std::remainder(b - q[1], 2.0 * kPi)) > 1e-6) return;
                least = std::min(least, far_apart(carried_by(j, 3, row, part.carried), place));
            };
            if (slides) {
                solve_prismatic(PrismaticMethod::across, part, place, q, false, emit);
            } else {
                solve_position(part, place, q, false, emit);
            }
            CHECK_WITHIN(least, 3e-14);
        }
    }
}

TEST("a place where two axes meet leaves both angles as they are and takes the slide's length") {
    Random random(5);
    PositionPart part = part_of(PrismaticMethod::meeting, random);
    part.carried = part.meeting - part.joint[2].axis * 0.4;
    int count = 0;
    solve_prismatic(PrismaticMethod::meeting, part, part.meeting, kNear, false,
                  [&](double a, double b, double c, double excess) {
                      ++count;
                      CHECK(a == kNear[0]);
                      CHECK(b == kNear[1]);
                      CHECK_WITHIN(std::fabs(c - 0.4), 1e-15);
                      CHECK_WITHIN(excess, kRounding);
                  });
    CHECK(count == 1);
}

namespace {

// A wrist behind three joints, and the motion that some positions make.
void check_wrist(const PositionPart& part, PrismaticMethod prismatic, bool mirrored, Random& random) {
    Screw joint[6];
    std::copy(part.joint, part.joint + 3, joint);
    random.joints(joint + 3, 3);
    for (int k = 3; k < 6; ++k) {
        joint[k].point = part.carried;
        joint[k].point = random.along(joint[k]);
    }
    const SphericalWrist wrist{
        part, {joint[3].axis, joint[4].axis, joint[5].axis}, normal_to(joint[5].axis), prismatic, mirrored};
    double q[6];
    const double near[6] = {};
    for (int k = 0; k < 6; ++k) q[k] = joint[k].is_prismatic ? random.between(-1.0, 1.0) : random.angle();
    const Placement moved = motion_of(joint, 6, q);
    Emitted found(joint, 6);
    wrist.solve(moved, near, false, found);
    Emitted::Row planted{};
    CHECK_WITHIN(found.from(q, &planted), 1e-8);
    CHECK_WITHIN(planted.excess, kRounding);
    CHECK_WITHIN(difference_of(motion_of(joint, 6, planted.q), moved), 1e-10);
    for (const Emitted::Row& row : found.rows) {
        if (row.excess <= kRounding) CHECK_WITHIN(difference_of(motion_of(joint, 6, row.q), moved), 1e-8);
    }
}

}  // namespace

TEST("a spherical wrist behind each method finds the positions that made a motion") {
    Random random(6);
    for (int sample = 0; sample < kSamples; ++sample) {
        for (PositionMethod method : kPositionMethods) {
            check_wrist(part_of(method, random), PrismaticMethod::none, false, random);
        }
        for (PrismaticMethod method : kPrismaticMethods) {
            const PositionPart part = part_of(method, random);
            check_wrist(part, method, false, random);
            PositionPart other = part;
            for (int k = 0; k < 3; ++k) other.joint[k] = part.joint[2 - k];
            check_wrist(other, method, true, random);
        }
    }
}
