#include "rollout.hpp"

#include <algorithm>
#include <limits>

#include "kido/tree/joint.hpp"
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

// The commands of a step, and in the first one wrenches from outside.
void write_loads(const Rollout& r, NativeWorld& world, std::size_t sample, std::size_t step) {
    const double* commands = r.commands + (sample * r.commands_each + step / r.hold) * r.dofs;
    for (std::size_t i = 0; i < r.skeletons->size(); ++i) {
        const SimulatedSkeleton& skeleton = (*r.skeletons)[i];
        Loads loads = r.loads[i].loads;
        if (step > 0) loads.wrenches = nullptr;
        skeleton.write_loads(world, loads, r.loads[i].limited, commands);
        commands += skeleton.state().num_dofs();
    }
}

bool has_wrenches(const Rollout& r) {
    return std::any_of(r.loads.begin(), r.loads.end(), [](const SkeletonLoads& of) { return of.loads.wrenches != nullptr; });
}

void keep_motion(const Rollout& r, NativeWorld& world, std::size_t row) {
    std::size_t at = row * r.dofs;
    for (const SimulatedSkeleton& skeleton : *r.skeletons) {
        skeleton.read_motion(world, r.positions + at, r.velocities + at, r.accelerations ? r.accelerations + at : nullptr);
        at += skeleton.state().num_dofs();
    }
}

void keep_contacts(const Rollout& r, NativeWorld& world, std::size_t row) {
    if (r.groups == 0) return;
    double* wrenches = r.wrenches + 6 * row * r.groups;
    std::int64_t* counts = r.counts + row * r.groups;
    std::fill_n(wrenches, 6 * r.groups, 0.0);
    std::fill_n(counts, r.groups, 0);
    for (const WorldContact& c : world.contacts(false)) {
        const Vec3<double> force = vec3(c.force), torque = cross(vec3(c.point), force);
        if (force.x == 0.0 && force.y == 0.0 && force.z == 0.0) continue;
        for (const int side : {0, 1}) {
            const int group = r.group_of_collider[side == 0 ? c.first : c.second];
            if (group < 0) continue;
            double* w = wrenches + 6 * group;
            const double sign = side == 0 ? 1.0 : -1.0;
            write3(w, vec3(w) + torque * sign);
            write3(w + 3, vec3(w + 3) + force * sign);
            ++counts[group];
        }
    }
}

// What follows the last good step of a sample.
void keep_nothing(const Rollout& r, std::size_t from, std::size_t to) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (double* numbers : {r.positions, r.velocities, r.accelerations}) {
        if (numbers) std::fill(numbers + from * r.dofs, numbers + to * r.dofs, nan);
    }
    std::fill(r.wrenches + 6 * from * r.groups, r.wrenches + 6 * to * r.groups, nan);
    std::fill(r.counts + from * r.groups, r.counts + to * r.groups, 0);
}

void roll_out_one(const Rollout& r, std::size_t sample, StopSignal* stop) {
    const std::unique_ptr<NativeWorld> world = r.world->clone();
    write_start(r, *world, sample);
    const bool pushed = has_wrenches(r);
    std::size_t step = 0;
    for (; step < r.steps() && !(stop && stop->poll()); ++step) {
        if (step % r.hold == 0 || (step == 1 && pushed)) write_loads(r, *world, sample, step);
        const bool keeps = (step + 1) % r.every == 0;
        if (world->step(r.settings, 1, nullptr, keeps && r.groups > 0) != 1) break;
        if (!keeps) continue;
        const std::size_t row = sample * r.kept() + step / r.every;
        keep_motion(r, *world, row);
        keep_contacts(r, *world, row);
    }
    r.done[sample] = static_cast<std::int64_t>(step);
    keep_nothing(r, sample * r.kept() + step / r.every, (sample + 1) * r.kept());
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
