#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "check.hpp"
#include "evaluate.hpp"
#include "kido/algorithm/forward_dynamics.hpp"
#include "kido/algorithm/problem_of.hpp"
#include "kido/spatial/quaternion.hpp"
#include "kido/spatial/so3.hpp"
#include "ragdoll.hpp"
#include "world_scene.hpp"

using namespace kido;

namespace {

bool all_finite(const std::vector<double>& numbers) {
    return std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); });
}

bool same(const std::vector<double>& a, const std::vector<double>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

// A heap of cubes, which meet each other and the ground.
struct Heap : WorldScene {
    std::vector<int> rows;

    Heap() {
        ground();
        for (int i = 0; i < 27; ++i) rows.push_back(cube(0.1, 0.0, 0.0, 0.0));
        pile(0.0);
    }
    // Lets them fall anew.
    void pile(double aside) {
        for (int i = 0; i < 27; ++i) {
            move(rows[i], aside + 0.21 * (i % 3) + 0.01 * (i / 9), 0.21 * (i / 3 % 3), 0.12 + 0.22 * (i / 9));
        }
    }
    void scatter() {
        for (int i = 0; i < 27; ++i) move(rows[i], 10.0 * i, 0.0, 50.0);
    }
};

// Balls of two sizes that roll over each other.
struct Balls : WorldScene {
    std::vector<int> rows;

    Balls() {
        ground();
        for (int i = 0; i < 27; ++i) {
            const double radius = i % 2 == 0 ? 0.1 : 0.08;
            rows.push_back(body(0.21 * (i % 3) + 0.02 * (i / 9), 0.21 * (i / 3 % 3) + 0.01 * (i % 3), 0.12 + 0.22 * (i / 9)));
            shape(rows.back(), ShapeKind::sphere, radius, radius, radius);
        }
    }
};

// Ragdolls above the ground, with a ball around the center of each of their bodies.
struct Ragdolls : WorldScene {
    Ragdoll doll;
    std::vector<int> trees;

    explicit Ragdolls(int count, double armature = 0.0) : doll(armature) {
        ground();
        world->keep(doll.storage);
        for (int k = 0; k < count; ++k) {
            int tree = 0;
            const int first = world->add_tree(doll.model(), tree);
            trees.push_back(tree);
            for (int i = 0; i < Ragdoll::kLinks; ++i) {
                Collider ball = {};
                Ragdoll::center(doll.model().links[i], ball.pose);
                shape(first + i, ShapeKind::sphere, 0.1, 0.0, 0.0, k + 1, ball.pose);
            }
            const TreeNumbers numbers = world->tree(tree);
            for (int dof = 6; dof < Ragdoll::kDofs; ++dof) numbers.damping[dof] = 0.1;
            for (const int dof : {Ragdoll::kSlide, Ragdoll::kScrew}) {
                numbers.lower[dof] = -0.1;
                numbers.upper[dof] = 0.1;
            }
            numbers.positions[0] = 0.3;
            numbers.positions[3] = 0.1 * k;
            numbers.positions[5] = 1.5 + 1.2 * k;
            world->place_tree(tree);
        }
    }
    std::vector<double> motion() {
        std::vector<double> out;
        for (const int tree : trees) {
            const TreeNumbers numbers = world->tree(tree);
            out.insert(out.end(), numbers.positions, numbers.positions + Ragdoll::kDofs);
            out.insert(out.end(), numbers.velocities, numbers.velocities + Ragdoll::kDofs);
        }
        return out;
    }
};

}  // namespace

TEST("each box of a stack carries the weight of those above, and stays where it is") {
    WorldScene scene;
    scene.ground();
    std::vector<int> rows;
    for (int i = 0; i < 5; ++i) rows.push_back(scene.cube(0.1, 0.0, 0.0, 0.1 + 0.2 * i));
    CHECK(scene.step(1000));
    for (int i = 0; i < 5; ++i) {
        CHECK_WITHIN(std::fabs(scene.lift(i + 1, i) - (5 - i) * WorldScene::kGravity), 1e-2);
        const std::vector<double> now = scene.of(rows[i]);
        CHECK_WITHIN(std::fabs(now[0]) + std::fabs(now[1]), 1e-4);
        CHECK_WITHIN(std::fabs(now[2] - (0.1 + 0.2 * i)), 1e-3);
    }
}

