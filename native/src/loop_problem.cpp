#include "kido/ik/loops/loop_problem.hpp"

#include <algorithm>
#include <cmath>

namespace kido {

namespace {

double length(const double* v) { return std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

// The joint that turns, nearest to the opposite of `meet` in the loop; -1: none but that.
int opposite(const Loop& loop, int meet) {
    const int n = static_cast<int>(loop.joints.size());
    const int from = (meet + (n + 1) / 2) % n;
    for (int step = 0; step < n; ++step) {
        for (const int i : {(from + step) % n, (from + n - step) % n}) {
            if (i != meet && !loop.joints[i].prismatic) return i;
        }
    }
    return -1;
}

// Tests of an open chain meet near its middle. Those of a closed one go round: at least two different axes fix the last body.
void choose_tests(Loop& loop) {
    const int n = static_cast<int>(loop.joints.size());
    loop.tests.clear();
    if (!loop.closes_orientation) {
        for (int j = std::max(0, n / 2 - 1); j <= std::min(n - 1, (n + 1) / 2); ++j) loop.tests.push_back({j, -1});
        return;
    }
    int first = -2;
    bool differ = false;
    for (int j = 0; j < n; j += 2) {
        const int m = opposite(loop, j);
        loop.tests.push_back({j, m});
        differ = differ || (first != -2 && m != first && m >= 0);
        if (first == -2) first = m;
    }
    if (!differ || n < 4) loop.tests.push_back({n / 2, -1});
}

double reach_of(const LoopProblem& problem, const Loop& loop) {
    double reach = 1.0 + problem.lever + loop.radius + length(loop.tool.p);
    for (const LoopJoint& joint : loop.joints) {
        reach += length(joint.before.p);
        const double farthest = std::max(std::fabs(problem.lower[joint.variable]), std::fabs(problem.upper[joint.variable]));
        if (joint.prismatic) reach += std::fabs(joint.scale) * farthest;
    }
    return reach * (1.0 + loop.chord);
}

}  // namespace

LoopTransform operator*(const LoopTransform& a, const LoopTransform& b) {
    LoopTransform c;
    for (int i = 0; i < 3; ++i) {
        c.p[i] = a.p[i];
        for (int j = 0; j < 3; ++j) {
            c.R[3 * i + j] = 0.0;
            for (int k = 0; k < 3; ++k) c.R[3 * i + j] += a.R[3 * i + k] * b.R[3 * k + j];
            c.p[i] += a.R[3 * i + j] * b.p[j];
        }
    }
    return c;
}

LoopTransform inverse(const LoopTransform& a) {
    LoopTransform b;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) b.R[3 * i + j] = a.R[3 * j + i];
        b.p[i] = -(a.R[i] * a.p[0] + a.R[3 + i] * a.p[1] + a.R[6 + i] * a.p[2]);
    }
    return b;
}

void prepare(LoopProblem& problem) {
    for (Loop& loop : problem.loops) {
        constexpr double kHalfTurn = 3.14159265358979323846;
        loop.chord = loop.closes_orientation ? 2.0 * std::sin(0.5 * std::min(loop.angle, kHalfTurn)) : 0.0;
        loop.reach = reach_of(problem, loop);
        choose_tests(loop);
    }
}

}  // namespace kido
