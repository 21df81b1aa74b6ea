#include <algorithm>
#include <cmath>

#include "closed_form_layout.hpp"
#include "closed_form_relations.hpp"

namespace kido {

using namespace closed_form;

namespace {

using Layouts = std::vector<ClosedFormLayout>;

// Two joints that turn, then one that slides.
void slide_last(const Screw* j, double tolerance, double size, auto&& add) {
    if (meet(j[0], j[1], tolerance, size)) return add(SlidingMethod::meeting);
    if (parallel(j[0], j[1], tolerance) && std::fabs(dot(j[0].axis, j[2].axis)) > kApart) add(SlidingMethod::parallel);
    if (!parallel(j[0], j[1], kApart)) add(SlidingMethod::skew);
}

// A slide between two joints that turn.
void slide_between(const Screw* j, double tolerance, auto&& add) {
    const double rise = std::fabs(dot(j[0].axis, j[1].axis));
    if (rise <= tolerance && !parallel(j[0], j[2], kApart)) add(SlidingMethod::across);
    if (rise > kApart && parallel(j[0], j[2], tolerance)) add(SlidingMethod::along);
    if (rise > kApart && !parallel(j[0], j[2], kApart)) add(SlidingMethod::oblique);
}

void add_methods(const Screw* j, double tolerance, double size, auto&& add) {
    const int pattern = 4 * j[0].is_prismatic + 2 * j[1].is_prismatic + j[2].is_prismatic;
    const double rise = std::max(std::fabs(dot(j[1].axis, j[0].axis)), std::fabs(dot(j[1].axis, j[2].axis)));
    switch (pattern) {
        case 0b001: return slide_last(j, tolerance, size, add);
        case 0b010: return slide_between(j, tolerance, add);
        case 0b011:
            if (!parallel(j[1], j[2], kApart)) add(SlidingMethod::last_two);
            break;
        case 0b101:
            if (rise > kApart) add(SlidingMethod::outer_two);
            break;
        default: break;
    }
}

}  // namespace

void add_sliding_wrists(const ScrewChain& c, bool reversed, double tolerance, Layouts& found) {
    if (c.count != 6 || !wrist_meets(c, tolerance)) return;
    const Screw back[3] = {c.joint[2].inverted(), c.joint[1].inverted(), c.joint[0].inverted()};
    for (bool mirrored : {false, true}) {
        add_methods(mirrored ? back : c.joint, tolerance, c.size, [&](SlidingMethod sliding) {
            found.push_back({.family = ClosedFormFamily::spherical_wrist,
                             .reversed = reversed,
                             .sliding = sliding,
                             .mirrored = mirrored});
        });
    }
    // Quadratic equations before quartic ones.
    std::stable_partition(found.begin(), found.end(), [](const ClosedFormLayout& x) {
        return x.sliding != SlidingMethod::skew && x.sliding != SlidingMethod::oblique;
    });
}

void add_orientation_first(const ScrewChain& c, Layouts& found) {
    const int turns = c.count - c.num_prismatic();
    if (turns > 3 || c.num_prismatic() > 3) return;
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
        if (!c.joint[k].is_prismatic) form.turn[form.turns++] = k;
    }
    if (form.turns > 0) form.side = normal_to(c.joint[form.turn[form.turns - 1]].axis);
    return form;
}

void add_parallel_turns(const ScrewChain& c, double tolerance, Layouts& found) {
    const int turns = c.count - c.num_prismatic();
    if (c.count > 4 || turns < 2 || turns > 3) return;
    const ParallelTurns form = parallel_turns_of(c);
    for (int k = 1; k < turns; ++k) {
        if (!parallel(form.joint[form.turn[0]], form.joint[form.turn[k]], tolerance)) return;
    }
    double most = 0.0;
    for (int k = 0; k < form.num_prismatic(); ++k) most = std::max(most, std::fabs(form.rise(k)));
    const bool level = most <= tolerance;
    if (!level && most <= ParallelTurns::kLevel) return;
    if (level && c.count > 3) return;
    found.push_back({.family = level ? ClosedFormFamily::planar : ClosedFormFamily::scara});
}

ParallelTurns parallel_turns_of(const ScrewChain& c) {
    ParallelTurns form{};
    form.count = c.count;
    form.size = c.size;
    int slides = 0;
    for (int k = 0; k < c.count; ++k) {
        form.joint[k] = c.joint[k];
        (c.joint[k].is_prismatic ? form.slide[slides++] : form.turn[form.turns++]) = k;
    }
    const Screw &one = c.joint[form.turn[0]], &two = c.joint[form.turn[1]];
    form.side = normal_to(one.axis);
    form.sign = dot(one.axis, two.axis) < 0.0 ? -1.0 : 1.0;
    if (form.turns == 3) form.arm = PlanarArm::of(one, two, c.joint[form.turn[2]], c.size);
    return form;
}

std::string missing_form(const ScrewChain& c) {
    const int slides = c.num_prismatic();
    const std::string so_many = std::to_string(slides) + (slides == 1 ? " slides" : " slide");
    if (c.count < 6) {
        return "of " + std::to_string(c.count) +
               " joints, expected two or three about parallel axes, or up to three of which no two neighbours are, and "
               "up to three slides that do not depend on each other";
    }
    if (slides == 0) {
        return "no three axes in a row meet in one point, or are parallel, so that six joints have a closed form";
    }
    if (slides > 3) return "of six joints " + so_many + ", expected at most three";
    if (slides == 3) return "of six joints 3 slide, but they depend on each other, or two axes in a row are parallel";
    return "of six joints " + so_many +
           ", and neither the first nor the last three turn about axes that meet in one point";
}

}  // namespace kido
