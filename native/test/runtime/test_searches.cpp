#include <vector>

#include "check.hpp"
#include "hierarchy_search.hpp"
#include "kido/spatial/so3.hpp"
#include "pose_search.hpp"
#include "random_tree.hpp"

using namespace kido;

namespace {

constexpr int kJoints = 7;

// An arm of seven joints that turn, and the poses of its last link.
struct Arm {
    RandomNumbers random{7};
    std::unique_ptr<ModelStorage> storage;
    std::vector<int> path;
    std::vector<unsigned char> moves = std::vector<unsigned char>(kJoints, 1);
    std::vector<double> lower = std::vector<double>(kJoints, -3.0), upper = std::vector<double>(kJoints, 3.0);

    Arm() {
        std::vector<Link> links;
        for (int i = 0; i < kJoints; ++i) {
            Link link{};
            link.parent = i - 1;
            link.kind = JointKind::revolute;
            const Mat3<double> R = random.rotation();
            write3(link.R, R.x);
            write3(link.R + 3, R.y);
            write3(link.R + 6, R.z);
            write3(link.p, random.vector() * 0.3);
            link.mass = 1.0;
            links.push_back(link);
            path.push_back(i);
        }
        const double gravity[3] = {};
        storage = std::make_unique<ModelStorage>(links, std::vector<Weight>(kJoints),
                                                 std::vector<Body>{{kJoints - 1, Offset::none, {}, {}}}, gravity);
    }

    // By products of elementary rotations: rotation by columns, position.
    std::vector<double> pose_at(const double* q) const {
        Mat3<double> R = identity3<double>();
        Vec3<double> p = zero3<double>();
        for (int i = 0; i < kJoints; ++i) {
            const Link& link = storage->model().links[i];
            p = p + R * vec3(link.p);
            R = R * mat3(link.R) * so3_exp(Vec3<double>{0.0, 0.0, q[i]});
        }
        std::vector<double> out(12);
        write3(out.data(), R.x);
        write3(out.data() + 3, R.y);
        write3(out.data() + 6, R.z);
        write3(out.data() + 9, p);
        return out;
    }
    std::vector<double> reachable() {
        const std::vector<double> q = random.numbers(kJoints);
        return pose_at(q.data());
    }
};

SearchSettings settings() {
    SearchSettings s{};
    s.angular_tolerance = s.linear_tolerance = 1e-6;
    s.largest_step = 1.0;
    s.damping = 0.1;
    s.least_damping = 1e-9;
    s.iterations = 100;
    s.mirrors = 4;
    s.starts = 100;
    return s;
}

PoseRegion at_target() {
    PoseRegion region{};
    for (double& w : region.weight) w = 1.0;
    return region;
}

double distance(const std::vector<double>& a, const double* b) {
    double most = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::fabs(a[i] - b[i]));
    return most;
}

// Two tasks in levels for one arm: the position of its last link, then its whole pose.
struct TwoLevels {
    Arm arm;
    std::vector<double> start = std::vector<double>(kJoints, 0.1), pose;
    HierarchyTask tasks[2];
    HierarchyProblem p{};
    double q[kJoints], first[kJoints], angular[2], linear[2], left[2];
    unsigned char reached[2], reached_first[2];
    HierarchyResult result{{q, angular, linear, reached, 0, 0, 0.0}, false, {first, left, left, reached_first, 0, 0, 0.0}};

    TwoLevels() : pose(arm.reachable()) {
        HierarchyTask task{};
        task.link = kJoints - 1;
        task.R[0] = task.R[4] = task.R[8] = 1.0;
        std::copy(pose.begin(), pose.end(), task.target);
        task.moves = arm.moves.data();
        task.region = at_target();
        task.rows = 6;
        tasks[0] = tasks[1] = task;
        std::fill_n(tasks[0].region.weight, 3, 0.0);
        tasks[1].level = 1;
        tasks[1].row = 6;
        static_cast<SearchSettings&>(p) = settings();
        p.model = &arm.storage->model();
        p.tasks = tasks;
        p.num_tasks = p.num_told = p.num_levels = 2;
        p.num_rows = 12;
        p.native_motion = true;
        p.moves = p.cyclic = arm.moves.data();
        p.lower = p.low_seed = arm.lower.data();
        p.upper = p.high_seed = arm.upper.data();
        p.start = start.data();
    }
};