TEST("shapes of all kinds lie on the ground") {
    WorldScene scene;
    scene.ground();
    const struct { ShapeKind kind; double x, y, z, lowest; } kinds[] = {
        {ShapeKind::sphere, 0.1, 0.0, 0.0, 0.1},    {ShapeKind::capsule, 0.1, 0.2, 0.0, 0.1}, {ShapeKind::box, 0.1, 0.2, 0.15, 0.1},
        {ShapeKind::cylinder, 0.1, 0.1, 0.0, 0.1},  {ShapeKind::cone, 0.1, 0.1, 0.0, 0.02},    {ShapeKind::ellipsoid, 0.1, 0.15, 0.2, 0.1}};
    std::vector<int> rows;
    for (const auto& k : kinds) {
        rows.push_back(scene.body(1.5 * static_cast<double>(rows.size()), 0.0, 0.4));
        scene.shape(rows.back(), k.kind, k.x, k.y, k.z);
        // Turned a little, so that nothing falls flat.
        const double center[3] = {1.5 * static_cast<double>(rows.size()), 0.0, 0.4}, still[6] = {};
        const double turn[4] = {0.1, 0.05, 0.0, std::sqrt(1.0 - 0.0125)};
        scene.world->set_body(rows.back(), center, turn, still);
    }
    CHECK(scene.step(2000));
    double weight = 0.0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::vector<double> now = scene.of(rows[i]);
        CHECK(all_finite(now));
        CHECK(now[2] > kinds[i].lowest - 2e-3);
        CHECK(now[2] < 0.4);
        weight += scene.lift(static_cast<int>(i) + 1, 0);
    }
    CHECK_WITHIN(std::fabs(weight - 6.0 * WorldScene::kGravity), 9.0);
}

TEST("a clone goes on bit for bit, and nothing that happens to it happens to the other") {
    Heap heap;
    CHECK(heap.step(150));
    std::unique_ptr<NativeWorld> other = heap.world->clone(), third = heap.world->clone();
    const double center[3] = {0.2, 0.2, 0.9}, turn[4] = {0, 0, 0, 1}, fast[6] = {0, 0, -20, 0, 0, 0};
    other->set_body(heap.rows[13], center, turn, fast);
    CHECK(other->step(heap.settings, 100, nullptr, true) == 100);
    CHECK(heap.step(100));
    CHECK(third->step(heap.settings, 100, nullptr, true) == 100);
    const std::vector<double> plain = heap.of(heap.rows);
    heap.world.swap(third);
    CHECK(same(plain, heap.of(heap.rows)));
    heap.world.swap(other);
    CHECK(!same(plain, heap.of(heap.rows)));
    CHECK(heap.world->counts().manifolds > 0);
    third.reset();  // a clone outlives what it was made of
    CHECK(heap.step(50));
}

TEST("pairs end where shapes part, and their places are taken again") {
    Heap heap;
    std::int64_t most = 0;
    for (int round = 0; round < 6; ++round) {
        CHECK(heap.step(150));
        const WorldCounts met = heap.world->counts();
        CHECK(met.manifolds > 27 && met.pairs >= met.manifolds / 2);
        most = std::max(most, met.pairs);
        heap.scatter();
        CHECK(heap.step(2));
        CHECK(heap.world->counts().pairs == 0 && heap.world->counts().manifolds == 0);
        CHECK(heap.world->contacts(false).empty());
        heap.pile(0.3 * round);
    }
    CHECK(most < 200);
}

TEST("bodies and shapes that come between steps meet what was there") {
    WorldScene scene;
    std::vector<int> rows;
    for (int i = 0; i < 40; ++i) {
        rows.push_back(scene.cube(0.1, 0.25 * (i % 4), 0.0, 0.101 + 0.202 * (i / 4)));
        if (i == 3) scene.ground();
        CHECK(scene.step(i < 3 ? 1 : 15));
    }
    CHECK(scene.step(300));
    for (const int row : rows) CHECK(scene.of(row)[2] > 0.09);
}

TEST("nothing moves where a step is not finite, and the world goes on") {
    Heap heap;
    CHECK(heap.step(100));
    const std::vector<double> before = heap.of(heap.rows);
    const double center[3] = {0.0, 0.0, 3.0}, turn[4] = {0, 0, 0, 1}, mad[6] = {1e200, 0, 0, 0, 0, 1e200};
    heap.world->set_body(heap.rows[0], center, turn, mad);
    CHECK(!heap.step(1));
    heap.world->set_body(heap.rows[0], before.data(), before.data() + 3, before.data() + 7);
    CHECK(same(before, heap.of(heap.rows)));
    CHECK(heap.step(100));
    CHECK(all_finite(heap.of(heap.rows)));
}

