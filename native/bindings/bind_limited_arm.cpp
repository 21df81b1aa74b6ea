#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "bound_frame.hpp"
#include "closed_form_chain.hpp"
#include "limited_arm.hpp"
#include "long_call.hpp"
#include "number_table.hpp"
#include "topics.hpp"

#define FLOATS "numpy.typing.NDArray[numpy.float64]"
#define FLAGS "numpy.typing.NDArray[numpy.uint8]"
#define ARRAY "numpy.typing.ArrayLike"

namespace kido {

using namespace nb::literals;

namespace {

using closed_form::Placement;

JointRanges read_ranges(nb::handle lower, nb::handle upper, const std::vector<bool>& turns) {
    JointRanges ranges;
    ranges.count = static_cast<int>(turns.size());
    if (ranges.count > closed_form::kMostJoints) throw nb::value_error("turns: expected at most 7 flags");
    const Table low = table("lower", lower, ranges.count), high = table("upper", upper, ranges.count);
    if (low.rows != 1 || high.rows != 1) throw nb::value_error("lower, upper: expected one row each");
    std::copy(low.data, low.data + ranges.count, ranges.lower);
    std::copy(high.data, high.data + ranges.count, ranges.upper);
    std::copy(turns.begin(), turns.end(), ranges.turns);
    return ranges;
}

nb::object filled(int type, const void* from, std::size_t bytes, std::initializer_list<npy_intp> shape) {
    void* data;
    nb::object array = empty(type, shape, data);
    if (bytes) std::memcpy(data, from, bytes);
    return array;
}

// An arm on a skeleton: the form is kept alive by the object that binds this.
class BoundLimitedArm {
public:
    BoundLimitedArm(const BoundClosedForm& form, nb::handle lower, nb::handle upper, const std::vector<bool>& turns,
                    std::vector<int> places)
        : arm_(checked(form, turns, places), form.origin, read_ranges(lower, upper, turns)), places_(std::move(places)) {}

    nb::tuple solve(nb::handle target, nb::handle base, nb::handle positions, bool ranked) const {
        const One one = read_one(target, base, positions);
        ArmSolutions found;
        without_lock([&](StopSignal* stop) { arm_.solve(one.target, one.present, ranked, found, stop); });
        const npy_intp count = static_cast<npy_intp>(found.count());
        return nb::make_tuple(filled(NPY_DOUBLE, found.positions.data(), found.positions.size() * sizeof(double),
                                     {count, arm_.dofs()}),
                              filled(NPY_UINT8, found.violations.data(), found.violations.size(), {count}));
    }

    nb::tuple answer(nb::handle target, nb::handle base, nb::handle positions) const {
        const One one = read_one(target, base, positions);
        ArmAnswer best;
        without_lock([&](StopSignal* stop) { best = arm_.answer(one.target, one.present, stop); });
        return nb::make_tuple(filled(NPY_DOUBLE, best.positions, arm_.dofs() * sizeof(double), {arm_.dofs()}),
                              best.angular_error, best.linear_error, static_cast<int>(best.violations));
    }

    nb::tuple solve_batch(nb::handle targets, nb::handle base, nb::handle starts, bool ranked) const {
        const Many many = read_many(targets, base, starts);
        ArmBatchSolutions all;
        without_lock([&](StopSignal* stop) { all = solve_arm(arm_, many.batch(), ranked, stop); });
        std::vector<npy_intp> counts(all.counts.begin(), all.counts.end());
        const npy_intp total = static_cast<npy_intp>(all.violations.size());
        return nb::make_tuple(
            filled(NPY_DOUBLE, all.positions.data(), all.positions.size() * sizeof(double), {total, arm_.dofs()}),
            filled(NPY_UINT8, all.violations.data(), all.violations.size(), {total}),
            filled(NPY_INTP, counts.data(), counts.size() * sizeof(npy_intp), {static_cast<npy_intp>(counts.size())}));
    }

    nb::tuple answer_batch(nb::handle targets, nb::handle base, nb::handle starts) const {
        const Many many = read_many(targets, base, starts);
        std::vector<ArmAnswer> answers;
        without_lock([&](StopSignal* stop) { answers = answer_arm(arm_, many.batch(), stop); });
        const npy_intp count = static_cast<npy_intp>(answers.size()), n = arm_.dofs();
        void *q, *angular, *linear, *violations;
        const nb::tuple arrays =
            nb::make_tuple(empty(NPY_DOUBLE, {count, n}, q), empty(NPY_DOUBLE, {count}, angular),
                           empty(NPY_DOUBLE, {count}, linear), empty(NPY_UINT8, {count}, violations));
        for (npy_intp i = 0; i < count; ++i) {
            std::copy(answers[i].positions, answers[i].positions + n, static_cast<double*>(q) + i * n);
            static_cast<double*>(angular)[i] = answers[i].angular_error;
            static_cast<double*>(linear)[i] = answers[i].linear_error;
            static_cast<unsigned char*>(violations)[i] = answers[i].violations;
        }
        return arrays;
    }

private:
    struct One {
        Placement target;
        double present[closed_form::kMostJoints];
    };
    struct Many {
        std::vector<Placement> targets;
        Table starts;

        ArmBatch batch() const {
            const auto* a = reinterpret_cast<PyArrayObject*>(starts.owner.ptr());
            const std::size_t stride = starts.rows == 1 ? 0 : static_cast<std::size_t>(PyArray_DIM(a, 1));
            return {targets.data(), targets.size(), starts.data, stride};
        }
    };

