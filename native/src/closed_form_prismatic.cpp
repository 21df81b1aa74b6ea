#include <algorithm>
#include <cmath>

#include "closed_form_layout.hpp"
#include "closed_form_relations.hpp"

namespace kido {

using namespace closed_form;

namespace {

using Layouts = std::vector<ClosedFormLayout>;

// Two revolute joints, then one that prismatic joints.
void slide_last(const Screw* j, double tolerance, double size, auto&& add) {
    if (meet(j[0], j[1], tolerance, size)) return add(PrismaticMethod::meeting);
    if (parallel(j[0], j[1], tolerance) && std::fabs(dot(j[0].axis, j[2].axis)) > kApart) add(PrismaticMethod::parallel);
    if (!parallel(j[0], j[1], kApart)) add(PrismaticMethod::skew);
}

// A prismatic joint between two revolute joints.
void slide_between(const Screw* j, double tolerance, auto&& add) {
    const double rise = std::fabs(dot(j[0].axis, j[1].axis));
    if (rise <= tolerance && !parallel(j[0], j[2], kApart)) add(PrismaticMethod::across);
    if (rise > kApart && parallel(j[0], j[2], tolerance)) add(PrismaticMethod::along);
    if (rise > kApart && !parallel(j[0], j[2], kApart)) add(PrismaticMethod::oblique);
}

void add_methods(const Screw* j, double tolerance, double size, auto&& add) {
    const int pattern = 4 * j[0].is_prismatic + 2 * j[1].is_prismatic + j[2].is_prismatic;
    const double rise = std::max(std::fabs(dot(j[1].axis, j[0].axis)), std::fabs(dot(j[1].axis, j[2].axis)));
    switch (pattern) {
        case 0b001: return slide_last(j, tolerance, size, add);
        case 0b010: return slide_between(j, tolerance, add);
        case 0b011:
            if (!parallel(j[1], j[2], kApart)) add(PrismaticMethod::last_two);
            break;
        case 0b101:
            if (rise > kApart) add(PrismaticMethod::outer_two);
            break;
        default: break;
    }
}

}  // namespace

void add_sliding_wrists(const ScrewChain& c, bool reversed, double tolerance, Layouts& found) {
    if (c.count != 6 || !wrist_meets(c, tolerance)) return;
    const Screw back[3] = {c.joint[2].inverted(), c.joint[1].inverted(), c.joint[0].inverted()};
    for (bool mirrored : {false, true}) {
        add_methods(mirrored ? back : c.joint, tolerance, c.size, [&](PrismaticMethod prismatic) {
            found.push_back({.family = ClosedFormFamily::spherical_wrist,
                             .reversed = reversed,
                             .prismatic = prismatic,
                             .mirrored = mirrored});
        });
    }
    // Quadratic equations before quartic ones.
    std::stable_partition(found.begin(), found.end(), [](const ClosedFormLayout& x) {
        return x.prismatic != PrismaticMethod::skew && x.prismatic != PrismaticMethod::oblique;
    });
}

void add_orientation_first(const ScrewChain& c, Layouts& found) {
    const int num_revolute = c.count - c.num_prismatic();
    if (num_revolute > 3 || c.num_prismatic() > 3) return;
    const Screw* last = nullptr;
    for (int k = 0; k < c.count; ++k) {
        if (c.joint[k].is_prismatic) continue;
        if (last && parallel(*last, c.joint[k], kApart)) return;
        last = c.joint + k;
    }
    found.push_back({.family = c.num_prismatic() == 3 ? ClosedFormFamily::gantry : ClosedFormFamily::orientation_first});
}

OrientationFirst orientation_first_of(const ScrewChain& c) {
    OrientationFirst form{};
    form.count = c.count;
    form.size = c.size;
    for (int k = 0; k < c.count; ++k) {
        form.joint[k] = c.joint[k];
        if (!c.joint[k].is_prismatic) form.revolute[form.num_revolute++] = k;
    }
    if (form.num_revolute > 0) form.side = normal_to(c.joint[form.revolute[form.num_revolute - 1]].axis);
    return form;
}

void add_parallel_revolute(const ScrewChain& c, double tolerance, Layouts& found) {
    const int num_revolute = c.count - c.num_prismatic();
    if (c.count > 4 || num_revolute < 2 || num_revolute > 3) return;
    const ParallelRevolute form = parallel_revolute_of(c);
    for (int k = 1; k < num_revolute; ++k) {
        if (!parallel(form.joint[form.revolute[0]], form.joint[form.revolute[k]], tolerance)) return;
    }
    double most = 0.0;
    for (int k = 0; k < form.num_prismatic(); ++k) most = std::max(most, std::fabs(form.rise(k)));
    const bool level = most <= tolerance;
    if (!level && most <= ParallelRevolute::kLevel) return;
    if (level && c.count > 3) return;
    found.push_back({.family = level ? ClosedFormFamily::planar : ClosedFormFamily::scara});
}

ParallelRevolute parallel_revolute_of(const ScrewChain& c) {
    ParallelRevolute form{};
    form.count = c.count;
    form.size = c.size;
    int num_prismatic = 0;
    for (int k = 0; k < c.count; ++k) {
        form.joint[k] = c.joint[k];
        (c.joint[k].is_prismatic ? form.prismatic[num_prismatic++] : form.revolute[form.num_revolute++]) = k;
    }
    const Screw &one = c.joint[form.revolute[0]], &two = c.joint[form.revolute[1]];
    form.side = normal_to(one.axis);
    form.sign = dot(one.axis, two.axis) < 0.0 ? -1.0 : 1.0;
    if (form.num_revolute == 3) form.arm = PlanarArm::of(one, two, c.joint[form.revolute[2]], c.size);
    return form;
}

std::string missing_form(const ScrewChain& c) {
    const int num_prismatic = c.num_prismatic();
    const std::string so_many = std::to_string(num_prismatic) + (num_prismatic == 1 ? " is prismatic" : " are prismatic");
    if (c.count < 6) {
        return "of " + std::to_string(c.count) +
               " joints, expected two or three about parallel axes, or up to three of which no two neighbours are, and "
               "up to three prismatic ones that do not depend on each other";
    }
    if (num_prismatic == 0) {
        return "no three axes in a row meet in one point, or are parallel, so that six joints have a closed form";
    }
    if (num_prismatic > 3) return "of six joints " + so_many + ", expected at most three";
    if (num_prismatic == 3) return "of six joints 3 are prismatic, but they depend on each other, or two axes in a row are parallel";
    return "of six joints " + so_many +
           ", and neither the first nor the last three are revolute with axes that meet in one point";
}

}  // namespace kido
