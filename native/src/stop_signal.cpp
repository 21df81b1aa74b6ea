#include "kido/batch/stop_signal.hpp"

namespace kido {

using Clock = std::chrono::steady_clock;

StopSignal::StopSignal() : owner_(std::this_thread::get_id()) {}

bool StopSignal::poll() {
    if (is_set()) return true;
    if (std::this_thread::get_id() != owner_) return false;
    const Clock::time_point now = Clock::now();
    if (next_ == Clock::time_point{}) next_ = now + kInterval;
    if (now < next_) return false;
    if (ask()) set_.store(true, std::memory_order_relaxed);
    next_ = Clock::now() + kInterval;
    return is_set();
}

}  // namespace kido
