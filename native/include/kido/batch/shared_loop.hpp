#pragma once

#include <algorithm>
#include <cstddef>

#include "kido/batch/crew.hpp"
#include "kido/config.hpp"

// Loops whose pieces are independent, done by a crew where there is one.

KIDO_BEGIN

class SharedLoop {
public:
    explicit SharedLoop(Crew* crew = nullptr) : crew_(crew) {}
    bool is_shared() const { return crew_ != nullptr; }

    // Calls f(begin, end) for pieces of [0, count) of at least `piece`.
    template <class F>
    void operator()(std::size_t count, std::size_t piece, F f) const {
        if (!crew_ || count < 2 * piece) {
            if (count > 0) f(std::size_t{0}, count);
            return;
        }
        const std::size_t shares = std::min(count / piece, kShares);
        Job<F> job = {f, count, shares};
        crew_->run(static_cast<int>(shares), [](void* context, int share) {
            const auto& j = *static_cast<Job<F>*>(context);
            j.f(j.count * share / j.shares, j.count * (share + 1) / j.shares);
        }, &job);
    }

private:
    static constexpr std::size_t kShares = 16;

    template <class F>
    struct Job {
        const F& f;
        std::size_t count, shares;
    };

    Crew* crew_;
};

KIDO_END
