#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>

// Threads that share the phases of one piece of work: whoever is there takes the next share of the present phase, and nobody goes on
// before it is done. The thread that leads does all by itself where nobody helps. What a share does must not depend on who does it.

namespace kido {

// For how many phases nothing is shared, because others have taken the processors: a share that waits for one stalls all.
struct CrewRest {
    long left = 0, next = 512;
};

class Crew {
public:
    explicit Crew(CrewRest& rest) : rest_(rest) {}
    Crew(const Crew&) = delete;
    Crew& operator=(const Crew&) = delete;

    static constexpr int kMostShares = (1 << 20) - 1;

    // Does job(context, 0) ... job(context, shares - 1); called by the thread that leads. Throws what the first of them to fail threw.
    void run(int shares, void (*job)(void*, int), void* context);
    // Takes shares until the work ends; called by the others.
    void help();
    void end() { ended_.store(true, std::memory_order_release); }

private:
    bool take_share();
    void do_share(int share);

    // Number of the phase, of its shares, and of those that are taken: what a helper has seen is what it takes a share of.
    std::atomic<std::uint64_t> phase_{0};
    std::atomic<int> left_{0};  // shares that are not done
    std::atomic<bool> ended_{false};
    void (*job_)(void*, int) = nullptr;
    void* context_ = nullptr;
    CrewRest& rest_;
    std::mutex mutex_;
    std::exception_ptr error_;
};

}  // namespace kido
