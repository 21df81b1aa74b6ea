#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <stdexcept>
#include <string>

#include "bound_frame.hpp"
#include "bound_state.hpp"
#include "bound_tree.hpp"
#include "instruction_set.hpp"
#include "real_numbers.hpp"
#include "topics.hpp"

#define FLOATS "numpy.typing.NDArray[numpy.float64]"
#define ARRAY "numpy.typing.ArrayLike"

namespace kido {

using namespace nb::literals;

namespace {

constexpr int kQuantities = static_cast<int>(Quantity::count);
constexpr const char* kNames[kQuantities] = {"positions", "velocities", "accelerations", "forces", "commands"};
constexpr const char* kUnits[kQuantities] = {"rad, m", "rad/s, m/s", "rad/s^2, m/s^2", "N m, N", "by actuator"};

// The numbers of an array whose owner lives as long as they do.
std::shared_ptr<double> shared_rows(nb::handle rows, int quantities) {
    auto* array = reinterpret_cast<PyArrayObject*>(rows.ptr());
    if (!PyArray_Check(rows.ptr()) || PyArray_TYPE(array) != NPY_DOUBLE || !PyArray_ISCARRAY(array) ||
        PyArray_NDIM(array) != 2 || PyArray_DIM(array, 0) != quantities) {
        throw nb::value_error("rows: expected a writable, C-contiguous float64 array (5, num_dofs)");
    }
    PyObject* owner = rows.inc_ref().ptr();
    return {static_cast<double*>(PyArray_DATA(array)), [owner](double*) {
                nb::gil_scoped_acquire locked;
                Py_DECREF(owner);
            }};
}

nb::object copy_of(const double* numbers, npy_intp count) {
    PyObject* array = PyArray_SimpleNew(1, &count, NPY_DOUBLE);
    if (!array) throw nb::python_error();
    std::copy(numbers, numbers + count, static_cast<double*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(array))));
    return nb::steal(array);
}

}  // namespace

void raise_changed() {
    const nb::object error = nb::module_::import_("kido.errors").attr("EditError");
    PyErr_SetString(error.ptr(),
                    "the skeleton was changed while it was asked, by a function of a user joint or another thread: "
                    "keep other threads away while a skeleton is edited, or give each a clone");
    throw nb::python_error();
}

BoundState::BoundState(const BoundTree& tree, nb::handle rows) {
    std::shared_ptr<double> numbers = shared_rows(rows, kQuantities);
    if (PyArray_DIM(reinterpret_cast<PyArrayObject*>(rows.ptr()), 1) != tree.model().num_dofs) {
        throw nb::value_error("rows: expected one column for each dof");
    }
    state_ = std::make_shared<State>(tree.storage(), std::move(numbers));
}

// A part may be one of a skeleton that has changed since.
void BoundState::check_part(int first, int count) const {
    if (first < 0 || count < 0 || first > state_->num_dofs() - count) {
        raise_changed();
    }
}

nb::object BoundState::get(Quantity quantity, int first, int count) const {
    check_part(first, count);
    return copy_of(state_->row(quantity) + first, count);
}

void BoundState::set(Quantity quantity, int first, int count, const char* name, nb::handle values) {
    const auto expected = [&] {
        return std::string(name) + ": expected shape (" + std::to_string(count) + ",) [" +
               kUnits[static_cast<int>(quantity)] + "], got ";
    };
    if (values.is_none()) throw nb::type_error((expected() + "None").c_str());
    nb::object owner = real_numbers(values, [&] { return expected() + brief(values); });
    auto* a = reinterpret_cast<PyArrayObject*>(owner.ptr());
    if (PyArray_NDIM(a) != 1 || PyArray_DIM(a, 0) != count) throw nb::value_error((expected() + shape_text(a)).c_str());
    const double* data = static_cast<const double*>(PyArray_DATA(a));
    if (!active_kernels().arrays.finite(data, count)) {
        int i = 0;
        while (std::isfinite(data[i])) ++i;
        throw nb::value_error((std::string(name) + ": expected finite numbers [" + kUnits[static_cast<int>(quantity)] +
                               "], got " + brief(nb::float_(data[i])) + " at [" +
                               std::to_string(i) + "]")
                                  .c_str());
    }
    check_part(first, count);
    state_->set(quantity, first, count, data);
}

void BoundState::ask_users(const BoundTree& tree) {
    const auto stamp = [&] { return state_->version(Quantity::position) + state_->version(Quantity::velocity); };
    const auto before = stamp();
    const int dofs = state_->num_dofs();
    const nb::object motion =
        tree.user_motion()(get(Quantity::position, 0, dofs), get(Quantity::velocity, 0, dofs));
    if (stamp() != before) return;  // what was asked for is out of date, and the state goes on waiting
    state_->place_users(static_cast<const double*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(motion.ptr()))));
}

