#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "check.hpp"
#include "evaluate.hpp"
#include "instruction_set.hpp"
#include "kido/batch/stop_signal.hpp"
#include "loop_prover.hpp"

using namespace kido;

namespace {

constexpr double kPi = 3.14159265358979323846;

LoopTransform moved(double x, double y, double z) {
    LoopTransform T;
    T.p[0] = x;
    T.p[1] = y;
    T.p[2] = z;
    return T;
}

// Links of 0.5 and 0.3 m in a plane, whose end is to be at a distance from the base.
LoopProblem planar(double distance, double limit = kPi) {
    LoopProblem problem;
    Loop loop;
    const LoopTransform before[2] = {moved(-distance, 0.0, 0.0), moved(0.5, 0.0, 0.0)};
    for (int i = 0; i < 2; ++i) {
        loop.joints.push_back({false, i, 1.0, before[i], inverse(before[i])});
        problem.lower.push_back(-limit);
        problem.upper.push_back(limit);
    }
    loop.tool = moved(0.3, 0.0, 0.0);
    loop.tool_inverse = inverse(loop.tool);
    loop.closes_orientation = false;
    loop.radius = 1e-6;
    problem.loops.push_back(loop);
    prepare(problem);
    return problem;
}

// Six joints about axes in turn, whose end is to be at a pose out of their reach.
LoopProblem arm(double distance) {
    LoopProblem problem;
    Loop loop;
    for (int i = 0; i < 6; ++i) {
        LoopTransform before = moved(i == 0 ? -distance : 0.2, 0.05 * i, 0.1);
        const double turned[9] = {1, 0, 0, 0, 0, -1, 0, 1, 0};  // z to -y
        std::copy(turned, turned + 9, before.R);
        loop.joints.push_back({false, i, 1.0, before, inverse(before)});
        problem.lower.push_back(-2.5);
        problem.upper.push_back(2.5);
    }
    loop.tool = moved(0.1, 0.0, 0.1);
    loop.tool_inverse = inverse(loop.tool);
    loop.radius = loop.angle = 1e-6;
    problem.loops.push_back(loop);
    prepare(problem);
    return problem;
}

ProverSettings settings(int starts = 0) { return {20.0, 1000000, 1e-3, 64, starts, 1, false}; }

struct Stopped : StopSignal {
    bool ask() override { return true; }
};

}  // namespace

TEST("an arm in a plane reaches an annulus, by search and by branch and bound") {
    for (const double distance : {0.2001, 0.5, 0.7999}) {
        for (const int starts : {0, 8}) {
            const ProverResult found = prove(planar(distance), settings(starts), nullptr, nullptr);
            CHECK(found.verdict == ProverVerdict::found);
            CHECK(found.distance < 1e-9);
            const double a = found.posture[0], b = found.posture[1];
            CHECK(std::fabs(0.5 * std::cos(a) + 0.3 * std::cos(a + b) - distance) < 1e-8);
        }
    }
    for (const double distance : {0.1999, 0.8001, 2.0}) {
        const ProverResult found = prove(planar(distance), settings(), nullptr, nullptr);
        CHECK(found.verdict == ProverVerdict::infeasible);
        CHECK(found.leaves.empty());
        CHECK(found.nodes > 0);
    }
}

TEST("limits exclude postures") {
    CHECK(prove(planar(0.4, 0.5), settings(8), nullptr, nullptr).verdict == ProverVerdict::infeasible);
    CHECK(prove(planar(0.4, 3.0), settings(8), nullptr, nullptr).verdict == ProverVerdict::found);
}

TEST("budgets and signals end a proof without a verdict, and what was not looked at remains") {
    ProverSettings few = settings();
    few.most_nodes = 1;
    const ProverResult nodes = prove(planar(0.5), few, nullptr, nullptr);
    CHECK(nodes.verdict == ProverVerdict::out_of_nodes);
    CHECK(!nodes.leaves.empty());
    Stopped stop;
    few = settings();
    few.most_nodes = 1000000;
    few.resolution = 1e-9;
    few.all_regions = true;
    few.most_leaves = 1000000;
    const ProverResult stopped = prove(planar(0.5), few, nullptr, &stop);
    CHECK(stopped.verdict == ProverVerdict::out_of_time || stopped.nodes < 2000);
    CHECK(!stopped.leaves.empty());
}

TEST("verdicts and boxes of a proof do not depend on threads and instruction sets") {
    const int before = num_threads();
    const std::string used = active_kernels().instruction_set;
    std::size_t nodes = 0;
    for (const KernelTable* table : available_kernels()) {
        CHECK(use_kernels(table->instruction_set));
        for (const int threads : {1, 2, 3}) {
            set_num_threads(threads);
            const ProverResult found = prove(arm(1.25), settings(), nullptr, nullptr);
            CHECK(found.verdict == ProverVerdict::infeasible);
            if (nodes == 0) nodes = found.nodes;
            CHECK(found.nodes == nodes);
        }
    }
    set_num_threads(before);
    use_kernels(used);
}

TEST("rows and angles bound variables") {
    LoopProblem problem = planar(0.5);
    problem.rows.push_back({{0, 1}, {1.0, 1.0}, -10.0});
    CHECK(prove(problem, settings(4), nullptr, nullptr).verdict == ProverVerdict::infeasible);
    problem = planar(0.7);
    problem.angles.push_back({{0, 1, 1}, 0.01});
    CHECK(prove(problem, settings(4), nullptr, nullptr).verdict == ProverVerdict::infeasible);
    problem.angles[0].angle = kPi;
    CHECK(prove(problem, settings(4), nullptr, nullptr).verdict == ProverVerdict::found);
}
