#pragma once

#include <cstddef>
#include <cstdint>

#include "kido/config.hpp"

// Memory that a kernel works in: taken piece by piece from a block that the caller owns. A kernel never allocates.

KIDO_BEGIN

inline constexpr std::size_t kAlignment = 64;

KIDO_INLINE constexpr std::size_t aligned(std::size_t bytes) {
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

class Scratch {
public:
    explicit Scratch(void* memory) : next_(reinterpret_cast<std::uintptr_t>(memory)) {}
    template <class U>
    KIDO_INLINE U* take(std::size_t count) {
        U* piece = reinterpret_cast<U*>(next_);
        next_ += aligned(count * sizeof(U));
        return piece;
    }
    std::uintptr_t end() const { return next_; }

private:
    std::uintptr_t next_;  // a number, for layouts on nothing have no memory to point into
};

// Bytes that an algorithm's Memory takes, found by laying it out without touching it.
template <class Memory, class... Args>
std::size_t measure(const Args&... args) {
    Scratch scratch(nullptr);
    Memory memory(args..., scratch);
    return scratch.end();
}

KIDO_END
