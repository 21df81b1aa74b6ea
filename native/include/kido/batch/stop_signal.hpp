#pragma once

#include <atomic>
#include <chrono>
#include <thread>

// Ends long work early: what runs for long polls between pieces of work, and returns where that says so.

namespace kido {

class StopSignal {
public:
    static constexpr std::chrono::milliseconds kInterval{50};

    StopSignal();
    StopSignal(const StopSignal&) = delete;
    StopSignal& operator=(const StopSignal&) = delete;

    bool is_set() const { return set_.load(std::memory_order_relaxed); }
    // True to stop. The thread that made this object also asks its owner, once in each interval.
    bool poll();

protected:
    ~StopSignal() = default;

private:
    // True if the owner requests a stop. Called on the thread that made this object, where nothing is locked but the
    // turn of the thread pool: it may start other work.
    virtual bool ask() = 0;

    std::atomic<bool> set_{false};
    const std::thread::id owner_;
    std::chrono::steady_clock::time_point next_{};  // when to ask; unknown before the first poll
};

}  // namespace kido
