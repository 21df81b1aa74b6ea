#include "check.hpp"
#include "closed_form_arms.hpp"
#include "closed_form_layout.hpp"
#include "closed_form_relations.hpp"

// Which forms fit a chain, and that each by itself finds the positions that made a motion.

using namespace kido;
using namespace kido::closed_form;
using namespace arms;

namespace {

constexpr double kTight = 1e-9;
constexpr int kSamples = 8;
constexpr ClosedFormFamily kWrist = ClosedFormFamily::spherical_wrist;

ScrewChain random_chain(Random& random, int count) {
    ScrewChain chain;
    chain.count = count;
    chain.size = 2.5;
    chain.tool = {identity3<double>(), random.point()};
    random.joints(chain.joint, count);
    return chain;
}

void let_meet(ScrewChain& c, int first, int last, Random& random) {
    const Point where = random.point();
    for (int k = first; k <= last; ++k) {
        c.joint[k].point = where;
        c.joint[k].point = random.along(c.joint[k]);
    }
}

bool has(const std::vector<ClosedFormLayout>& found, const ClosedFormLayout& wanted) {
    return std::find(found.begin(), found.end(), wanted) != found.end();
}

// That each form finds the positions that made a motion, by itself.
void check_forms(const ScrewChain& chain, const std::vector<ClosedFormLayout>& layouts, Random& random) {
    double q[kMostJoints], near[kMostJoints] = {};
    for (int k = 0; k < chain.count; ++k) {
        q[k] = chain.joint[k].is_prismatic ? random.between(-1.0, 1.0) : random.angle();
    }
    const Placement motion = motion_of(chain.joint, chain.count, q);
    for (const ClosedFormLayout& layout : layouts) {
        const ClosedFormPlan plan = plan_of(chain, layout);
        const ScrewChain c = layout.reversed ? chain.reversed() : chain;
        double ordered[kMostJoints];
        std::copy(q, q + chain.count, ordered);
        if (layout.reversed) std::reverse(ordered, ordered + chain.count);
        const Placement moved = layout.reversed ? inverse(motion) : motion;
        Emitted found(c.joint, c.count);
        std::visit([&](const auto& form) { form.solve(moved, near, false, found); }, plan.form);
        Emitted::Row planted{};
        CHECK_WITHIN(found.from(ordered, &planted), 1e-7);
        CHECK_WITHIN(planted.excess, 1e-13);
        CHECK_WITHIN(difference_of(motion_of(c.joint, c.count, planted.q), moved), 1e-9);
        for (const Emitted::Row& row : found.rows) {
            if (row.excess <= kRounding) {
                CHECK_WITHIN(difference_of(motion_of(c.joint, c.count, row.q), moved), 1e-7);
            }
        }
    }
}

void check_found(const ScrewChain& chain, const ClosedFormLayout& wanted, Random& random) {
    const std::vector<ClosedFormLayout> found = layouts_of(chain, kTight);
    CHECK(has(found, wanted));
    check_forms(chain, found, random);
    // The same chain from the tool to the base.
    ScrewChain other = chain.reversed();
    if (wanted.family != kWrist && wanted.family != ClosedFormFamily::parallel_axes) return;
    ClosedFormLayout back = wanted;
    back.reversed = !wanted.reversed;
    const std::vector<ClosedFormLayout> behind = layouts_of(other, kTight);
    CHECK(has(behind, back));
    check_forms(other, behind, random);
}

}  // namespace

TEST("parallel, distance, between and meet say how two axes lie") {
    const Point x{1.0, 0.0, 0.0}, y{0.0, 1.0, 0.0}, z{0.0, 0.0, 1.0};
    const Screw a{x, {5.0, 2.0, 3.0}}, b{y, {1.0, -7.0, 3.5}}, tilted{unit(x + y * 1e-4), {0.0, 0.0, 0.0}};
    CHECK(far_apart(between(a, b), {1.0, 2.0, 3.25}) < 1e-14);
    CHECK(distance(a, {-9.0, 6.0, 6.0}) == 5.0);
    CHECK(meet(a, b, 0.26, 2.0) && !meet(a, b, 0.24, 2.0));
    CHECK(parallel(a, tilted, 1.1e-4) && !parallel(a, tilted, 0.9e-4));
    CHECK(parallel(a, a.inverted(), 1e-15) && !parallel(a, b, 0.9));
    CHECK(!meet(a, tilted, 1e3, 1.0));
    CHECK(far_apart(between({unit(x + z), {1.0, 1.0, 0.0}}, {unit(y - z), {2.0, 5.0, -3.0}}),
                    {2.0, 1.0, 1.0}) < 1e-14);
}

