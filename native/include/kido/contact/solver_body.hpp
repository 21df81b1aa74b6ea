#pragma once

#include <cstdint>

#include "kido/config.hpp"

// What a row of the solver stands for.

KIDO_BEGIN

enum class BodyKind : int { fixed, free, link };

struct SolverBody {
    BodyKind kind;
    bool weighs;
    int tree, link;        // of kind link; `link` counts rows of the tree, points around links behind all links
    double radius;         // of the ball about its center that holds its shapes [m]
    std::uint64_t colors;  // in which a free body has manifolds
    int touches;           // manifolds that it has part in, and what constraints count for
    int held = 0;          // the latter
    bool asleep = false;   // whether steps leave it where it is, until something wakes it

    bool moves() const { return kind != BodyKind::fixed; }
    bool is_awake() const { return kind != BodyKind::fixed && !asleep; }
};

KIDO_END
