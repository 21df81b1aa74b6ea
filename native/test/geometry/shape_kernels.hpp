#pragma once

#include <compare>
#include <cstdint>

#include "check.hpp"
#include "instruction_set.hpp"

// The code under test: kernels of shapes as the library's build has left them, of each instruction set that this processor has. All of them
// are asked, and have to answer with the same bits, so that what is checked of one answer is checked of all.

namespace check {

// What answers say, byte by byte, without what lies between the members of a struct.
class AnswerBytes {
public:
    template <class... Members>
    void add(const Members&... members) {
        (bytes_.append(reinterpret_cast<const char*>(&members), sizeof members), ...);
    }
    void add(const kido::ContactManifold& manifold) {
        add(manifold.normal, manifold.count, manifold.part);
        for (int k = 0; k < manifold.count; ++k) {
            const kido::ContactPoint& p = manifold.points[k];
            add(p.on_first, p.on_second, p.gap, p.feature);
        }
    }
    auto operator<=>(const AnswerBytes&) const = default;

private:
    std::string bytes_;
};

// Manifolds of two shapes, how many, and what the pair remembers.
struct ContactAnswer {
    int count = 0;
    std::vector<kido::ContactManifold> manifolds;
    kido::PairMemory memory{};

    AnswerBytes bytes() const {
        AnswerBytes out;
        out.add(count, memory.axis, memory.feature, memory.gap, memory.num_corners, memory.corners);
        for (int k = 0; k < count; ++k) out.add(manifolds[k]);
        return out;
    }
};

struct DistanceAnswer {
    int error = 0;
    kido::ShapeDistance found{};

    AnswerBytes bytes() const {
        AnswerBytes out;
        out.add(error, found.distance, found.normal, found.on_first, found.on_second);
        return out;
    }
};

struct RayAnswer {
    int met = 0;
    kido::RayHit hit{};

    AnswerBytes bytes() const {
        AnswerBytes out;
        out.add(met);
        if (met == 1) out.add(hit.distance, hit.normal);
        return out;
    }
};

struct SweepAnswer {
    int met = 0;
    kido::SweepHit hit{};

    AnswerBytes bytes() const {
        AnswerBytes out;
        out.add(met);
        if (met == 1) {
            const kido::ShapeDistance& at = hit.at_hit;
            out.add(hit.time, at.distance, at.normal, at.on_first, at.on_second);
        }
        return out;
    }
};

// f(kernels), the same for all instruction sets.
template <class F>
auto same_answer(F f) {
    const std::vector<const kido::KernelTable*>& tables = kido::available_kernels();
    const auto answer = f(tables[0]->geometry);
    const AnswerBytes bytes = answer.bytes();
    for (const kido::KernelTable* table : tables) {
        if (f(table->geometry).bytes() == bytes) continue;
        fail(__FILE__, __LINE__, std::string(table->instruction_set) + " gives other bits than " + tables[0]->instruction_set);
    }
    return answer;
}

}  // namespace check
