#include "options.hpp"
#include "topics.hpp"

namespace kido {

TreeClass bind_tree(nb::module_& m) {
    TreeClass tree(m, "Tree", nb::is_weak_referenceable(), nb::dynamic_attr());
    tree.doc() = "Native half of kido.Tree: the compiled robot and its algorithms.";
    tree.def(nb::init<nb::handle, nb::handle, nb::handle, nb::handle, nb::handle, nb::handle, nb::str, nb::dict, nb::dict>(),
             nb::arg("link_integers"), nb::arg("link_numbers"), nb::arg("body_links"), nb::arg("body_frames"),
             nb::arg("joint_integers"), nb::arg("gravity"), nb::arg("name"), nb::arg("body_names"),
             nb::arg("joint_names"),
             nb::sig("def __init__(self, link_integers: " ARRAY ", link_numbers: " ARRAY ", body_links: " ARRAY
                     ", body_frames: " ARRAY ", joint_integers: " ARRAY ", gravity: " ARRAY
                     ", name: str, body_names: dict[str, int], joint_names: dict[str, int]) -> None"),
             "Rows as kido.tree compiles them. Raises ValueError where their number or width is wrong.");
    tree.def_prop_ro("num_dofs", [](const BoundTree& t) { return t.model().num_dofs; },
                     "Number of degrees of freedom, len(q) and len(v).");
    tree.def_prop_ro("num_bodies", [](const BoundTree& t) { return t.model().num_bodies; }, "Number of bodies.");
    tree.def_prop_ro("num_links", [](const BoundTree& t) { return t.model().num_links; },
                     "Number of moving links: what the recursions run over.");
    return tree;
}

}  // namespace kido