TEST("two bodies that a ball joint holds stay together, and it carries the lower one") {
    WorldScene scene;
    const int upper = scene.body(0.0, 0.0, 2.0), lower = scene.body(0.0, 0.0, 1.6);
    const auto frame = [](double* pose, double z) {
        const double numbers[12] = {0, 0, z, 1, 0, 0, 0, 1, 0, 0, 0, 1};
        std::copy(numbers, numbers + 12, pose);
    };
    BodyConstraint ball = {};
    ball.law = ConstraintLaw::components;
    ball.pulls = ball.pushes = true;
    for (int k = 0; k < 3; ++k) ball.components[k] = true;
    ball.first = 0;
    ball.second = upper;
    frame(ball.first_pose, 2.2);
    frame(ball.second_pose, 0.2);
    scene.world->add_constraint(ball);
    ball.first = upper;
    ball.second = lower;
    frame(ball.first_pose, -0.2);
    frame(ball.second_pose, 0.2);
    const int joint = scene.world->add_constraint(ball);
    CHECK(scene.step(500));
    CHECK_WITHIN(std::fabs(scene.of(upper)[2] - 2.0) + std::fabs(scene.of(lower)[2] - 1.6), 1e-3);
    double wrench[6];
    scene.world->constraint_wrench(joint, wrench);
    CHECK_WITHIN(std::fabs(wrench[5] + WorldScene::kGravity), 1e-2);
    CHECK_WITHIN(std::fabs(wrench[0]) + std::fabs(wrench[1]) + std::fabs(wrench[2]), 1e-2);
}

TEST("ragdolls fall onto each other and the ground, which carries them") {
    Ragdolls scene(3);
    double lift = 0.0;
    for (int k = 0; k < 30; ++k) {
        CHECK(scene.step(100));
        for (const WorldContact& c : scene.world->contacts(false)) {
            CHECK(c.depth < 2e-2);
            if (k >= 20) lift += c.first == 0 ? -c.force[2] : (c.second == 0 ? c.force[2] : 0.0);
        }
    }
    CHECK(all_finite(scene.motion()));
    const double weight = 3 * Ragdoll::kLinks * WorldScene::kGravity;
    CHECK_WITHIN(std::fabs(lift / 10.0 - weight), 0.3 * weight);
    for (const int tree : scene.trees) {
        for (const int dof : {Ragdoll::kSlide, Ragdoll::kScrew}) CHECK_WITHIN(std::fabs(scene.world->tree(tree).positions[dof]), 0.105);
    }
}

TEST("ragdolls with armature accelerate as forward dynamics say, alone and in lanes") {
    for (const int count : {1, 9}) {
        Ragdolls dolls(count, 0.3);
        for (const int tree : dolls.trees) {
            const TreeNumbers numbers = dolls.world->tree(tree);
            std::fill_n(numbers.damping, Ragdoll::kDofs, 0.0);
            for (int k = 6; k < Ragdoll::kDofs; ++k) numbers.commands[k] = 0.2 * (k % 5 - 2);
            numbers.positions[5] += 10.0;
            dolls.world->place_tree(tree);
        }
        const TreeNumbers last = dolls.world->tree(dolls.trees.back());
        std::vector<double> expected(Ragdoll::kDofs);
        ProblemOf<ForwardDynamics> problem(dolls.doll.model());
        const double* in[] = {last.positions, last.velocities, last.commands};
        std::copy_n(in, 3, problem.in);
        problem.out[0] = expected.data();
        CHECK(evaluate(problem) == kAllPositive);
        CHECK(dolls.step(1));
        for (int k = 0; k < Ragdoll::kDofs; ++k) CHECK_WITHIN(std::fabs(last.accelerations[k] - expected[k]), 1e-9);
    }
}

TEST("motors and dofs that follow others hold while a ragdoll falls") {
    Ragdolls scene(1);
    const TreeNumbers numbers = scene.world->tree(scene.trees[0]);
    numbers.drives[Ragdoll::kSlide] = Drive::servo;
    numbers.effort[Ragdoll::kSlide] = 1e4;
    numbers.commands[Ragdoll::kSlide] = 0.05;
    scene.world->set_couplings(scene.trees[0], {{Ragdoll::kOtherHinge, Ragdoll::kHinge, 0.5, 0.1, false}});
    numbers.positions[Ragdoll::kOtherHinge] = 0.1;
    scene.world->place_tree(scene.trees[0]);
    for (int k = 1; k <= 10; ++k) {
        CHECK(scene.step(100));
        const double* q = scene.world->tree(scene.trees[0]).positions;
        CHECK_WITHIN(std::fabs(q[Ragdoll::kSlide] - 0.005 * k), 1e-3);
        CHECK_WITHIN(std::fabs(q[Ragdoll::kOtherHinge] - 0.5 * q[Ragdoll::kHinge] - 0.1), 1e-2);
    }
}

TEST("all instruction sets step to the same bits") {
    const std::string used = active_kernels().instruction_set;
    std::vector<double> heaps, balls, trees;
    for (const KernelTable* table : available_kernels()) {
        use_kernels(table->instruction_set);
        Heap heap;
        Balls rolling;
        Ragdolls dolls(2);
        CHECK(heap.step(200) && rolling.step(400) && dolls.step(1000));
        if (heaps.empty()) {
            heaps = heap.of(heap.rows);
            balls = rolling.of(rolling.rows);
            trees = dolls.motion();
        }
        CHECK(same(heaps, heap.of(heap.rows)));
        CHECK(same(balls, rolling.of(rolling.rows)));
        CHECK(same(trees, dolls.motion()));
    }
    use_kernels(used);
}
