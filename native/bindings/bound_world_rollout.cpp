#include "bound_world.hpp"

#include "kept_array.hpp"
#include "long_call.hpp"
#include "result_arrays.hpp"
#include "rollout.hpp"

// Copies of a world under commands.

namespace kido {

nb::tuple BoundWorld::roll_out_commands(nb::object commands, nb::object start, int threads, int hold, int every, bool accelerations,
                                        std::vector<int> group_of_collider, int groups) {
    use_.require_free();
    require_ready();
    auto* array = reinterpret_cast<PyArrayObject*>(commands.ptr());
    Rollout r = {};
    r.settings = settings_;
    for (const SimulatedSkeleton& skeleton : skeletons_) r.dofs += skeleton.state().num_dofs();
    if (!PyArray_Check(commands.ptr()) || PyArray_TYPE(array) != NPY_DOUBLE || !PyArray_ISCARRAY_RO(array) ||
        PyArray_NDIM(array) != 3 || static_cast<std::size_t>(PyArray_DIM(array, 2)) != r.dofs) {
        throw nb::value_error("commands: expected a C-contiguous array of shape (samples, steps, dofs)");
    }
    if (hold < 1 || every < 1) throw nb::value_error("hold, every: expected 1 or above");
    r.samples = PyArray_DIM(array, 0);
    r.commands_each = PyArray_DIM(array, 1);
    r.hold = hold;
    r.every = every;
    r.commands = static_cast<const double*>(PyArray_DATA(array));
    if (groups < 0 || group_of_collider.size() != colliders_) {
        throw nb::value_error("group_of_collider: expected one for each collider");
    }
    for (const int group : group_of_collider) {
        if (group < -1 || group >= groups) throw nb::index_error("group_of_collider: there is no such group");
    }
    r.group_of_collider = std::move(group_of_collider);
    r.groups = groups;
    if (!start.is_none()) {
        const auto* x = static_cast<const double*>(
            kept_array("start", start, NPY_DOUBLE, 2, static_cast<npy_intp>(r.samples * r.dofs)));
        r.start_positions = x;
        r.start_velocities = x + r.samples * r.dofs;
    }
    std::vector<HeldLoads> loads;
    settle();
    for (std::size_t i = 0; i < skeletons_.size(); ++i) {
        skeletons_[i].bring_motion(*world_);
        loads.push_back(loads_[i].copy());
        r.loads.push_back({loads[i].loads(), loads[i].limited()});
    }
    const std::unique_ptr<const NativeWorld> world = world_->clone();
    const std::vector<SimulatedSkeleton> skeletons = skeletons_;
    r.world = world.get();
    r.skeletons = &skeletons;
    const auto samples = static_cast<npy_intp>(r.samples), kept = static_cast<npy_intp>(r.kept());
    const npy_intp numbers[] = {samples, kept, static_cast<npy_intp>(r.dofs)}, touched[] = {samples, kept, groups, 6};
    nb::object positions = array_of(3, numbers, NPY_DOUBLE), velocities = array_of(3, numbers, NPY_DOUBLE);
    nb::object rates = accelerations ? array_of(3, numbers, NPY_DOUBLE) : nb::none();
    nb::object wrenches = array_of(4, touched, NPY_DOUBLE), counts = array_of(3, touched, NPY_INT64);
    nb::object done = array_of(1, numbers, NPY_INT64);
    r.positions = numbers_of(positions);
    r.velocities = numbers_of(velocities);
    r.accelerations = accelerations ? numbers_of(rates) : nullptr;
    r.wrenches = numbers_of(wrenches);
    r.counts = integers_of(counts);
    r.done = integers_of(done);
    without_lock([&](StopSignal* stop) { roll_out(r, threads, stop); });
    check_surfaces();
    return nb::make_tuple(positions, velocities, rates, wrenches, counts, done);
}

}  // namespace kido
