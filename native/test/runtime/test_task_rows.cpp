#include <algorithm>
#include <cmath>
#include <vector>

#include "bounded_tasks.hpp"
#include "check.hpp"

// Rows of tasks with bounds: changes of the bounds that they leave against their Jacobians, by differences, and errors of what stands on
// bounds against these.

using namespace kido;
using namespace bounded;

namespace {

constexpr double kStep = 1e-6;

// Minus the slopes of values by each dof against J: the largest difference.
template <class Values>
double off_slope(Probe& probe, const Tasks& tasks, const std::vector<double>& J, const std::vector<int>& rows, const Values& values) {
    double worst = 0.0;
    for (int j = 0; j < tasks.dofs(); ++j) {
        std::vector<double> ends[2];
        for (const int side : {0, 1}) {
            std::vector<double> q = tasks.q;
            q[j] += (side ? kStep : -kStep) * probe.unit(j);
            probe.go(q);
            ends[side] = values();
        }
        for (const int r : rows) {
            if (!std::isfinite(ends[0][r])) continue;
            const double off = std::fabs((ends[1][r] - ends[0][r]) / (2.0 * kStep) + J[r * tasks.dofs() + j]);
            if (!(off <= worst)) worst = off;
        }
    }
    probe.go(tasks.q);
    return worst;
}

std::vector<int> range(int begin, int end) {
    std::vector<int> out;
    for (int r = begin; r < end; ++r) out.push_back(r);
    return out;
}

// The rows of all tasks that stand on bounds, at each side.
std::vector<int> sides_of(int seed) {
    std::vector<int> sides;
    for (int r = 0; r < kRows; ++r) sides.push_back((r + seed) % 3 - 1);
    sides[kGazeRow] = 1;  // the edge of the cone
    for (const int r : {kOneSided, kCustomRow + 1}) sides[r] = -(seed % 2);
    return sides;
}

}  // namespace

TEST("bounds of the changes of tasks move against their Jacobians") {
    for (int seed = 0; seed < 4; ++seed) {
        for (const double length : {1.0, 16.0}) {
            Tasks tasks(seed);
            Probe probe(tasks, length);
            const Bounds here = probe.bounds();
            const std::vector<int> rows = range(0, kProgramRows);
            CHECK(here.low.size() == kProgramRows);
            CHECK_WITHIN(off_slope(probe, tasks, here.J, rows, [&] { return probe.bounds().low; }), 1e-6 * length);
            CHECK_WITHIN(off_slope(probe, tasks, here.J, rows, [&] { return probe.bounds().high; }), 1e-6 * length);
        }
    }
}

TEST("bounds of changes are those of the region where a task is at its target") {
    Tasks tasks(1);
    HierarchyTask& task = tasks.tasks[kPoseTask];
    const Pose<double> at = [&] {
        struct Where : Probe {
            using Probe::Probe;
            Pose<double> pose() const { return pose_of(p_.tasks[kPoseTask]); }
        };
        return Where(tasks, 1.0).pose();
    }();
    write3(task.target, at.R.x);
    write3(task.target + 3, at.R.y);
    write3(task.target + 6, at.R.z);
    write3(task.target + 9, at.p);
    for (const double length : {1.0, 16.0}) {
        Probe probe(tasks, length);
        const Bounds here = probe.bounds();
        for (int k = 0; k < 6; ++k) {
            const double scale = task.region.weight[k] / (k < 3 ? 1.0 : length);
            CHECK_WITHIN(std::fabs(here.low[k] - task.region.low[k] * scale), 1e-14);
            CHECK(here.high[k] == kOpen || k != kOneSided);
            if (k != kOneSided) CHECK_WITHIN(std::fabs(here.high[k] - task.region.high[k] * scale), 1e-14);
        }
        const Sight sight = probe.sight();
        const double angle = std::acos(dot(sight.line, sight.axis));
        CHECK(here.low[kGazeRow] == -kOpen);
        CHECK_WITHIN(std::fabs(here.high[kGazeRow] - (0.8 - angle) * tasks.tasks[kGazeTask].region.weight[0]), 1e-12);
        for (int r = 0; r < kCustomRows; ++r) {
            const double scale = r == 2 ? 1.0 / length : 1.0;
            CHECK_WITHIN(std::fabs(here.low[7 + r] - (tasks.sums.least[r] - tasks.sums.value(r)) * scale), 1e-14);
        }
    }
}

