#include "kido/batch/crew.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

namespace kido {

namespace {

constexpr int kBits = 20;
constexpr std::uint64_t kMask = (std::uint64_t{1} << kBits) - 1;
constexpr int kSpins = 2000, kYields = 1000;  // before a thread lets others have the processor, and before it sleeps
constexpr std::chrono::microseconds kSleep{50};
constexpr long kShortestRest = 512, kLongestRest = 1 << 17;  // phases

void pause() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

class Wait {
public:
    // Spins, then lets others run, then sleeps.
    void once() {
        if (++spins_ < kSpins) {
            pause();
        } else if (spins_ < kSpins + kYields) {
            std::this_thread::yield();
        } else {
            std::this_thread::sleep_for(kSleep);
        }
    }
    bool is_long() const { return spins_ >= kSpins; }

private:
    int spins_ = 0;
};

}  // namespace

void Crew::run(int shares, void (*job)(void*, int), void* context) {
    if (rest_.left > 0) {
        --rest_.left;
        for (int share = 0; share < shares; ++share) job(context, share);
        return;
    }
    job_ = job;
    context_ = context;
    left_.store(shares, std::memory_order_relaxed);
    const std::uint64_t number = (phase_.load(std::memory_order_relaxed) >> (2 * kBits)) + 1;
    phase_.store(number << (2 * kBits) | static_cast<std::uint64_t>(shares) << kBits, std::memory_order_release);
    while (take_share()) {}
    Wait wait;
    while (left_.load(std::memory_order_acquire) > 0) wait.once();
    if (wait.is_long()) {
        rest_.left = rest_.next;
        rest_.next = std::min(2 * rest_.next, kLongestRest);
    } else {
        rest_.next = std::max(rest_.next - 1, kShortestRest);
    }
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

void Crew::help() {
    Wait wait;
    while (!ended_.load(std::memory_order_acquire)) {
        if (take_share()) {
            wait = Wait();
        } else {
            wait.once();
        }
    }
}

bool Crew::take_share() {
    std::uint64_t seen = phase_.load(std::memory_order_acquire);
    while ((seen & kMask) < (seen >> kBits & kMask)) {
        if (!phase_.compare_exchange_weak(seen, seen + 1, std::memory_order_acq_rel, std::memory_order_acquire)) continue;
        do_share(static_cast<int>(seen & kMask));
        return true;
    }
    return false;
}

void Crew::do_share(int share) {
    try {
        job_(context_, share);
    } catch (...) {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (!error_) error_ = std::current_exception();
    }
    left_.fetch_sub(1, std::memory_order_acq_rel);
}

}  // namespace kido
