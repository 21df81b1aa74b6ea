#pragma once

#include <vector>

#include "kido/ik/hierarchy_problem.hpp"
#include "numpy_api.hpp"

namespace kido {

namespace nb = nanobind;

// What searches are made of beside the tree, as Python makes it once.

// Of each dof.
struct SearchRanges {
    SearchRanges(nb::handle lower, nb::handle upper, nb::handle low_seed, nb::handle high_seed, nb::handle cyclic);

    std::size_t dofs() const { return lower.size(); }

    std::vector<double> lower, upper;        // [rad, m]
    std::vector<double> low_seed, high_seed;  // range from which further starts are drawn
    std::vector<unsigned char> cyclic;        // whether a whole turn leads back
};

// What a search in levels lowers, by some of the dofs; HierarchyTask says what the numbers mean.
struct SearchTask {
    HierarchyTask task;                // without pointers and rows' places
    std::vector<unsigned char> moves;  // whether a dof of the tree may
    std::vector<int> dof;
    std::vector<double> desired, weight;
};

// A part of the objective; QuadraticObjective says what the numbers mean.
struct QuadraticPart {
    QuadraticPart(std::vector<int> dofs, nb::handle curvature, nb::handle slope, nb::handle center);

    QuadraticObjective objective() const {
        return {dof.data(), static_cast<int>(dof.size()), H.data(), g.data(), center.data()};
    }

    std::vector<int> dof;
    std::vector<double> H, g, center;
};

// The pose of a frame in its body's link: R by columns, p. `point` is its pose in the body, row by row.
void place_in_link(const Body& body, const double* point, double* R, double* p);

std::vector<unsigned char> read_flags(const char* name, nb::handle value, npy_intp count);

// Poses (n, 4, 4), each as rotation by columns and position.
std::vector<double> read_targets(nb::handle targets);

// Numbers (count,) of a C-contiguous array that Python prepared; count -1: any.
std::vector<double> read_row(const char* name, nb::handle value, npy_intp count);

}  // namespace kido