    static const ClosedForm& checked(const BoundClosedForm& form, const std::vector<bool>& turns,
                                     const std::vector<int>& places) {
        if (!form.form.reason().empty()) throw nb::value_error(("no closed form: " + form.form.reason()).c_str());
        const std::size_t count = form.form.chain().count;
        if (turns.size() != count || places.size() != count) {
            throw nb::value_error(("turns, places: expected " + std::to_string(count) + " each").c_str());
        }
        if (*std::min_element(places.begin(), places.end()) < 0) throw nb::value_error("places: expected indices of dofs");
        return form.form;
    }

    static Placement placed(const Placement* base, const Placement& target) { return base ? *base * target : target; }

    static const Placement* read_base(nb::handle base, Placement& out) {
        if (base.is_none()) return nullptr;
        out = read_pose("base", base);
        return &out;
    }

    One read_one(nb::handle target, nb::handle base, nb::handle positions) const {
        Placement from;
        const Placement* moved = read_base(base, from);
        One one{placed(moved, read_pose("desired", target)), {}};
        const nb::object row = doubles(positions);
        auto* a = reinterpret_cast<PyArrayObject*>(row.ptr());
        if (PyArray_NDIM(a) != 1) throw nb::value_error("positions: expected those of all dofs");
        const double* q = static_cast<const double*>(PyArray_DATA(a));
        for (int j = 0; j < arm_.dofs(); ++j) {
            if (places_[j] >= PyArray_DIM(a, 0)) throw nb::value_error("positions: expected those of all dofs");
            one.present[j] = q[places_[j]];
        }
        return one;
    }

    Many read_many(nb::handle targets, nb::handle base, nb::handle starts) const {
        Placement from;
        const Placement* moved = read_base(base, from);
        const Table rows = table("targets", targets, 16);
        Many many{{}, table("starts", starts, arm_.dofs())};
        if (many.starts.rows != 1 && many.starts.rows != rows.rows) {
            throw nb::value_error("starts: expected 1 row, or one a target");
        }
        many.targets.reserve(rows.rows);
        for (npy_intp i = 0; i < rows.rows; ++i) {
            const double* T = rows.data + 16 * i;
            if (!std::all_of(T, T + 16, [](double x) { return std::isfinite(x); })) {
                throw nb::value_error("targets: expected finite numbers [m]");
            }
            many.targets.push_back(placed(moved, pose("targets", T)));
        }
        return many;
    }

    LimitedArm arm_;
    std::vector<int> places_;
};

}  // namespace

void bind_limited_arm(nb::module_& m) {
    nb::class_<BoundLimitedArm> type(m, "LimitedArm");
    type.doc() = "Solutions of a closed form within the limits of its joints, the best first.";
    type.def(nb::init<const BoundClosedForm&, nb::handle, nb::handle, const std::vector<bool>&, std::vector<int>>(),
             "form"_a, "lower"_a, "upper"_a, "turns"_a, "places"_a, nb::keep_alive<1, 2>(),
             nb::sig("def __init__(self, form: ClosedForm, lower: " ARRAY ", upper: " ARRAY
                     ", turns: collections.abc.Sequence[bool], places: collections.abc.Sequence[int]) -> None"),
             "Limits (1, n) [rad, m], which of the joints turn (n,), and the places of their dofs (n,) in a skeleton.");
    type.def("solve", &BoundLimitedArm::solve, "target"_a, "base"_a.none(), "positions"_a, "ranked"_a,
             nb::sig("def solve(self, target: " ARRAY ", base: " ARRAY " | None, positions: " ARRAY
                     ", ranked: bool) -> tuple[" FLOATS ", " FLAGS "]"),
             R"(All solutions for one target.

Args:
    target: pose (4, 4) in the world, translation in [m].
    base: from world coordinates to those of the form (4, 4) [m]; None: they are the same.
    positions: present ones of all dofs of the skeleton (num_dofs,) [rad, m].
    ranked: whether the best come first.

Returns:
    Positions (k, n) [rad, m], and what each violates (k,), as the flags of kido.ik.Validity.

Raises:
    ValueError: wrong shapes, numbers that are not finite, a target whose axes are no rotation.)");
    type.def("answer", &BoundLimitedArm::answer, "target"_a, "base"_a.none(), "positions"_a,
             nb::sig("def answer(self, target: " ARRAY ", base: " ARRAY " | None, positions: " ARRAY ") -> tuple[" FLOATS
                     ", float, float, int]"),
             R"(The best solution where it is valid or only out of reach, else what comes nearest within limits.

Returns:
    Positions (n,) [rad, m], their errors [rad] and [m], and what the best solution violates.)");
    type.def("solve_batch", &BoundLimitedArm::solve_batch, "targets"_a, "base"_a.none(), "starts"_a, "ranked"_a,
             nb::sig("def solve_batch(self, targets: " ARRAY ", base: " ARRAY " | None, starts: " ARRAY
                     ", ranked: bool) -> tuple[" FLOATS ", " FLAGS ", numpy.typing.NDArray[numpy.intp]]"),
             R"(What solve gives for each of many targets, in threads.

Args:
    targets: poses in rows (m, 16) in the world, translation in [m].
    base: as for solve.
    starts: present positions of the chain's joints (m or 1, n) [rad, m].
    ranked: as for solve.

Returns:
    Positions (total, n) [rad, m] and violations (total,), one target after the other; how many each has (m,).)");
    type.def("answer_batch", &BoundLimitedArm::answer_batch, "targets"_a, "base"_a.none(), "starts"_a,
             nb::sig("def answer_batch(self, targets: " ARRAY ", base: " ARRAY " | None, starts: " ARRAY ") -> tuple[" FLOATS
                     ", " FLOATS ", " FLOATS ", " FLAGS "]"),
             R"(What answer gives for each of many targets, in threads.

Returns:
    Positions (m, n) [rad, m], errors (m,) [rad], (m,) [m], violations (m,).)");
}

}  // namespace kido
