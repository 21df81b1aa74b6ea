#pragma once

#include <cstdint>
#include <vector>

#include "body_columns.hpp"
#include "kido/tree/model.hpp"

// From bodies and joints as users know them to links with primitive joints, whose axis is z of the link's own frame.

namespace kido {

// The axis of a primitive joint: one of the two in the row, the cross product of both, one of the joint frame, or the
// first, second or third of the row's Euler order.
enum class AxisChoice : int { first, second, normal, x, y, z, euler_first, euler_second, euler_third, count };

// The primitive joints that make up a joint, parent to child: a byte each, from the lowest on, with one more than the
// JointKind in the lower half and the AxisChoice in the upper half. 0: none, a weld.
struct PrimitiveSequence {
    static constexpr std::int64_t user = -1;  // stands for a joint given by functions: one link for each dof

    std::int64_t bytes;

    bool valid() const;
};

// A body and the joint that carries it, as it stands in a row of numbers.
struct BodyRow {
    static constexpr int integers = 5, numbers = BodyColumns::count;

    int parent;        // body, -1: the world
    PrimitiveSequence sequence;
    int euler_order;   // axes of an Euler joint, as digits to base 3
    bool weighs;       // whether gravity acts on the body
    int user_dofs;     // of a user's joint
    const double* T_parent_joint;  // 3 x 4
    const double* T_child_joint;   // 3 x 4
    const double* axes;            // two unit vectors
    double pitch;                  // [m/turn]
    double mass;                   // [kg]
    const double* com;             // [m]
    const double* moment;          // xx xy xz yy yz zz about the com [kg m^2]

    BodyRow(const std::int64_t* i, const double* x)
        : parent(static_cast<int>(i[0])),
          sequence{i[1]},
          euler_order(static_cast<int>(i[2])),
          weighs(i[3] != 0),
          user_dofs(static_cast<int>(i[4])),
          T_parent_joint(x + BodyColumns::T_parent_joint.first),
          T_child_joint(x + BodyColumns::T_child_joint.first),
          axes(x + BodyColumns::axes.first),
          pitch(x[BodyColumns::pitch.first]),
          mass(x[BodyColumns::mass.first]),
          com(x + BodyColumns::com.first),
          moment(x + BodyColumns::moment.first) {}
};

struct CompiledJoint {
    int link_begin, link_end;  // the links that make it up; none for a weld
    int parent_body;           // -1: the world
};

struct CompiledBodies {
    std::vector<Link> links;
    std::vector<Weight> weights;  // of the links, without what is lifted
    std::vector<Body> bodies;
    std::vector<CompiledJoint> joints;
};

// Rows stand depth first, parents before children; what the links derive from each other is left to ModelStorage.
CompiledBodies compile_bodies(const std::vector<BodyRow>& rows);

}  // namespace kido
