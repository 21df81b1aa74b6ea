#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include "number_table.hpp"
#include "topics.hpp"
#include "world_sampler.hpp"

namespace kido {

using namespace nb::literals;

namespace {

int traverse_sampler(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    if (!nb::inst_ready(self)) return 0;
    const auto* sampler = nb::inst_ptr<WorldSampler>(self);
    Py_VISIT(sampler->asked.ptr());
    Py_VISIT(sampler->full.ptr());
    return 0;
}
int clear_sampler(PyObject* self) {
    auto* sampler = nb::inst_ptr<WorldSampler>(self);
    sampler->asked = nb::none();
    sampler->full = nb::none();
    return 0;
}
PyType_Slot sampler_slots[] = {
    {Py_tp_traverse, reinterpret_cast<void*>(traverse_sampler)}, {Py_tp_clear, reinterpret_cast<void*>(clear_sampler)}, {0, nullptr}};

void make_sampler(WorldSampler* self, BoundWorld& world, const std::vector<BoundState*>& states,
                  const std::vector<std::shared_ptr<SoftState>>& softs, long every, long keyframe_every, bool accelerations,
                  bool forces, bool contacts, bool constraints, int body_constraints, int row_constraints, bool fresh,
                  nb::object asked, nb::object full) {
    std::vector<std::shared_ptr<State>> shared;
    for (const BoundState* state : states) shared.push_back(state->shared());
    const SampledParts parts = {accelerations, forces, contacts, constraints};
    new (self) WorldSampler(world, std::move(shared), {softs.begin(), softs.end()}, every, keyframe_every, parts, body_constraints,
                            row_constraints, fresh);
    self->asked = std::move(asked);
    self->full = std::move(full);
}

void note(WorldSampler& sampler, int kind, int skeleton, nb::object numbers) {
    const nb::object row = doubles(numbers);
    auto* array = reinterpret_cast<PyArrayObject*>(row.ptr());
    sampler.note(kind, skeleton, static_cast<const double*>(PyArray_DATA(array)), static_cast<std::size_t>(PyArray_SIZE(array)));
}

}  // namespace

void bind_world_sampler(nb::module_& m) {
    nb::class_<WorldSampler>(m, "WorldSampler", nb::type_slots(sampler_slots),
                             "Copies of the numbers of a world after every so many steps, and what was set between steps.")
        .def("__init__", &make_sampler, "world"_a, "states"_a, "softs"_a, "every"_a, "keyframe_every"_a, "accelerations"_a, "forces"_a,
             "contacts"_a, "constraints"_a, "body_constraints"_a, "row_constraints"_a, "fresh"_a, "asked"_a.none(), "full"_a.none(),
             nb::keep_alive<1, 2>(),
             nb::sig("def __init__(self, world: World, states: list[State], softs: list[SoftState], every: int, keyframe_every: int, accelerations: bool, "
                     "forces: bool, contacts: bool, constraints: bool, body_constraints: int, row_constraints: int, fresh: bool, "
                     "asked: collections.abc.Callable[[], None] | None, full: collections.abc.Callable[[], None] | None) -> None"),
             "states: of all skeletons; softs: of all soft bodies; asked: called before each sample; full: called after samples, now and then.")
        .def("set_clock", &WorldSampler::set_clock, "time"_a, "time_step"_a, "steps"_a, "at"_a,
             nb::sig("def set_clock(self, time: float, time_step: float, steps: int, at: int) -> None"),
             "Time [s] and number of steps of the world when the native one had made `at` steps.")
        .def("set_patience", [](WorldSampler& s, std::size_t bytes, double seconds) { s.most_bytes = bytes, s.longest = seconds; },
             "bytes"_a, "seconds"_a, nb::sig("def set_patience(self, bytes: int, seconds: float) -> None"),
             "After how many bytes, or which time [s], `full` is called.")
        .def("ask_always", [](WorldSampler& s, bool always) { s.asks_always = always; }, "always"_a,
             nb::sig("def ask_always(self, always: bool) -> None"),
             "Whether `asked` is called before each sample, or before the first one of some steps alone.")
        .def("begin", &WorldSampler::begin, "every"_a, "keyframe_every"_a,
             nb::sig("def begin(self, every: int, keyframe_every: int) -> None"), "Begin anew with the next step.")
        .def("note", &note, "kind"_a, "skeleton"_a, "numbers"_a,
             nb::sig("def note(self, kind: int, skeleton: int, numbers: numpy.typing.NDArray[numpy.float64]) -> None"),
             "Something that was set since the last step.")
        .def("finish", &WorldSampler::finish, "asks"_a, nb::sig("def finish(self, asks: bool) -> None"),
             "Take the last sample, unless there was one after the last step, or something was moved since.")
        .def("want_keyframe", &WorldSampler::want_keyframe, nb::sig("def want_keyframe(self) -> None"), "The next sample is a keyframe.")
        .def_prop_ro("world", [](WorldSampler& s) -> BoundWorld& { return s.world(); }, nb::rv_policy::reference,
                     nb::sig("def world(self) -> World"), "Whose numbers these are.")
        .def("close", &WorldSampler::close, nb::sig("def close(self) -> None"), "Take no more samples.")
        .def("take", &WorldSampler::take, nb::sig("def take(self) -> dict[str, typing.Any]"), "All numbers by name, without those that are zero throughout; forgotten here.")
        .def_prop_ro("bytes", &WorldSampler::bytes, nb::sig("def bytes(self) -> int"), "Memory of what was not taken yet.")
        .def_prop_ro("begins", &WorldSampler::begins, nb::sig("def begins(self) -> bool"), "Whether the first sample is still to be taken.")
        .def_prop_ro("samples", &WorldSampler::samples, nb::sig("def samples(self) -> int"), "How many were not taken yet.");
    nb::class_<SampledWorld>(m, "SampledWorld", "Steps of a world that samplers look at.")
        .def("__init__",
             [](SampledWorld* self, BoundWorld& world, std::vector<WorldSampler*> samplers) {
                 new (self) SampledWorld(world, std::move(samplers));
             },
             "world"_a, "samplers"_a, nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(),
             nb::sig("def __init__(self, world: World, samplers: list[WorldSampler]) -> None"))
        .def("step", &SampledWorld::step, nb::sig("def step(self, count: int, /) -> bool"), "Steps; false where numbers were not finite.")
        .def("before", &SampledWorld::before, nb::sig("def before(self) -> None"), "Before a step that is made elsewhere.")
        .def("after", &SampledWorld::after, nb::sig("def after(self) -> None"), "After it.");
}

}  // namespace kido