TEST("a wrist is three axes that meet, to a tolerance, wherever their points are") {
    Random random(71);
    for (int sample = 0; sample < kSamples; ++sample) {
        ScrewChain c = random_chain(random, 6);
        let_meet(c, 3, 5, random);
        CHECK(wrist_meets(c, kTight));
        for (int k = 3; k < 6; ++k) {
            ScrewChain off = c;
            off.joint[k].point += random.normal_to(c.joint[k].axis) * 0.1;
            CHECK(!wrist_meets(off, 1e-4));
        }
    }
}

TEST("each form of a spherical wrist is found and by itself finds the positions that made a motion") {
    Random random(72);
    for (int sample = 0; sample < kSamples; ++sample) {
        const auto wrist = [&] {
            ScrewChain c = random_chain(random, 6);
            let_meet(c, 3, 5, random);
            return c;
        };
        const auto form = [&](PositionMethod method) {
            return ClosedFormLayout{.family = kWrist, .method = method};
        };
        check_found(wrist(), form(PositionMethod::quartic), random);
        ScrewChain c = wrist();
        let_meet(c, 0, 1, random);
        check_found(c, form(PositionMethod::first_meet), random);
        c = wrist();
        let_meet(c, 1, 2, random);
        check_found(c, form(PositionMethod::last_meet), random);
        c = wrist();
        c.joint[2].axis = c.joint[1].axis * random.either();
        check_found(c, form(PositionMethod::last_parallel), random);
        c = wrist();
        c.joint[1].axis = c.joint[0].axis * random.either();
        c.joint[2].axis = random.direction(c.joint[0].axis);
        check_found(c, form(PositionMethod::first_parallel), random);
    }
}

TEST("each form of three parallel axes is found and by itself finds the positions that made a motion") {
    Random random(73);
    for (int sample = 0; sample < kSamples; ++sample) {
        for (int first : {0, 1}) {
            ScrewChain c = random_chain(random, 6);
            for (int k = 1; k < 3; ++k) c.joint[first + k].axis = c.joint[first].axis * random.either();
            for (int k = first + 3; k < 6; ++k) c.joint[k].axis = random.direction(c.joint[k - 1].axis);
            check_found(c, {.family = ClosedFormFamily::parallel_axes, .first = first}, random);
        }
    }
}

TEST("each form of a wrist behind slides is found and by itself finds the positions that made a motion") {
    Random random(74);
    const auto axis_of = [](ScrewChain& c, int k) -> Point& { return c.joint[k].axis; };
    for (int sample = 0; sample < kSamples; ++sample) {
        for (bool mirrored : {false, true}) {
            const int a = mirrored ? 2 : 0, z = mirrored ? 0 : 2;
            const auto wrist = [&](std::initializer_list<int> slides) {
                ScrewChain c = random_chain(random, 6);
                let_meet(c, 3, 5, random);
                for (int k : slides) c.joint[k].is_prismatic = true;
                return c;
            };
            const auto check = [&](const ScrewChain& c, PrismaticMethod method) {
                check_found(c, {.family = kWrist, .prismatic = method, .mirrored = mirrored}, random);
            };
            ScrewChain c = wrist({z});
            check(c, PrismaticMethod::skew);
            let_meet(c, std::min(a, 1), std::max(a, 1), random);
            check(c, PrismaticMethod::meeting);
            c = wrist({z});
            axis_of(c, 1) = axis_of(c, a) * random.either();
            axis_of(c, z) = random.direction(axis_of(c, 1));
            check(c, PrismaticMethod::parallel);
            c = wrist({1});
            axis_of(c, z) = random.direction(axis_of(c, a));
            check(c, PrismaticMethod::oblique);
            axis_of(c, 1) = random.normal_to(axis_of(c, a));
            check(c, PrismaticMethod::across);
            c = wrist({1});
            axis_of(c, z) = axis_of(c, a) * random.either();
            check(c, PrismaticMethod::along);
            check(wrist({1, z}), PrismaticMethod::last_two);
            check(wrist({0, 2}), PrismaticMethod::outer_two);
        }
    }
}

