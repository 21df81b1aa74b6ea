#pragma once

#include "kido/contact/foreseen_motion.hpp"
#include "kido/geometry/bounding_box.hpp"
#include "kido/tree/joint.hpp"

// How far the body of a collider may move before the collider leaves its box in the tree.

KIDO_BEGIN

struct BoxTravel {
    double at[4];            // center of the body and what it had turned, when the collider was last looked at
    double low[3], high[3];  // room of the collider in its box, on each side [m]
    double turning;          // 0 where turning does not move the collider, else 1
    int body, unused;

    static BoxTravel unknown(int body) { return {{0.0, 0.0, 0.0, 0.0}, {-1.0, -1.0, -1.0}, {-1.0, -1.0, -1.0}, 1.0, body, 0}; }
    // Of a collider that has no box.
    static BoxTravel never() { return {{0.0, 0.0, 0.0, 0.0}, {HUGE_VAL, HUGE_VAL, HUGE_VAL}, {HUGE_VAL, HUGE_VAL, HUGE_VAL}, 1.0, 0, 0}; }

    // Whether the collider may leave its box until the end of the step.
    bool is_due(const ForeseenMotion& motion) const {
        const ForeseenRow& foreseen = motion[body];
        const double turned = turning * (foreseen.next()[3] - at[3]);
        bool inside = true;
        for (int c = 0; c < 3; ++c) {
            const double moved = foreseen.next()[c] - at[c];
            inside &= (turned - moved <= low[c]) & (turned + moved <= high[c]);
        }
        return !inside;
    }
    // The collider is within `own`, and its box is `box`.
    void reset(const BodyRows& rows, const BoundingBox& own, const BoundingBox& box, bool turns) {
        for (int c = 0; c < 3; ++c) at[c] = rows.poses[body].v[c];
        at[3] = rows.turned[body];
        write3(low, own.low - box.low);
        write3(high, box.high - own.high);
        turning = turns ? 1.0 : 0.0;
    }
};

KIDO_END