// Parts that fail at their fifth answer to one of the questions, and count what they are asked afterwards.
struct FailingParts : TaskParts {
    enum Question { placed, erred, derived, stepped };
    explicit FailingParts(Question fails) : fails_(fails) {}

    int asked_after = 0;
    bool has_failed = false;

    bool place(const double*) override { return answer(placed); }
    bool error(int, double* error, double* angular, double* linear) override {
        std::fill_n(error, 6, 0.5);
        *angular = *linear = 0.5;
        return answer(erred);
    }
    bool jacobian(int, double* rows) override {
        for (int i = 0; i < 6 * kJoints; ++i) rows[i] = i % 5 - 2.0;
        return answer(derived);
    }
    bool bounds(int, double*, double*, double*) override { return false; }
    bool step(int, const double*, const double*, double* velocities) override {
        std::fill_n(velocities, kJoints, 0.01);
        return answer(stepped);
    }
    bool objective(double*, double*) override { return false; }
    bool is_length(int, unsigned char* rows) override {
        std::fill_n(rows, 6, 0);
        return true;
    }

private:
    bool answer(Question question) {
        if (has_failed) ++asked_after;
        if (question == fails_ && ++count_ == 5) has_failed = true;
        return !has_failed;
    }

    Question fails_;
    int count_ = 0;
};

}  // namespace

TEST("a search finds positions for every target that was reached by some") {
    constexpr int count = 100;
    Arm arm;
    std::vector<double> targets, start(kJoints, 0.1);
    for (int i = 0; i < count; ++i) {
        const std::vector<double> pose = arm.reachable();
        targets.insert(targets.end(), pose.begin(), pose.end());
    }
    PoseProblem p{};
    static_cast<SearchSettings&>(p) = settings();
    p.model = &arm.storage->model();
    p.link = kJoints - 1;
    p.R[0] = p.R[4] = p.R[8] = 1.0;
    p.path = arm.path.data();
    p.path_links = p.dofs = kJoints;
    p.moves = p.cyclic = arm.moves.data();
    p.lower = p.low_seed = arm.lower.data();
    p.upper = p.high_seed = arm.upper.data();
    p.targets = count;
    p.target = targets.data();
    p.start = start.data();
    p.region = at_target();
    for (const int threads : {1, 3}) {
        std::vector<double> q(count * kJoints), angular(count), linear(count), squared(count);
        std::vector<unsigned char> reached(count), timed_out(count, 1);
        std::vector<int> starts(count), iterations(count);
        std::vector<double> first(count * kJoints), errors(count);
        set_num_threads(threads);
        search_poses(p, {{q.data(), angular.data(), linear.data(), squared.data(), iterations.data()},
                         reached.data(), timed_out.data(), starts.data(),
                         {first.data(), errors.data(), errors.data(), errors.data(), iterations.data()}});
        for (int i = 0; i < count; ++i) {
            CHECK(reached[i] == 1 && timed_out[i] == 0);
            CHECK_WITHIN(distance(arm.pose_at(q.data() + i * kJoints), targets.data() + 12 * i), 3e-6);
        }
    }
    set_num_threads(0);
}

TEST("a search in levels reaches two targets that one arm can reach together") {
    TwoLevels two;
    search_hierarchy(two.p, two.result);
    CHECK(two.reached[0] == 1 && two.reached[1] == 1);
    CHECK_WITHIN(distance(two.pose, two.arm.pose_at(two.q).data()), 3e-6);
}

TEST("a search in levels asks nothing more of parts that have failed") {
    for (const auto fails : {FailingParts::placed, FailingParts::erred, FailingParts::derived, FailingParts::stepped}) {
        TwoLevels two;
        FailingParts parts(fails);
        two.tasks[0].kind = TaskKind::custom;
        two.tasks[0].own_step = true;
        two.p.parts = &parts;
        search_hierarchy(two.p, two.result);
        CHECK(parts.has_failed);
        CHECK(parts.asked_after == 0);
    }
}
