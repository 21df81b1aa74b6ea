#pragma once

#include <cstddef>
#include <cstring>
#include <vector>

#include "kido/contact/manifold_block.hpp"

// Some manifolds of stores, side by side: what sweeps visit where of the bundles of a store few lanes are meant. What a step has computed of
// them is copied once, impulses before and after the sweeps.

KIDO_BEGIN

template <class T, int Points>
class PackedManifolds {
public:
    static constexpr int width = lanes_of<T>;
    using Block = ManifoldBlock<T, Points>;

    void clear() { slots_.clear(); }
    // The next one, by its slot in a store.
    void add(int slot) { slots_.push_back(slot); }
    // Behind the last one of a store: those of the next one begin a bundle.
    void end_store() { slots_.resize((slots_.size() + width - 1) / width * width, kNone); }
    std::size_t bundles() const { return slots_.size() / width; }
    Block* blocks() { return blocks_.data(); }

    // Of the bundles `begin` to `end`, whose manifolds lie in the blocks `from`: bodies, and what a step computes of poses.
    void take(const Block* from, std::size_t begin, std::size_t end) {
        blocks_.resize(bundles());
        for (std::size_t k = begin; k < end; ++k) {
            if (slots_[k * width + width - 1] == kNone) std::memset(static_cast<void*>(&blocks_[k]), 0, sizeof(Block));
        }
        for_each_lane(begin, end, [&](Block& to, int to_lane, int slot) {
            const Block& m = from[slot / width];
            const int lane = slot % width;
            to.first[to_lane] = m.first[lane];
            to.second[to_lane] = m.second[lane];
            copy_lanes(numbers(m) + kImpulses, lane, numbers(to) + kImpulses, to_lane, kRead - kImpulses);
        });
    }
    // Impulses, and gaps that sweeps keep.
    void take_impulses(const Block* from, std::size_t begin, std::size_t end) {
        for_each_lane(begin, end, [&](Block& to, int to_lane, int slot) {
            const Block& m = from[slot / width];
            copy_lanes(numbers(m), slot % width, numbers(to), to_lane, kImpulses);
            copy_lanes(m.moved_gap, slot % width, to.moved_gap, to_lane, Points);
        });
    }
    void give_impulses(Block* to, std::size_t begin, std::size_t end) {
        for_each_lane(begin, end, [&](Block& m, int lane, int slot) {
            copy_lanes(numbers(m), lane, numbers(to[slot / width]), slot % width, kImpulses);
        });
    }

private:
    static constexpr int kNone = -1;
    static constexpr int kImpulses = 3 * Points;  // numbers of a block, the first of them
    // Those that visits read: of one point only how it moves along the plane by a force along the normal.
    static constexpr std::size_t kEnd = Points == 1 ? offsetof(Block, coupling) + 2 * sizeof(T) : sizeof(Block);
    static constexpr int kRead = static_cast<int>((kEnd - offsetof(Block, normal_impulse)) / sizeof(T));

    // A block's numbers: all that is behind the bodies.
    static T* numbers(Block& m) { return m.normal_impulse; }
    static const T* numbers(const Block& m) { return m.normal_impulse; }
    static void copy_lanes(const T* from, int from_lane, T* to, int to_lane, int count) {
        const double* x = reinterpret_cast<const double*>(from) + from_lane;
        double* y = reinterpret_cast<double*>(to) + to_lane;
        for (int i = 0; i < count; ++i) y[i * width] = x[i * width];
    }
    // Calls f(block, lane, slot).
    template <class F>
    void for_each_lane(std::size_t begin, std::size_t end, const F& f) {
        for (std::size_t i = begin * width; i < end * width; ++i) {
            if (slots_[i] != kNone) f(blocks_[i / width], static_cast<int>(i % width), slots_[i]);
        }
    }

    std::vector<int> slots_;  // in lanes
    std::vector<Block> blocks_;
};

KIDO_END
