#pragma once

#include <array>
#include <cstring>
#include <type_traits>
#include <vector>

#include "kido/contact/manifold_block.hpp"
#include "kido/contact/state_archive.hpp"

// Where manifolds live while their bodies touch: bundles of as many as there are lanes. A manifold keeps its slot until it
// ends; then the last one takes its place. Nothing is packed anew from step to step.

KIDO_BEGIN

template <class T, int Points, class Block_ = ManifoldBlock<T, Points>>
class ManifoldStore {
public:
    static constexpr int width = lanes_of<T>;
    using Anchors = ManifoldAnchors<T, Points>;
    using Block = Block_;
    using Number = T;

    std::size_t bundles() const { return blocks_.size(); }
    int size() const { return static_cast<int>(owners_.size()); }
    Anchors* anchors() { return anchors_.data(); }
    Block* blocks() { return blocks_.data(); }
    Anchors& anchors_of(int slot) { return anchors_[slot / width]; }
    Block& block_of(int slot) { return blocks_[slot / width]; }
    static int lane_of(int slot) { return slot % width; }
    int owner(int slot) const { return owners_[slot]; }

    // The slot of a new manifold, without points or impulses.
    int add(int owner) {
        const int slot = size();
        if (lane_of(slot) == 0) {
            anchors_.emplace_back();
            blocks_.emplace_back();
            clear(anchors_.back(), blocks_.back());
        }
        owners_.push_back(owner);
        return slot;
    }
    // Writes a manifold of another store into a slot: anchors, bodies and impulses.
    template <class Other>
    void copy(int slot, Other& from, int from_slot) {
        using From = std::remove_cvref_t<decltype(from.anchors_of(0).friction)>;
        static_assert(Other::Anchors::points == Points);
        T* a = reinterpret_cast<T*>(&anchors_of(slot));
        const From* b = reinterpret_cast<const From*>(&from.anchors_of(from_slot));
        for (std::size_t i = 0; i < sizeof(Anchors) / sizeof(T); ++i) {
            set_lane(a[i], lane_of(slot), stored_lane(b[i], Other::lane_of(from_slot)));
        }
        copy_block(block_of(slot), lane_of(slot), from.block_of(from_slot), Other::lane_of(from_slot));
    }
    // Ends a manifold; returns the owner of the one that takes its slot, -1: none.
    int remove(int slot) {
        const int last = size() - 1, moved = slot == last ? -1 : owners_[last];
        if (moved >= 0) {
            copy_lane(anchors_of(slot), lane_of(slot), anchors_of(last), lane_of(last));
            copy_block(block_of(slot), lane_of(slot), block_of(last), lane_of(last));
            owners_[slot] = moved;
        }
        const bool summed = !sums_.empty() && sums_.size() == blocks_.size();
        if (summed && moved >= 0) copy_lane(sums_[slot / width], lane_of(slot), sums_[last / width], lane_of(last));
        owners_.pop_back();
        if (lane_of(last) == 0) {
            anchors_.pop_back();
            blocks_.pop_back();
            if (summed) sums_.pop_back();
        } else {
            clear_lane(last);
        }
        return moved;
    }
    // Impulses of a sub-step, which are added to those of the step.
    void begin_sums() { sums_.clear(); }
    void sum_impulses() {
        const bool first = sums_.empty();
        sums_.resize(blocks_.size());
        for (std::size_t k = 0; k < blocks_.size(); ++k) {
            const Block& b = blocks_[k];
            ImpulseSums& s = sums_[k];
            for (int p = 0; p < Points; ++p) {
                s.normal[p] = first ? b.normal_impulse[p] : s.normal[p] + b.normal_impulse[p];
                s.along_1[p] = first ? b.impulse_1[p] : s.along_1[p] + b.impulse_1[p];
                s.along_2[p] = first ? b.impulse_2[p] : s.along_2[p] + b.impulse_2[p];
            }
        }
    }
    // Keeps as a sum what a manifold of another store took in the whole step.
    template <class Other>
    void keep_total(int slot, Other& from, int from_slot) {
        sums_.resize(blocks_.size());
        ImpulseSums& s = sums_[slot / width];
        for (int p = 0; p < Points; ++p) {
            const Vec3<double> sum = from.impulse_sum(from_slot, p) + from.impulse(from_slot, p);
            set_lane(s.normal[p], lane_of(slot), sum.x);
            set_lane(s.along_1[p], lane_of(slot), sum.y);
            set_lane(s.along_2[p], lane_of(slot), sum.z);
        }
    }
    // Of a point, in the manifold's frame, in the last sub-step.
    Vec3<double> impulse(int slot, int point) {
        const Block& b = block_of(slot);
        const int lane = lane_of(slot);
        return {stored_lane(b.normal_impulse[point], lane), stored_lane(b.impulse_1[point], lane), stored_lane(b.impulse_2[point], lane)};
    }
    // Of a point, in the manifold's frame, what was summed.
    Vec3<double> impulse_sum(int slot, int point) const {
        if (sums_.empty()) return zero3<double>();
        const ImpulseSums& s = sums_[slot / width];
        const int lane = lane_of(slot);
        return {stored_lane(s.normal[point], lane), stored_lane(s.along_1[point], lane), stored_lane(s.along_2[point], lane)};
    }
    // The same of a bundle.
    Vec3<T> impulses(int bundle, int point) const {
        const Block& b = blocks_[bundle];
        return {b.normal_impulse[point], b.impulse_1[point], b.impulse_2[point]};
    }
    Vec3<T> summed_impulses(int bundle, int point) const {
        if (static_cast<std::size_t>(bundle) >= sums_.size()) return zero3<T>();
        const ImpulseSums& s = sums_[bundle];
        return {s.normal[point], s.along_1[point], s.along_2[point]};
    }
    // Where sub-steps are that many times longer than before.
    void scale_impulses(double factor) {
        for (Block& block : blocks_) {
            for (T* impulses : {block.normal_impulse, block.impulse_1, block.impulse_2}) {
                for (int p = 0; p < Points; ++p) impulses[p] = impulses[p] * T(factor);
            }
            scale_extra(block, factor);
        }
    }
    void forget_impulses() {
        sums_.clear();
        for (Block& block : blocks_) {
            for (int p = 0; p < Points; ++p) block.normal_impulse[p] = block.impulse_1[p] = block.impulse_2[p] = T(0.0);
            forget_extra(block);
        }
    }
    // One manifold after the other, whatever the number of lanes.
    void archive(StateArchive& archive) {
        std::uint64_t count = owners_.size();
        archive(count);
        if (archive.reads()) {
            anchors_.clear();
            blocks_.clear();
            owners_.clear();
            sums_.clear();
        }
        // Sums that a detection came after fit no more.
        bool summed = sums_.size() == blocks_.size();
        archive(summed);
        for (std::uint64_t k = 0; k < count && archive.good(); ++k) {
            if (archive.reads()) add(0);
            if (archive.reads() && summed) sums_.resize(blocks_.size());
            const int slot = static_cast<int>(k);
            archive(owners_[slot]);
            archive_lanes(archive, anchors_of(slot), lane_of(slot));
            Block& block = block_of(slot);
            archive(block.first[lane_of(slot)]);
            archive(block.second[lane_of(slot)]);
            for (T* impulses : {block.normal_impulse, block.impulse_1, block.impulse_2}) {
                for (int p = 0; p < Points; ++p) archive_lanes(archive, impulses[p], lane_of(slot));
            }
            archive_extra(archive, block);
            if (summed) archive_lanes(archive, sums_[slot / width], lane_of(slot));
        }
    }

private:
    template <class X>
    static void archive_lanes(StateArchive& archive, X& numbers, int lane) {
        constexpr std::size_t count = sizeof(X) / sizeof(T);
        T* x = reinterpret_cast<T*>(&numbers);
        std::array<double, count> of_lane;
        for (std::size_t i = 0; i < count; ++i) of_lane[i] = stored_lane(x[i], lane);
        archive(of_lane);
        for (std::size_t i = 0; archive.reads() && i < count; ++i) set_lane(x[i], lane, of_lane[i]);
    }
    struct ImpulseSums {
        T normal[Points], along_1[Points], along_2[Points];
    };

