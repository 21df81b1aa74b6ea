#pragma once

#include <cstddef>
#include <cstring>
#include <new>
#include <vector>

#include "kido/config.hpp"

// Numbers that begin with a cache line, so that no register is loaded from two.

namespace kido {

template <class T>
struct CacheLineAllocator {
    using value_type = T;
    static constexpr std::align_val_t kLine{64};

    CacheLineAllocator() = default;
    template <class U>
    CacheLineAllocator(const CacheLineAllocator<U>&) {}

    T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), kLine)); }
    void deallocate(T* p, std::size_t) { ::operator delete(p, kLine); }
    friend bool operator==(const CacheLineAllocator&, const CacheLineAllocator&) { return true; }
};

using AlignedNumbers = std::vector<double, CacheLineAllocator<double>>;

}  // namespace kido

KIDO_BEGIN

// As many zeros. `assign` writes them one by one.
inline void clear_numbers(AlignedNumbers& numbers, std::size_t count) {
    numbers.resize(count);
    if (count > 0) std::memset(numbers.data(), 0, count * sizeof(double));
}

KIDO_END