TEST("up to three turns, no two neighbours parallel, and up to three slides, in any order, have a form") {
    Random random(75);
    for (int which = 1; which < 64; ++which) {  // bits of prismatic joints, below a leading one
        int count = 0;
        while (which >> (count + 1)) ++count;
        int slides = 0;
        for (int k = 0; k < count; ++k) slides += which >> k & 1;
        if (count == 0 || slides > 3 || count - slides > 3) continue;
        ScrewChain c = random_chain(random, count);
        for (int k = 0; k < count; ++k) c.joint[k].is_prismatic = which >> k & 1;
        const ClosedFormFamily family =
            slides == 3 ? ClosedFormFamily::gantry : ClosedFormFamily::orientation_first;
        const std::vector<ClosedFormLayout> found = layouts_of(c, kTight);
        CHECK(has(found, {.family = family}));
        check_forms(c, found, random);
    }
    for (int a = 0; a < 6; ++a) {  // six joints, three of which slide
        for (int b = 0; b < a; ++b) {
            for (int d = 0; d < b; ++d) {
                ScrewChain c = random_chain(random, 6);
                for (int k : {a, b, d}) c.joint[k].is_prismatic = true;
                const std::vector<ClosedFormLayout> found = layouts_of(c, kTight);
                CHECK(has(found, {.family = ClosedFormFamily::gantry}));
                check_forms(c, found, random);
            }
        }
    }
}

TEST("two or three parallel turns and slides in any order have a form") {
    Random random(76);
    for (int count = 2; count <= 4; ++count) {
        for (int which = 0; which < 1 << count; ++which) {
            int slides = 0;
            for (int k = 0; k < count; ++k) slides += which >> k & 1;
            if (slides > 2 || count - slides < 2 || count - slides > 3) continue;
            for (bool level : {false, true}) {
                if (slides == 0 ? !level : level && count > 3) continue;
                for (int sample = 0; sample < kSamples; ++sample) {
                    ScrewChain c = random_chain(random, count);
                    const Point h = random.direction();
                    for (int k = 0; k < count; ++k) {
                        c.joint[k].is_prismatic = which >> k & 1;
                        if (!c.joint[k].is_prismatic) {
                            c.joint[k].axis = h * random.either();
                        } else {
                            c.joint[k].axis = level ? random.normal_to(h) : random.direction(h);
                        }
                    }
                    const auto family = level ? ClosedFormFamily::planar : ClosedFormFamily::scara;
                    const std::vector<ClosedFormLayout> found = layouts_of(c, kTight);
                    CHECK(has(found, {.family = family}));
                    check_forms(c, found, random);
                }
            }
        }
    }
}

TEST("axes that lie anyhow have no form, and a relation that is off by more than its tolerance none") {
    Random random(77);
    for (int sample = 0; sample < kSamples; ++sample) {
        CHECK(layouts_of(random_chain(random, 6), kTight).empty());
        ScrewChain c = random_chain(random, 6);
        let_meet(c, 3, 5, random);
        let_meet(c, 0, 1, random);
        const ClosedFormLayout exact{.family = kWrist, .method = PositionMethod::first_meet};
        const ClosedFormLayout general{.family = kWrist, .method = PositionMethod::quartic};
        CHECK(has(layouts_of(c, kTight), exact) && !has(layouts_of(c, kTight), general));
        c.joint[1].point += unit(cross(c.joint[0].axis, c.joint[1].axis)) * (c.size * 1e-5);
        CHECK(has(layouts_of(c, kTight), general) && !has(layouts_of(c, kTight), exact));
        CHECK(has(layouts_of(c, 1.1e-5), exact) && !has(layouts_of(c, 0.9e-5), exact));
    }
}
