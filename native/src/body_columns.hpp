#pragma once

namespace kido {

// Consecutive columns of a table.
struct Columns {
    int first, count;
};

// Where the numbers of a body, and of the joint that carries it, stand in their row.
struct BodyColumns {
    static constexpr Columns T_parent_joint{0, 12};  // 3 x 4
    static constexpr Columns T_child_joint{12, 12};  // 3 x 4
    static constexpr Columns axes{24, 6};            // two unit vectors
    static constexpr Columns pitch{30, 1};           // [m/turn]
    static constexpr Columns inertia{31, 10};        // all that follow
    static constexpr Columns mass{31, 1};            // [kg]
    static constexpr Columns com{32, 3};             // [m]
    static constexpr Columns moment{35, 6};          // xx xy xz yy yz zz about the com [kg m^2]
    static constexpr int count = 41;
};

}  // namespace kido