    // Without bodies: between the world and itself, in a frame that is one.
    static void clear(Anchors& anchors, Block& block) {
        std::memset(static_cast<void*>(&anchors), 0, sizeof anchors);
        std::memset(static_cast<void*>(&block), 0, sizeof block);
        anchors.normal.x = T(1.0);
        anchors.tangent.y = T(1.0);
    }
    // Of structures that are numbers in lanes throughout.
    template <class X>
    static void copy_lane(X& to, int to_lane, const X& from, int from_lane) {
        static_assert(sizeof(X) % sizeof(T) == 0);
        T* a = reinterpret_cast<T*>(&to);
        const T* b = reinterpret_cast<const T*>(&from);
        for (std::size_t i = 0; i < sizeof(X) / sizeof(T); ++i) set_lane(a[i], to_lane, stored_lane(b[i], from_lane));
    }
    template <class From>
    static void copy_block(Block& to, int to_lane, const From& from, int from_lane) {
        to.first[to_lane] = from.first[from_lane];
        to.second[to_lane] = from.second[from_lane];
        copy_extra(to, to_lane, from, from_lane);
        for (int p = 0; p < Points; ++p) {
            set_lane(to.normal_impulse[p], to_lane, stored_lane(from.normal_impulse[p], from_lane));
            set_lane(to.impulse_1[p], to_lane, stored_lane(from.impulse_1[p], from_lane));
            set_lane(to.impulse_2[p], to_lane, stored_lane(from.impulse_2[p], from_lane));
        }
    }
    void clear_lane(int slot) {
        Block& block = block_of(slot);
        Anchors& anchors = anchors_of(slot);
        const int lane = lane_of(slot);
        block.first[lane] = block.second[lane] = 0;
        set_lane(anchors.restitution, lane, 0.0);
        if constexpr (Points == 1) set_lane(anchors.balls.radius_first, lane, 0.0);
        for (int p = 0; p < Points; ++p) {
            set_lane(block.normal_impulse[p], lane, 0.0);
            set_lane(block.impulse_1[p], lane, 0.0);
            set_lane(block.impulse_2[p], lane, 0.0);
            set_lane(anchors.used[p], lane, 0.0);
        }
    }

    std::vector<Anchors> anchors_;
    std::vector<Block> blocks_;
    std::vector<ImpulseSums> sums_;
    std::vector<int> owners_;
};

// Manifolds none of which share a body that moves: those of one point by themselves.
template <class T>
struct ManifoldColor {
    ManifoldStore<T, 1> single;
    ManifoldStore<T, 4> full;

    void archive(StateArchive& archive) {
        single.archive(archive);
        full.archive(archive);
    }
    template <class F>
    void for_each_store(F f) {
        if (full.bundles()) f(full);
        if (single.bundles()) f(single);
    }
};

KIDO_END
