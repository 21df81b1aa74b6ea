#pragma once

#include <cmath>
#include <vector>

#include "kido/contact/body_rows.hpp"
#include "kido/contact/solver_body.hpp"

// Where bodies are, and where they will be at the end of a step if their velocities stay.

KIDO_BEGIN

// All that finding contacts reads of bodies.
struct BodyRows {
    std::vector<SolverBody>& bodies;
    const PoseRow* poses;
    const MotionRow* velocities;
    const double* turned;  // of each body: the path that its points have moved at most by turning about its center [m]
};

// Center of a body (3) and what it has turned [m], and both at the end of the step if its velocity stays.
struct alignas(64) ForeseenRow {
    double at[2][4];

    const double* now() const { return at[0]; }
    const double* next() const { return at[1]; }
};

class ForeseenMotion {
public:
    void find(const BodyRows& rows, double step) {
        const std::size_t count = rows.bodies.size();
        rows_.resize(count);
        any_asleep_ = false;
        for (std::size_t i = 0; i < count; ++i) {
            const double *center = rows.poses[i].v, *v = rows.velocities[i].v;
            ForeseenRow& row = rows_[i];
            any_asleep_ |= rows.bodies[i].asleep;
            for (int c = 0; c < 3; ++c) {
                row.at[0][c] = center[c];
                row.at[1][c] = center[c] + step * v[c];
            }
            row.at[0][3] = rows.turned[i];
            row.at[1][3] = rows.turned[i] + step * rows.bodies[i].radius * std::sqrt(v[3] * v[3] + v[4] * v[4] + v[5] * v[5]);
        }
    }
    const ForeseenRow& operator[](int row) const { return rows_[row]; }
    // Whether some bodies sleep.
    bool any_asleep() const { return any_asleep_; }

private:
    std::vector<ForeseenRow> rows_;
    bool any_asleep_ = false;
};

KIDO_END
