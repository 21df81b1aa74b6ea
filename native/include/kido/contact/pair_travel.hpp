#pragma once

#include "kido/contact/foreseen_motion.hpp"

// How far bodies may have moved relative to each other since the shapes of a pair were tested: what is known of the pair holds
// for as long as that is little. Bodies that fall side by side do not move relative to each other.

KIDO_BEGIN

// Of one pair, since its last test.
struct PairTravel {
    int first, second;  // rows of the bodies
    int touches;        // whether the shapes touched: 1 or 0
    int unused;
    double offset[3];   // from the second body's center to the first's [m]
    double limit;       // of the distance from there and of what both have turned, below which the pair is not tested [m]

    static PairTravel untested(int first, int second) { return {first, second, 0, 0, {0.0, 0.0, 0.0}, -1.0}; }
    // Of no pair.
    static PairTravel never() { return {0, 0, 0, 0, {0.0, 0.0, 0.0}, HUGE_VAL}; }

    // Whether the bodies have moved as far or, where the shapes did not touch, will have until the end of the step.
    bool is_due(const ForeseenMotion& foreseen) const {
        const int when = 1 - touches;
        const double *a = foreseen[first].at[when], *b = foreseen[second].at[when];
        const double room = limit - (a[3] + b[3]), x = a[0] - b[0] - offset[0], y = a[1] - b[1] - offset[1], z = a[2] - b[2] - offset[2];
        return (room <= 0.0) | (x * x + y * y + z * z >= room * room);
    }
    // What both have turned since then, less the room that they had [m].
    double turned_since(const BodyRows& rows) const { return rows.turned[first] + rows.turned[second] - limit; }
    // What is known of it does not hold any more.
    void expire() { limit = -1.0; }
    // The pair was tested where it is: it need not be again before its bodies have moved by `room` [m].
    void reset(const BodyRows& rows, double room, bool touching) {
        reset(rows, vec3(rows.poses[first].v) - vec3(rows.poses[second].v), room, touching);
    }
    // The same where the first center is `from` the second.
    void reset(const BodyRows& rows, const Vec3<double>& from, double room, bool touching) {
        write3(offset, from);
        limit = room + (rows.turned[first] + rows.turned[second]);
        touches = touching ? 1 : 0;
    }
};

KIDO_END
