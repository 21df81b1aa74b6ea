#pragma once

#include <chrono>

#include "kido/lcp/problem.hpp"

namespace kido {

// Whether a solve is to end early: its time budget is spent, or its owner wants it to stop.
class LcpWatch {
public:
    LcpWatch(double budget, StopSignal* stop) : stop_(stop), limited_(budget < 1e8) {
        if (limited_) end_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(budget));
    }
    bool over() const { return (stop_ && stop_->poll()) || (limited_ && Clock::now() >= end_); }

private:
    using Clock = std::chrono::steady_clock;
    StopSignal* stop_;
    bool limited_;
    Clock::time_point end_{};
};

}  // namespace kido
