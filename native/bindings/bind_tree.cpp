#include "options.hpp"
#include "topics.hpp"

namespace kido {

namespace {

nb::object slice_of(const BodyColumns::Range& columns) {
    return nb::steal(PySlice_New(nb::int_(columns.first).ptr(), nb::int_(columns.first + columns.count).ptr(), nullptr));
}

void bind_columns(nb::module_& m) {
    nb::class_<BodyColumns> columns(m, "BodyColumns", "Where the numbers of a body and its joint stand in their row.");
    columns.attr("T_PARENT_JOINT") = slice_of(BodyColumns::T_parent_joint);
    columns.attr("T_CHILD_JOINT") = slice_of(BodyColumns::T_child_joint);
    columns.attr("AXES") = slice_of(BodyColumns::axes);
    columns.attr("PITCH") = BodyColumns::pitch.first;
    columns.attr("INERTIA") = slice_of(BodyColumns::inertia);
    columns.attr("COM") = slice_of(BodyColumns::com);
    columns.attr("COUNT") = BodyColumns::count;
}

}  // namespace

TreeClass bind_tree(nb::module_& m) {
    bind_columns(m);
    TreeClass tree(m, "Tree", nb::is_weak_referenceable());
    tree.doc() = "Native half of kido.Tree: the compiled robot and its algorithms.";
    tree.def(nb::init<nb::handle, nb::handle, nb::handle, nb::handle, nb::str, nb::tuple, nb::tuple>(), nb::arg("integers"),
             nb::arg("numbers"), nb::arg("armature"), nb::arg("gravity"), nb::arg("name"), nb::arg("body_names"), nb::arg("joint_names"),
             nb::sig("def __init__(self, integers: " ARRAY ", numbers: " ARRAY ", armature: " ARRAY ", gravity: " ARRAY
                     ", name: str, body_names: tuple[str, ...], joint_names: tuple[str, ...]) -> None"),
             "Rows of bodies as kido.tree writes them. Raises ValueError where their number or width is wrong.");
    tree.def_prop_ro("num_dofs", [](const BoundTree& t) { return t.model().num_dofs; },
                     "Number of degrees of freedom, len(q) and len(v).");
    tree.def_prop_ro("num_bodies", [](const BoundTree& t) { return t.model().num_bodies; }, "Number of bodies.");
    tree.def_prop_ro("num_links", [](const BoundTree& t) { return t.model().num_links; },
                     "Number of moving links: what the recursions run over.");
    tree.def_prop_ro("total_mass", [](const BoundTree& t) { return t.model().total_mass; },
                     "Mass of all moving bodies [kg].");
    tree.def(
        "_massless_joints", [](const BoundTree& t) { return t.massless_joints(); },
        nb::sig("def _massless_joints(self) -> list[str]"), "Names of the joints that move no mass.");
    return tree;
}

}  // namespace kido
