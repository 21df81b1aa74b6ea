#pragma once

#include <cstddef>
#include <vector>

// Closed chains of joints, and boxes of their positions: the problem of the branch and bound that decides whether all chains can
// close within the limits of their joints.

namespace kido {

inline constexpr int kMostLoopJoints = 32, kMostVariables = 64;

struct LoopTransform {
    double R[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};  // by rows
    double p[3] = {};                           // [m]
};

LoopTransform operator*(const LoopTransform& a, const LoopTransform& b);
LoopTransform inverse(const LoopTransform& a);

// Turns about z, or slides along it, by scale * its variable.
struct LoopJoint {
    bool prismatic;
    int variable;
    double scale;
    LoopTransform before, before_inverse;  // from the joint's frame to the moved frame of the one before it
};

// Where the two sides of a loop are compared: they are carried to joint `meet` from the axis of joint `cut`, whose own position
// drops out, or from the closure where `cut` is -1.
struct LoopTest {
    int meet, cut;
};

// The chain closes where E = before_0 J_0 before_1 J_1 ... J_(n-1) tool is at most `radius` from the identity in position and at most
// `angle` in rotation; what is not closed is free.
struct Loop {
    std::vector<LoopJoint> joints;
    LoopTransform tool, tool_inverse;
    bool closes_position = true, closes_orientation = true;
    double radius = 0.0;  // [m]
    double angle = 0.0;   // [rad]
    // Made by `prepare`.
    std::vector<LoopTest> tests;
    double chord = 0.0;    // largest distance that the tolerated rotation moves a point at distance 1
    double reach = 0.0;    // no point of the chain is farther than this from another [m]
};

// coefficients . variables <= bound.
struct LinearRow {
    std::vector<int> variables;
    std::vector<double> coefficients;
    double bound;
};

// The rotation Rz(a) Ry(b) Rx(c) of three variables is at most `angle` [rad].
struct AngleRow {
    int variables[3];
    double angle;
};

struct LoopProblem {
    std::vector<double> lower, upper;  // of the variables, finite [rad, m]
    std::vector<Loop> loops;
    std::vector<LinearRow> rows;
    std::vector<AngleRow> angles;
    double lever = 0.3;  // [m] at which directions are carried; a rotation of 1 rad counts as this distance

    int variables() const { return static_cast<int>(lower.size()); }
};

// Chooses tests and computes reaches; call it once the loops are complete.
void prepare(LoopProblem& problem);

// Boxes one after the other: lower and upper limit of each variable.
struct BoxList {
    std::vector<double> numbers;
    std::size_t begin = 0;  // numbers before are done with
};

struct BoxSearchStep {
    std::size_t most_nodes;
    double resolution;   // boxes whose widest variable is narrower are leaves [rad, m]
    bool breadth_first;
};

}  // namespace kido
