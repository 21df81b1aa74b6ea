#include "rollout.hpp"

#include <algorithm>
#include <limits>

#include "thread_pool.hpp"

namespace kido {

namespace {

void write_start(const Rollout& r, NativeWorld& world, std::size_t sample) {
    if (!r.start_positions) return;
    std::size_t at = sample * r.dofs;
    for (const SimulatedSkeleton& skeleton : *r.skeletons) {
        skeleton.write_motion(world, r.start_positions + at, r.start_velocities + at);
        at += skeleton.state().num_dofs();
    }
}

bool make_step(const Rollout& r, NativeWorld& world, std::size_t at) {
    for (std::size_t i = 0, dof = at; i < r.skeletons->size(); ++i) {
        const SimulatedSkeleton& skeleton = (*r.skeletons)[i];
        skeleton.write_loads(world, r.loads[i].loads, r.loads[i].limited, r.commands + dof);
        dof += skeleton.state().num_dofs();
    }
    if (world.step(r.settings, 1, nullptr) != 1) return false;
    for (const SimulatedSkeleton& skeleton : *r.skeletons) {
        skeleton.read_motion(world, r.positions + at, r.velocities + at);
        at += skeleton.state().num_dofs();
    }
    return true;
}

void roll_out_one(const Rollout& r, std::size_t sample, StopSignal* stop) {
    const std::unique_ptr<NativeWorld> world = r.world->clone();
    write_start(r, *world, sample);
    std::size_t step = 0;
    while (step < r.steps && !(stop && stop->poll()) && make_step(r, *world, (sample * r.steps + step) * r.dofs)) ++step;
    r.done[sample] = static_cast<std::int64_t>(step);
    const std::size_t at = (sample * r.steps + step) * r.dofs, left = (r.steps - step) * r.dofs;
    std::fill_n(r.positions + at, left, std::numeric_limits<double>::quiet_NaN());
    std::fill_n(r.velocities + at, left, std::numeric_limits<double>::quiet_NaN());
}

}  // namespace

void roll_out(const Rollout& rollout, int threads, StopSignal* stop) {
    const std::size_t shares = std::min<std::size_t>(std::max(threads, 1), rollout.samples);
    const auto job = [&](int share) {
        for (std::size_t i = share; i < rollout.samples; i += shares) {
            if (stop && stop->is_set()) return;
            roll_out_one(rollout, i, stop);
        }
    };
    if (shares > 0) run_in_parallel(static_cast<int>(shares), job, stop);
}

}  // namespace kido