StateClass bind_state(nb::module_& m) {
    nb::class_<BoundState> state(m, "State");
    state.doc() = "Numbers of one tree, with kinematics that are computed where they are asked for.";
    state.def(nb::init<const BoundTree&, nb::handle>(), "tree"_a, "rows"_a,
              nb::sig("def __init__(self, tree: Tree, rows: " FLOATS ") -> None"),
              "Rows (5, num_dofs): positions, velocities, accelerations, forces, commands; they are written in place.");
    const auto def_quantity = [&](Quantity quantity, const char* signature, const char* setter) {
        const char* name = kNames[static_cast<int>(quantity)];
        state.def_prop_rw(
            name,
            [quantity](const BoundState& s) { return s.get(quantity, 0, s.state().num_dofs()); },
            [quantity, name](BoundState& s, nb::handle values) {
                s.set(quantity, 0, s.state().num_dofs(), name, values);
            },
            nb::for_getter(nb::sig(signature)), nb::for_setter(nb::sig(setter)), nb::arg().none(),
            "Of all dofs (num_dofs,); a copy.");
    };
#define KIDO_QUANTITY(quantity, name)                                 \
    def_quantity(Quantity::quantity, "def " name "(self) -> " FLOATS, \
                 "def " name "(self, values: " ARRAY ", /) -> None")
    KIDO_QUANTITY(position, "positions");
    KIDO_QUANTITY(velocity, "velocities");
    KIDO_QUANTITY(acceleration, "accelerations");
    KIDO_QUANTITY(force, "forces");
    KIDO_QUANTITY(command, "commands");
#undef KIDO_QUANTITY
    state.def(
        "part",
        [](const BoundState& s, int quantity, int first, int count) {
            return s.get(static_cast<Quantity>(quantity), first, count);
        },
        "quantity"_a, "first"_a, "count"_a,
        nb::sig("def part(self, quantity: int, first: int, count: int) -> " FLOATS),
        "Numbers of consecutive dofs (count,); a copy.");
    state.def(
        "frozen",
        [](const BoundState& s, int quantity, int first, int count) {
            nb::object numbers = s.get(static_cast<Quantity>(quantity), first, count < 0 ? s.state().num_dofs() - first : count);
            PyArray_CLEARFLAGS(reinterpret_cast<PyArrayObject*>(numbers.ptr()), NPY_ARRAY_WRITEABLE);
            return numbers;
        },
        "quantity"_a, "first"_a = 0, "count"_a = -1,
        nb::sig("def frozen(self, quantity: int, first: int = 0, count: int = -1) -> " FLOATS),
        "Read-only copy of the numbers of consecutive dofs (count,); -1: all from `first` on.");
    state.def(
        "set_part",
        [](BoundState& s, int quantity, int first, int count, const char* name, nb::handle values) {
            s.set(static_cast<Quantity>(quantity), first, count, name, values);
        },
        "quantity"_a, "first"_a, "count"_a, "name"_a, "values"_a.none(),
        nb::sig("def set_part(self, quantity: int, first: int, count: int, name: str, values: " ARRAY ") -> None"),
        "Writes numbers of consecutive dofs; `name` is what messages call them.");
    state.def(
        "version", [](const BoundState& s, int quantity) { return s.state().version(static_cast<Quantity>(quantity)); },
        "quantity"_a, nb::sig("def version(self, quantity: int) -> int"), "How often the numbers of a kind changed.");
    state.def(
        "stamp",
        [](const BoundState& s, int quantities) {
            unsigned long long sum = 0;
            for (int kind = 0; kind < kQuantities; ++kind) {
                if (quantities >> kind & 1) sum += s.state().version(static_cast<Quantity>(kind));
            }
            return sum;
        },
        "quantities"_a, nb::sig("def stamp(self, quantities: int) -> int"),
        "A number that grows whenever one of the quantities (bit 0: positions, ...) changes.");
    state.def(
        "counts",
        [](const BoundState& s) {
            const unsigned long long* c = s.state().counts();
            return nb::make_tuple(c[0], c[1], c[2]);
        },
        nb::sig("def counts(self) -> tuple[int, int, int]"),
        "Poses, velocities and accelerations of links that were computed so far.");
    state.def(
        "set_followers",
        [](BoundState& s, const std::vector<std::tuple<int, int, double, double>>& followers) {
            std::vector<Follower> led;
            for (const auto& [dof, leader, multiplier, offset] : followers) {
                const int dofs = s.state().num_dofs();
                if (dof < 0 || dof >= dofs || leader < 0 || leader >= dofs) throw nb::index_error("dof of a follower");
                led.push_back({dof, leader, multiplier, offset});
            }
            s.state().set_followers(std::move(led));
        },
        "followers"_a, nb::sig("def set_followers(self, followers: list[tuple[int, int, float, float]]) -> None"),
        "Dof, leader, multiplier and offset of each dof that follows another wherever positions or velocities are written.");
    state.def("settle", [](const BoundState& s) { s.state().settle(); }, nb::sig("def settle(self) -> None"),
              "Writes what a world has moved to the rows, where it has not been asked for yet.");
    state.def_prop_ro("waits_for_users", [](const BoundState& s) { return s.state().waits_for_users(); },
                      "Whether `ask_users` is to be called before kinematics can be.");
    state.def("ask_users", &BoundState::ask_users, "tree"_a, nb::sig("def ask_users(self, tree: Tree) -> None"),
              "Asks the tree's user joints how they move at the present positions and velocities. Where their functions "
              "change those, the state goes on waiting. Raises what the functions raise.");
    return state;
}

}  // namespace kido
