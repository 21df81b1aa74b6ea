#pragma once

#include "kido/contact/foreseen_motion.hpp"

// How far bodies may have moved relative to each other since the shapes of a pair were tested: what is known of the pair holds
// for as long as that is little. Bodies that fall side by side do not move relative to each other.

KIDO_BEGIN

// Of one pair, since its last test.
struct PairTravel {
    int first, second;  // rows of the bodies
    int touches;        // whether the shapes touched
    int unused;
    double offset[3];   // from the second body's center to the first's [m]
    double limit;       // of the distance from there and of what both have turned, below which the pair is not tested [m]

    static PairTravel untested(int first, int second) { return {first, second, 0, 0, {0.0, 0.0, 0.0}, -1.0}; }
    // Of no pair.
    static PairTravel never() { return {0, 0, 0, 0, {0.0, 0.0, 0.0}, HUGE_VAL}; }

    // Whether the bodies have moved as far or, where the shapes did not touch, will have until the end of the step.
    bool is_due(const ForeseenMotion& foreseen) const {
        const ForeseenRow &f = foreseen[first], &g = foreseen[second];
        const double *a = touches ? f.now : f.next, *b = touches ? g.now : g.next;
        const double room = limit - (a[3] + b[3]), x = a[0] - b[0] - offset[0], y = a[1] - b[1] - offset[1], z = a[2] - b[2] - offset[2];
        return room <= 0.0 || x * x + y * y + z * z >= room * room;
    }
    // What both have turned since then, less the room that they had [m].
    double turned_since(const BodyRows& rows) const { return rows.turned[first] + rows.turned[second] - limit; }
    // The pair was tested where it is: it need not be again before its bodies have moved by `room` [m].
    void reset(const BodyRows& rows, double room, bool touching) {
        const double *a = rows.poses[first].v, *b = rows.poses[second].v;
        for (int c = 0; c < 3; ++c) offset[c] = a[c] - b[c];
        limit = room + (rows.turned[first] + rows.turned[second]);
        touches = touching ? 1 : 0;
    }
};

KIDO_END