TEST("components that stand on bounds have the change to these as their error, less what they are short of") {
    for (int seed = 0; seed < 6; ++seed) {
        for (const double length : {1.0, 16.0}) {
            Tasks tasks(seed);
            tasks.tasks[kGazeTask].half_angle = seed % 2 ? 0.1 : 3.0;
            Probe probe(tasks, length);
            const Bounds here = probe.bounds();
            const std::vector<int> sides = sides_of(seed);
            const std::vector<double> less = tasks.tree.random.numbers(kRows);
            probe.pin(sides, less);
            const std::vector<double> e = probe.error();
            const double gaze = dot(probe.sight().about, vec3(&e[kGazeRow]));
            CHECK_WITHIN(std::fabs(gaze - (here.high[kGazeRow] - less[kGazeRow])), 1e-12);
            CHECK_WITHIN(std::fabs(probe.angular(kGazeTask) * tasks.tasks[kGazeTask].region.weight[0] - std::fabs(gaze)), 1e-12);
            std::vector<int> rows = {kGazeRow, kGazeRow + 1, kGazeRow + 2};
            double most = 0.0;
            for (int k = 0; k < kProgramRows; ++k) {
                const int r = row_of(k);
                if (sides[r] == 0 || r == kGazeRow) continue;
                rows.push_back(r);
                CHECK_WITHIN(std::fabs(e[r] - ((sides[r] < 0 ? here.low : here.high)[k] - less[r])), 1e-12);
                if (r >= kCustomRow) most = std::max(most, std::fabs(e[r]));
            }
            CHECK_WITHIN(std::fabs(probe.linear(kCustomTask) - std::max(most, std::max({0.0, here.low[9], -here.high[9]}))), 1e-12);
            const std::vector<double> J = probe.jacobian();
            CHECK_WITHIN(off_slope(probe, tasks, J, rows, [&] { return probe.error(); }), 1e-5 * length);
        }
    }
}

TEST("what is written by users and stands on no bound stays within two, moves within one, and comes back from beyond") {
    Tasks tasks(2);
    Probe probe(tasks, 1.0);
    const double at = tasks.sums.value(1);
    for (const int r : {0, 2}) {
        tasks.sums.least[r] = tasks.sums.value(r) - 0.3;
        tasks.sums.most[r] = tasks.sums.value(r) + 0.2;
    }
    for (const double low : {at - 0.5, at + 0.5}) {
        tasks.sums.least[1] = low;
        for (const int open : {0, 1}) {
            tasks.sums.most[0] = open ? kOpen : tasks.sums.value(0) + 0.2;
            probe.pin(std::vector<int>(kRows, 0), std::vector<double>(kRows, 0.0));
            const std::vector<double> J = probe.jacobian();
            const auto any = [&](int r) {
                return std::any_of(&J[r * tasks.dofs()], &J[r * tasks.dofs()] + tasks.dofs(), [](double x) { return x != 0.0; });
            };
            CHECK(any(kCustomRow) == (open == 0));
            CHECK(any(kCustomRow + 1) == (low > at));
            CHECK(any(kCustomRow + 2));
        }
    }
}

TEST("bounds that the program reaches are those on which components stand at a part of its step") {
    for (int seed = 0; seed < 3; ++seed) {
        Tasks tasks(seed);
        tasks.tasks[kGazeTask].half_angle = 3.0;
        Probe probe(tasks, 1.0);
        probe.error();
        probe.fill_program();
        CHECK(probe.program().m == kProgramRows);
        for (int r = 0; r < kProgramRows; ++r) {
            *probe.side(r) = (r + seed) % 3 - 1;
            probe.program().row_lower[r] = -0.1 * (r + 1);
            probe.program().row_upper[r] = 0.2 * (r + 1);
        }
        *probe.side(kGazeRow) = seed ? 1.0 : 0.0;
        probe.program().row_lower[4] = 0.5;   // beyond: comes back whole
        probe.program().row_upper[5] = -0.5;
        probe.program().row_lower[5] = -0.6;
        probe.program().row_lower[3] = probe.program().row_upper[3] = 0.0;  // an equation
        probe.pin_active(0.25);
        CHECK(probe.is_pinned(kGazeTask) == (seed > 0) && probe.is_pinned(kPoseTask) && probe.is_pinned(kCustomTask));
        for (int r = 0; r < kProgramRows; ++r) {
            const int k = row_of(r), side = r == 3 ? 0 : static_cast<int>(*probe.side(r));
            CHECK(probe.pinned_at(k) == side);
            const double low = r == 4 ? 0.0 : r == 5 ? -0.6 : -0.1 * (r + 1), high = r == 5 ? 0.0 : 0.2 * (r + 1);
            CHECK_WITHIN(std::fabs(probe.short_of(k) - 0.75 * (side < 0 ? low : side > 0 ? high : 0.0)), 1e-15);
        }
        probe.unpin();
        for (int t = 0; t < 3; ++t) CHECK(!probe.is_pinned(t));
    }
}

