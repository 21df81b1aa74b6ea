#include "bound_world.hpp"

#include <algorithm>

#include "kept_array.hpp"
#include "result_arrays.hpp"

// Constraints of a world.

namespace kido {

// Stiffness, damping, frequency, damping ratio.
static ConstraintSoftness softness_of(const std::array<double, 4>& s) { return {s[0], s[1], s[2], s[3]}; }

int BoundWorld::add_constraint(int first_skeleton, int first_body, nb::object first_pose, int second_skeleton, int second_body,
                               nb::object second_pose, const std::array<bool, 6>& held, std::optional<double> length,
                               const std::array<double, 4>& softness, bool pulls, bool pushes) {
    use_.require_free();
    BodyConstraint c = {};
    const auto frame = [&](int skeleton, int body, const nb::object& pose, double* out) {
        const auto* p = static_cast<const double*>(kept_array("pose", pose, NPY_DOUBLE, 12, kNoColumns));
        if (skeleton >= 0) return place(skeleton, body, p, out);
        std::copy(p, p + 12, out);
        return 0;
    };
    c.first = frame(first_skeleton, first_body, first_pose, c.first_pose);
    c.second = frame(second_skeleton, second_body, second_pose, c.second_pose);
    c.law = length ? ConstraintLaw::distance : ConstraintLaw::components;
    std::copy(held.begin(), held.end(), c.components);
    c.length = length.value_or(0.0);
    c.softness = softness_of(softness);
    c.pulls = pulls;
    c.pushes = pushes;
    ++constraints_;
    return world_->add_constraint(c);
}

nb::object BoundWorld::constraint_wrench(int index) const {
    use_.require_free();
    require_index("index", index, constraints_);
    const npy_intp count = 6;
    nb::object out = nb::steal(PyArray_SimpleNew(1, &count, NPY_DOUBLE));
    if (!out.is_valid()) throw nb::python_error();
    world_->constraint_wrench(index, numbers_of(out));
    return out;
}

bool BoundWorld::constraint_unmet(int index) const {
    use_.require_free();
    return world_->constraint_unmet(index);
}

nb::object BoundWorld::constraint_error(int index) {
    use_.require_free();
    bring_motions();
    nb::object out = row_of(6);
    world_->constraint_error(index, numbers_of(out));
    return out;
}

int BoundWorld::add_gear(const std::vector<std::tuple<int, int, double, bool>>& terms, double offset, double lower, double upper,
                         const std::array<double, 4>& softness) {
    use_.require_free();
    RowConstraint c = {{{offset, 0.0, lower, upper, -1, 0.0}}, {}, {}, softness_of(softness), true};
    for (const auto& [skeleton, dof, factor, gives] : terms) {
        const auto [tree, place] = skeletons_.at(skeleton).place_of_dof(dof);
        if (tree < 0) throw nb::value_error("terms: expected dofs of joints");
        c.tree_shares.push_back({0, tree, place, factor, gives});
    }
    std::stable_sort(c.tree_shares.begin(), c.tree_shares.end(),
                     [](const TreeShare& a, const TreeShare& b) { return a.tree < b.tree; });
    return world_->add_row_constraint(std::move(c), {});
}

int BoundWorld::add_rows(const std::vector<int>& skeletons) {
    use_.require_free();
    std::vector<int> bodies;
    for (const int i : skeletons) {
        for (const SimulatedTree& tree : skeletons_.at(i).trees()) {
            if (tree.is_rigid_body()) bodies.push_back(tree.first_row());
        }
    }
    return world_->add_row_constraint({}, bodies);
}

void BoundWorld::set_rows(int index, nb::object numbers, const std::vector<std::pair<int, nb::object>>& jacobians,
                          const std::array<double, 4>& softness) {
    use_.require_free();
    const npy_intp m = PyArray_Check(numbers.ptr()) ? PyArray_DIM(reinterpret_cast<PyArrayObject*>(numbers.ptr()), 0) : 0;
    const auto* x = static_cast<const double*>(kept_array("numbers", numbers, NPY_DOUBLE, m, 6));
    RowConstraint c = {{}, {}, {}, softness_of(softness), false};
    for (npy_intp i = 0; i < m; ++i, x += 6) c.rows.push_back({x[0], x[1], x[2], x[3], static_cast<int>(x[4]), x[5]});
    for (const auto& [skeleton, jacobian] : jacobians) {
        const npy_intp n = skeletons_.at(skeleton).state().num_dofs();
        const auto* J = static_cast<const double*>(kept_array("jacobian", jacobian, NPY_DOUBLE, m, n));
        for (npy_intp i = 0; i < m; ++i) skeletons_[skeleton].add_shares(static_cast<int>(i), J + i * n, true, c);
    }
    world_->set_rows(index, std::move(c));
}

nb::tuple BoundWorld::row_numbers(int index) {
    use_.require_free();
    bring_motions();
    std::vector<double> forces, errors;
    bool unmet = false;
    world_->row_numbers(index, forces, errors, unmet);
    nb::object out[2];
    for (nb::object& o : out) o = row_of(static_cast<npy_intp>(forces.size()));
    std::copy(forces.begin(), forces.end(), numbers_of(out[0]));
    std::copy(errors.begin(), errors.end(), numbers_of(out[1]));
    return nb::make_tuple(out[0], out[1], unmet);
}

}  // namespace kido
