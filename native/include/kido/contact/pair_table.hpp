#pragma once

#include <cstdint>
#include <vector>

#include "kido/config.hpp"

// A set of pairs of small numbers: open addressing in one array, whose order nothing depends on.

KIDO_BEGIN

class PairTable {
public:
    bool contains(int i, int j) const { return !slots_.empty() && slots_[find(key(i, j))] != kEmpty; }
    // False where the pair was there.
    bool insert(int i, int j) {
        if (2 * (count_ + 1) > slots_.size()) grow();
        std::size_t at = find(key(i, j));
        if (slots_[at] != kEmpty) return false;
        slots_[at] = key(i, j);
        ++count_;
        return true;
    }
    void erase(int i, int j) {
        if (slots_.empty()) return;
        std::size_t hole = find(key(i, j));
        if (slots_[hole] == kEmpty) return;
        --count_;
        // What was pushed on past the hole moves back to it.
        for (std::size_t at = next(hole); slots_[at] != kEmpty; at = next(at)) {
            if (((at - home(slots_[at])) & mask()) < ((at - hole) & mask())) continue;
            slots_[hole] = slots_[at];
            hole = at;
        }
        slots_[hole] = kEmpty;
    }
    void clear() {
        slots_.clear();
        count_ = 0;
    }

private:
    static constexpr std::uint64_t kEmpty = ~std::uint64_t{0};
    static constexpr std::size_t kLeast = 64;

    static std::uint64_t key(int i, int j) { return static_cast<std::uint64_t>(i) << 32 | static_cast<unsigned>(j); }
    std::size_t mask() const { return slots_.size() - 1; }
    std::size_t next(std::size_t at) const { return (at + 1) & mask(); }
    // Multiplicative hashing (Knuth, The Art of Computer Programming 3, section 6.4).
    std::size_t home(std::uint64_t key) const { return static_cast<std::size_t>(key * 0x9E3779B97F4A7C15ULL >> 32) & mask(); }
    // The slot of a key, or the empty one where it belongs.
    std::size_t find(std::uint64_t key) const {
        std::size_t at = home(key);
        while (slots_[at] != kEmpty && slots_[at] != key) at = next(at);
        return at;
    }
    void grow() {
        std::vector<std::uint64_t> before(slots_.empty() ? kLeast : 2 * slots_.size(), kEmpty);
        before.swap(slots_);
        for (const std::uint64_t key : before) {
            if (key != kEmpty) slots_[find(key)] = key;
        }
    }

    std::vector<std::uint64_t> slots_;  // a power of two of them, at most half of them taken
    std::size_t count_ = 0;
};

KIDO_END
