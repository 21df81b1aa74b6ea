#include <algorithm>
#include <cmath>
#include <cstring>
#include <thread>
#include <vector>

#include "check.hpp"
#include "kido/batch/stop_signal.hpp"
#include "ragdoll.hpp"
#include "rollout.hpp"
#include "world_scene.hpp"

using namespace kido;

namespace {

// Two ragdolls that fall onto the ground and each other, under commands.
class FallingDolls : public WorldScene {
public:
    static constexpr std::size_t kSamples = 12, kCommands = 60, kHold = 3, kEvery = 2;

    FallingDolls() {
        ground();
        make_constants();
        for (int k = 0; k < 2; ++k) add();
        for (std::size_t i = 0; i < kSamples * kCommands * dofs_; ++i) commands_.push_back(std::sin(static_cast<double>(i * i % 1009)));
    }

    struct Result {
        std::vector<double> positions, velocities, accelerations, wrenches;
        std::vector<std::int64_t> done, counts;
    };

    Result roll_out(int threads, StopSignal* stop = nullptr) {
        Rollout r = {};
        r.world = world.get();
        r.skeletons = &skeletons_;
        for (int k = 0; k < 2; ++k) {
            r.loads.push_back({{constants_.data(), actuators_.data(), nullptr, settings.step}, limited_.data()});
        }
        r.settings = settings;
        r.samples = kSamples;
        r.commands_each = kCommands;
        r.dofs = dofs_;
        r.hold = kHold;
        r.every = kEvery;
        r.commands = commands_.data();
        r.group_of_collider = group_of_collider_;
        r.groups = 2;
        const std::size_t rows = kSamples * r.kept();
        Result out = {std::vector<double>(rows * dofs_), std::vector<double>(rows * dofs_), std::vector<double>(rows * dofs_),
                      std::vector<double>(rows * 12), std::vector<std::int64_t>(kSamples), std::vector<std::int64_t>(rows * 2)};
        r.positions = out.positions.data();
        r.velocities = out.velocities.data();
        r.accelerations = out.accelerations.data();
        r.wrenches = out.wrenches.data();
        r.done = out.done.data();
        r.counts = out.counts.data();
        kido::roll_out(r, threads, stop);
        return out;
    }

private:
    void add() {
        const std::size_t n = Ragdoll::kDofs;
        const std::shared_ptr<double> rows(new double[5 * n](), [](double* p) { delete[] p; });
        const auto state = std::make_shared<State>(doll_.storage, rows);
        const double height = 1.2 + 1.2 * static_cast<double>(skeletons_.size());
        state->set(Quantity::position, 5, 1, &height);
        skeletons_.emplace_back(doll_.storage, state, false, false, *world);
        world->keep(doll_.storage);
        const int group = static_cast<int>(skeletons_.size());
        if (group == 1) group_of_collider_.push_back(-1);  // the ground
        for (int i = 0; i < Ragdoll::kLinks; ++i) {
            double center[12], pose[12];
            Ragdoll::center(doll_.model().links[i], center);
            const int row = skeletons_.back().place(i, center, pose);
            shape(row, ShapeKind::sphere, 0.1, 0.0, 0.0, group, pose);
            group_of_collider_.push_back(group - 1);
        }
        skeletons_.back().bring_motion(*world);
        dofs_ += n;
    }
    // No limits but those of the slide and the screw, and some damping.
    void make_constants() {
        constants_.assign(static_cast<std::size_t>(DofConstant::count) * Ragdoll::kDofs, 0.0);
        const auto row = [this](DofConstant which) { return constants_.data() + static_cast<int>(which) * Ragdoll::kDofs; };
        for (const DofConstant lower : {DofConstant::position_lower, DofConstant::velocity_lower, DofConstant::acceleration_lower,
                                        DofConstant::force_lower}) {
            std::fill_n(row(lower), Ragdoll::kDofs, -HUGE_VAL);
            std::fill_n(row(lower) + Ragdoll::kDofs, Ragdoll::kDofs, HUGE_VAL);
        }
        for (const int dof : {Ragdoll::kSlide, Ragdoll::kScrew}) {
            row(DofConstant::position_lower)[dof] = -0.1;
            row(DofConstant::position_upper)[dof] = 0.1;
        }
        std::fill_n(row(DofConstant::damping), Ragdoll::kDofs, 0.1);
    }

    Ragdoll doll_;
    std::vector<SimulatedSkeleton> skeletons_;
    std::vector<double> constants_;
    std::vector<unsigned char> actuators_ = std::vector<unsigned char>(Ragdoll::kDofs, static_cast<unsigned char>(Actuator::force));
    std::vector<unsigned char> limited_ = std::vector<unsigned char>(Ragdoll::kDofs, 1);
    std::vector<double> commands_;
    std::vector<int> group_of_collider_;
    std::size_t dofs_ = 0;
};

template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

class Stopped : public StopSignal {
    bool ask() override { return true; }
};

}  // namespace

TEST("rollouts are the same bits on any number of threads") {
    FallingDolls scene;
    CHECK(scene.step(300));
    const FallingDolls::Result one = scene.roll_out(1);
    bool touched = false;
    for (const std::int64_t count : one.counts) touched = touched || count > 0;
    CHECK(touched);
    for (const std::int64_t steps : one.done) CHECK(steps == FallingDolls::kCommands * FallingDolls::kHold);
    for (const double x : one.positions) CHECK(std::isfinite(x));
    for (const int threads : {2, 4, 7}) {
        const FallingDolls::Result many = scene.roll_out(threads);
        CHECK(same(one.positions, many.positions) && same(one.velocities, many.velocities));
        CHECK(same(one.accelerations, many.accelerations) && same(one.wrenches, many.wrenches));
        CHECK(same(one.done, many.done) && same(one.counts, many.counts));
    }
}

TEST("rollouts that are stopped end at once") {
    FallingDolls scene;
    Stopped stop;
    while (!stop.poll()) std::this_thread::sleep_for(StopSignal::kInterval / 5);
    const FallingDolls::Result none = scene.roll_out(4, &stop);
    for (const std::int64_t done : none.done) CHECK(done == 0);
}
