#pragma once

namespace kido {

// Where the numbers of a body, and of the joint that carries it, stand in their row.
struct BodyColumns {
    struct Range {
        int first, count;
    };
    static constexpr Range T_parent_joint{0, 12};  // 3 x 4
    static constexpr Range T_child_joint{12, 12};  // 3 x 4
    static constexpr Range axes{24, 6};            // two unit vectors
    static constexpr Range pitch{30, 1};           // [m/turn]
    static constexpr Range inertia{31, 10};        // all that follow
    static constexpr Range mass{31, 1};            // [kg]
    static constexpr Range com{32, 3};             // [m]
    static constexpr Range moment{35, 6};          // xx xy xz yy yz zz about the com [kg m^2]
    static constexpr int count = 41;
};

}  // namespace kido
