#include "closed_form_layout.hpp"

#include "closed_form_relations.hpp"

namespace kido {

using namespace closed_form;

namespace {

void add_wrists(const ScrewChain& c, bool reversed, double tolerance, std::vector<ClosedFormLayout>& found) {
    if (!wrist_meets(c, tolerance)) return;
    const Screw &one = c.joint[0], &two = c.joint[1], &three = c.joint[2];
    const auto add = [&](PositionMethod method) {
        found.push_back({.family = ClosedFormFamily::spherical_wrist, .reversed = reversed, .method = method});
    };
    if (meet(one, two, tolerance, c.size)) add(PositionMethod::first_meet);
    if (parallel(two, three, tolerance)) add(PositionMethod::last_parallel);
    if (meet(two, three, tolerance, c.size)) add(PositionMethod::last_meet);
    if (parallel(one, two, tolerance)) add(PositionMethod::first_parallel);
}

void add_parallels(const ScrewChain& c, bool reversed, double tolerance, std::vector<ClosedFormLayout>& found) {
    for (int first : {1, 0}) {
        const Screw* j = c.joint + first;
        if (parallel(j[0], j[1], tolerance) && parallel(j[0], j[2], tolerance) && !parallel(j[2], j[3], kApart) &&
            !parallel(j[3], j[4], kApart) && !parallel(c.joint[4], c.joint[5], kApart)) {
            found.push_back({.family = ClosedFormFamily::parallel_axes, .reversed = reversed, .first = first});
        }
    }
}

void add_quartic(const ScrewChain& c, bool reversed, double tolerance, std::vector<ClosedFormLayout>& found) {
    const Screw &one = c.joint[0], &two = c.joint[1];
    if (!wrist_meets(c, tolerance) || parallel(one, two, tolerance) || meet(one, two, tolerance, c.size)) return;
    const PositionMethod method = PositionMethod::quartic;
    found.push_back({.family = ClosedFormFamily::spherical_wrist, .reversed = reversed, .method = method});
}

SphericalWrist wrist_of(const ScrewChain& c, const ClosedFormLayout& layout) {
    SphericalWrist wrist;
    const PositionMethod method = layout.method;
    const Point center = between(c.joint[3], c.joint[4]);
    wrist.arm = {method, {c.joint[0], c.joint[1], c.joint[2]}, center, center, c.size};
    if (layout.prismatic != PrismaticMethod::none) {
        wrist.prismatic = layout.prismatic;
        wrist.mirrored = layout.mirrored;
        const int first = layout.mirrored ? 1 : 0;
        if (layout.prismatic == PrismaticMethod::meeting) wrist.arm.meeting = between(c.joint[first], c.joint[first + 1]);
    } else if (method == PositionMethod::first_meet) {
        wrist.arm.meeting = between(c.joint[0], c.joint[1]);
    } else if (method == PositionMethod::last_meet) {
        wrist.arm.meeting = between(c.joint[1], c.joint[2]);
    }
    for (int k = 0; k < 3; ++k) wrist.axis[k] = c.joint[3 + k].axis;
    wrist.side = normal_to(wrist.axis[2]);
    return wrist;
}

ParallelAxes parallels_of(const ScrewChain& c, int first) {
    ParallelAxes form;
    for (int k = 0; k < 6; ++k) form.joint[k] = c.joint[k];
    form.first = first;
    form.arm = PlanarArm::of(c.joint[first], c.joint[first + 1], c.joint[first + 2], c.size);
    form.size = c.size;
    return form;
}

}  // namespace

std::vector<ClosedFormLayout> layouts_of(const ScrewChain& chain, double tolerance) {
    std::vector<ClosedFormLayout> found;
    const ScrewChain other = chain.reversed();
    if (chain.count < 6 || chain.num_prismatic() > 0) {
        add_orientation_first(chain, found);
        add_parallel_revolute(chain, tolerance, found);
        add_sliding_wrists(chain, false, tolerance, found);
        add_sliding_wrists(other, true, tolerance, found);
        return found;
    }
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
    switch (layout.family) {
        case ClosedFormFamily::parallel_axes: return {layout, parallels_of(c, layout.first)};
        case ClosedFormFamily::gantry:
        case ClosedFormFamily::orientation_first: return {layout, orientation_first_of(c)};
        case ClosedFormFamily::scara:
        case ClosedFormFamily::planar: return {layout, parallel_revolute_of(c)};
        default: return {layout, wrist_of(c, layout)};
    }
}

}  // namespace kido
