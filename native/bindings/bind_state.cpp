#include <nanobind/stl/string.h>

#include <cmath>
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

BoundState::BoundState(const BoundTree& tree, nb::handle rows, nb::handle user_links) {
    std::vector<std::pair<int, int>> users;
    int dofs = tree.model().num_dofs;
    for (nb::handle pair : user_links) {
        users.emplace_back(nb::cast<int>(pair[0]), nb::cast<int>(pair[1]));
        dofs += users.back().second - tree.model().links[users.back().first].dof_count;
    }
    std::shared_ptr<double> numbers = shared_rows(rows, kQuantities);
    if (PyArray_DIM(reinterpret_cast<PyArrayObject*>(rows.ptr()), 1) != dofs) {
        throw nb::value_error("rows: expected one column for each dof");
    }
    state_ = std::make_shared<State>(tree.storage(), std::move(numbers), dofs, users);
}

// A part may be one of a skeleton that has changed since.
void BoundState::check_part(int first, int count) const {
    if (first < 0 || count < 0 || first > state_->num_dofs() - count) {
        throw nb::index_error("part: expected dofs of this state; its skeleton has changed meanwhile");
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

void bind_state(nb::module_& m) {
    nb::class_<BoundState> state(m, "State");
    state.doc() = "Numbers of one tree, with kinematics that are computed where they are asked for.";
    state.def(nb::init<const BoundTree&, nb::handle, nb::handle>(), "tree"_a, "rows"_a, "user_links"_a,

              nb::sig("def __init__(self, tree: Tree, rows: " FLOATS
                      ", user_links: list[tuple[int, int]]) -> None"),
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
    state.def_prop_ro("waits_for_users", [](const BoundState& s) { return s.state().waits_for_users(); },
                      "Whether `place_user_joint` is to be called for each user joint before kinematics can be.");
    state.def(
        "place_user_joint",
        [](BoundState& s, std::size_t index, nb::handle transform, nb::handle subspace, nb::handle rate) {
            if (index >= s.state().user_joints().size()) throw nb::index_error("user joint");
            const int dofs = s.state().user_joints()[index].dof_count;
            double T[16], S[36], dS[36];
            read_numbers("transform", transform, 4, 4, "m", T);
            read_numbers("jacobian", subspace, 6, dofs, "rad/s, m/s per unit velocity", S);
            read_numbers("jacobian_time_derivative", rate, 6, dofs, "rad/s^2, m/s^2 per unit velocity", dS);
            const double R[9] = {T[0], T[4], T[8], T[1], T[5], T[9], T[2], T[6], T[10]};
            const double p[3] = {T[3], T[7], T[11]};
            s.state().place_user_joint(index, R, p, S, dS);
            if (index + 1 == s.state().user_joints().size()) s.state().users_placed();
        },
        "index"_a, "transform"_a.none(), "subspace"_a.none(), "rate"_a.none(),
        nb::sig("def place_user_joint(self, index: int, transform: " ARRAY ", subspace: " ARRAY ", rate: " ARRAY
                ") -> None"),
        "Motion of a user joint: pose (4, 4), motion subspace (6, k) and its rate; all are placed in their order.");
}

}  // namespace kido
