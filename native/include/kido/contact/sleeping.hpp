#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "kido/contact/body_rows.hpp"
#include "kido/contact/native_world.hpp"
#include "kido/contact/state_archive.hpp"

// How long bodies have hardly moved, and which islands sleep. A skeleton counts by the row of its first link.

KIDO_BEGIN

class Sleeping {
public:
    void add_row() {
        still_.push_back(0.0);
        naps_.push_back(0);
    }
    // Before a step: whether islands are looked at after it.
    bool begin_step(const WorldSettings& settings) {
        looks_ = settings.sleep.after < HUGE_VAL && ++steps_ % kInterval == 0 && longest_ + 1.5 * settings.step >= settings.sleep.after;
        return looks_;
    }
    bool looks() const { return looks_; }

    // The time for which a body has been slow [s]; such that may not sleep are never slow.
    double still(int row) const { return still_[row]; }
    void begin_times() { longest_ = 0.0; }
    void set_slow(int row, bool slow, double step) {
        still_[row] = slow ? still_[row] + step : 0.0;
        longest_ = std::max(longest_, still_[row]);
    }
    static bool is_slow(const MotionRow& velocity, const SleepSettings& sleep) {
        const Vec3<double> v = vec3(velocity.v), w = vec3(velocity.v + 3);
        return dot(v, v) <= sleep.linear * sleep.linear && dot(w, w) <= sleep.angular * sleep.angular;
    }

    // Of a body's island the number of its sleep, of which each has its own; 0: it is awake.
    std::int64_t nap(int row) const { return naps_[row]; }
    std::int64_t next_nap() { return ++last_nap_; }
    void set_nap(int row, std::int64_t nap) {
        naps_[row] = nap;
        still_[row] = 0.0;
    }
    void archive(StateArchive& archive) {
        archive.same_length(still_);
        archive.same_length(naps_);
        archive(last_nap_);
        archive(steps_);
        archive(longest_);
    }

private:
    static constexpr std::int64_t kInterval = 8;  // steps from one look at islands to the next

    std::vector<double> still_;       // [s]
    std::vector<std::int64_t> naps_;
    std::int64_t last_nap_ = 0, steps_ = 0;
    double longest_ = 0.0;  // of those that are awake [s]
    bool looks_ = false;
};

KIDO_END
