#include "closed_form_layout.hpp"

namespace kido {

using namespace closed_form;

namespace {

bool parallel(const Screw& a, const Screw& b, double tolerance) {
    return length(cross(a.axis, b.axis)) <= tolerance;
}

double distance(const Screw& axis, const Point& point) { return length(cross(axis.axis, point - axis.point)); }

Point between(const Screw& a, const Screw& b) {
    Point on_a, on_b;
    nearest_points(a, b, on_a, on_b);
    return (on_a + on_b) * 0.5;
}

bool meet(const Screw& a, const Screw& b, double tolerance, double size) {
    if (parallel(a, b, 1e-3)) return false;
    Point on_a, on_b;
    nearest_points(a, b, on_a, on_b);
    return length(on_a - on_b) <= tolerance * size;
}

bool wrist_meets(const ScrewChain& c, double tolerance) {
    return meet(c.joint[3], c.joint[4], tolerance, c.size) && !parallel(c.joint[4], c.joint[5], 1e-3) &&
           distance(c.joint[5], between(c.joint[3], c.joint[4])) <= tolerance * c.size;
}

void add_wrists(const ScrewChain& c, bool reversed, double tolerance, std::vector<ClosedFormLayout>& found) {
    if (!wrist_meets(c, tolerance)) return;
    const Screw &one = c.joint[0], &two = c.joint[1], &three = c.joint[2];
    const auto add = [&](PositionMethod method) {
        found.push_back({ClosedFormFamily::spherical_wrist, reversed, method, 0});
    };
    if (meet(one, two, tolerance, c.size)) add(PositionMethod::first_meet);
    if (parallel(two, three, tolerance)) add(PositionMethod::last_parallel);
    if (meet(two, three, tolerance, c.size)) add(PositionMethod::last_meet);
    if (parallel(one, two, tolerance)) add(PositionMethod::first_parallel);
}

void add_parallels(const ScrewChain& c, bool reversed, double tolerance, std::vector<ClosedFormLayout>& found) {
    for (int first : {1, 0}) {
        const Screw* j = c.joint + first;
        if (parallel(j[0], j[1], tolerance) && parallel(j[0], j[2], tolerance) && !parallel(j[2], j[3], 1e-3) &&
            !parallel(j[3], j[4], 1e-3) && !parallel(c.joint[4], c.joint[5], 1e-3)) {
            found.push_back({ClosedFormFamily::parallel_axes, reversed, PositionMethod::quartic, first});
        }
    }
}

void add_quartic(const ScrewChain& c, bool reversed, double tolerance, std::vector<ClosedFormLayout>& found) {
    const Screw &one = c.joint[0], &two = c.joint[1];
    if (!wrist_meets(c, tolerance) || parallel(one, two, tolerance) || meet(one, two, tolerance, c.size)) return;
    found.push_back({ClosedFormFamily::spherical_wrist, reversed, PositionMethod::quartic, 0});
}

SphericalWrist wrist_of(const ScrewChain& c, PositionMethod method) {
    SphericalWrist wrist;
    const Point center = between(c.joint[3], c.joint[4]);
    wrist.arm = {method, {c.joint[0], c.joint[1], c.joint[2]}, center, center, c.size};
    if (method == PositionMethod::first_meet) wrist.arm.meeting = between(c.joint[0], c.joint[1]);
    if (method == PositionMethod::last_meet) wrist.arm.meeting = between(c.joint[1], c.joint[2]);
    for (int k = 0; k < 3; ++k) wrist.axis[k] = c.joint[3 + k].axis;
    wrist.side = normal_to(wrist.axis[2]);
    return wrist;
}

ParallelAxes parallels_of(const ScrewChain& c, int first) {
    ParallelAxes form;
    for (int k = 0; k < 6; ++k) form.joint[k] = c.joint[k];
    form.first = first;
    for (int k = 0; k < 3; ++k) form.sign[k] = dot(c.joint[first].axis, c.joint[first + k].axis) < 0.0 ? -1.0 : 1.0;
    form.size = c.size;
    form.side = normal_to(c.joint[first].axis);
    return form;
}

}  // namespace

std::vector<ClosedFormLayout> layouts_of(const ScrewChain& chain, double tolerance) {
    std::vector<ClosedFormLayout> found;
    const ScrewChain other = chain.reversed();
    add_wrists(chain, false, tolerance, found);
    add_wrists(other, true, tolerance, found);
    add_parallels(chain, false, tolerance, found);
    add_parallels(other, true, tolerance, found);
    add_quartic(chain, false, tolerance, found);
    add_quartic(other, true, tolerance, found);
    return found;
}

ClosedFormPlan plan_of(const ScrewChain& chain, const ClosedFormLayout& layout) {
    const ScrewChain c = layout.reversed ? chain.reversed() : chain;
    ClosedFormPlan plan{layout, {}, {}};
    if (layout.family == ClosedFormFamily::spherical_wrist) {
        plan.wrist = wrist_of(c, layout.method);
    } else {
        plan.parallel = parallels_of(c, layout.first);
    }
    return plan;
}

}  // namespace kido