TEST("programs have the bounds of changes, of which none is beyond what there is, and of equations that nothing changes") {
    Tasks tasks(3);
    PoseRegion& region = tasks.tasks[kPoseTask].region;
    region.low[1] = region.high[1] = 0.3;
    Probe probe(tasks, 16.0);
    const Bounds here = probe.bounds();
    CHECK(here.low[1] == here.high[1] && here.low[1] != 0.0);
    probe.error();
    probe.fill_program();
    CHECK(probe.program().m == kProgramRows);
    for (int r = 0; r < kProgramRows; ++r) {
        CHECK(probe.program().row_lower[r] == (r == 1 ? 0.0 : std::min(here.low[r], 0.0)));
        CHECK(probe.program().row_upper[r] == (r == 1 ? 0.0 : std::max(here.high[r], 0.0)));
        for (int j = 0; j < tasks.dofs(); ++j) CHECK(probe.program().A[r * tasks.dofs() + j] == here.J[r * tasks.dofs() + j]);
    }
}

TEST("an objective is corrected by multipliers times the changes that leave no error") {
    for (int seed = 0; seed < 4; ++seed) {
        Tasks tasks(seed);
        tasks.tasks[kGazeTask].half_angle = seed % 2 ? 0.1 : 3.0;  // beyond the edge, and within
        Probe probe(tasks, 16.0);
        const Bounds here = probe.bounds();
        probe.error();
        probe.fill_program();
        const std::vector<int> sides = sides_of(seed);
        probe.pin(sides, std::vector<double>(kRows, 0.0));
        probe.error();
        double expected = 3.0;
        for (int r = 0; r < kProgramRows; ++r) {
            const int side = sides[row_of(r)];
            *probe.force(r) = side == 0 ? 0.0 : 0.3 * (r + 1);
            if (side != 0) expected += *probe.force(r) * (side < 0 ? here.low : here.high)[r];
        }
        CHECK_WITHIN(std::fabs(probe.corrected(3.0) - expected), 1e-12);
    }
}

TEST("a gaze without a cone has two equations, the first of its angle") {
    Tasks tasks(5);
    Probe with_cone(tasks, 16.0);
    const Bounds cone = with_cone.bounds();
    tasks.tasks[kGazeTask].half_angle = 0.0;
    Probe probe(tasks, 16.0);
    const Bounds here = probe.bounds();
    probe.error();
    probe.fill_program();
    CHECK(probe.program().m == kProgramRows + 1);
    const double angle = 0.8 - cone.high[kGazeRow] / tasks.tasks[kGazeTask].region.weight[0];
    CHECK_WITHIN(std::fabs(here.low[kGazeRow] + angle * tasks.tasks[kGazeTask].region.weight[0]), 1e-12);
    for (int r = kGazeRow; r < kGazeRow + 2; ++r) CHECK(probe.program().row_lower[r] == 0.0 && probe.program().row_upper[r] == 0.0);
    double along = 0.0, size = 0.0;
    for (int j = 0; j < tasks.dofs(); ++j) {
        const double first = here.J[kGazeRow * tasks.dofs() + j];
        CHECK_WITHIN(std::fabs(first - cone.J[kGazeRow * tasks.dofs() + j]), 1e-12);
        along += std::fabs(here.J[(kGazeRow + 1) * tasks.dofs() + j]);
        size += std::fabs(first);
    }
    CHECK(along > 1e-3 && size > 1e-3);
    for (int r = 0; r < kProgramRows + 1; ++r) *probe.force(r) = r == kGazeRow ? 0.7 : 0.0;
    CHECK_WITHIN(std::fabs(probe.corrected(3.0) - (3.0 + 0.7 * here.low[kGazeRow])), 1e-12);
}
