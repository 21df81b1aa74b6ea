#include "bound_tree.hpp"
#include "call.hpp"
#include "topics.hpp"

namespace kido {

using namespace nb::literals;

void bind_tree(nb::module_& m) {
    nb::class_<BoundTree> tree(m, "Tree", nb::is_weak_referenceable(), nb::dynamic_attr());
    tree.def(nb::init<nb::handle, nb::handle, nb::handle, nb::handle, nb::handle, nb::handle, nb::handle, nb::dict,
                      nb::dict>());
    tree.def(
        "inverse_dynamics",
        [](const BoundTree& t, nb::handle q, nb::handle v, nb::handle a, nb::handle wrenches, nb::handle out) {
            const int n = t.model().num_dofs;
            Call call(t);
            call.input("q", q, {n}, "rad, m");
            call.input("v", v, {n}, "rad/s, m/s");
            call.input("a", a, {n}, "rad/s^2, m/s^2");
            call.optional("wrenches", wrenches, {t.model().num_bodies, 6}, "N m, N");
            call.output({n});
            return call.run(Algorithm::inverse_dynamics, out);
        },
        "q"_a, "v"_a, "a"_a, "wrenches"_a = nb::none(), nb::kw_only(), "out"_a = nb::none());
    tree.def(
        "forward_dynamics",
        [](const BoundTree& t, nb::handle q, nb::handle v, nb::handle tau, nb::handle wrenches, nb::handle out) {
            const int n = t.model().num_dofs;
            Call call(t);
            call.input("q", q, {n}, "rad, m");
            call.input("v", v, {n}, "rad/s, m/s");
            call.input("tau", tau, {n}, "N m, N");
            call.optional("wrenches", wrenches, {t.model().num_bodies, 6}, "N m, N");
            call.output({n});
            return call.run(Algorithm::forward_dynamics, out);
        },
        "q"_a, "v"_a, "tau"_a, "wrenches"_a = nb::none(), nb::kw_only(), "out"_a = nb::none());
}

}  // namespace kido
