#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "kido/config.hpp"

// The numbers of a world as bytes, and back: the same calls, in the same order, write and read.

KIDO_BEGIN

class StateArchive {
public:
    // Writes to the end of `bytes`.
    explicit StateArchive(std::vector<char>& bytes) : out_(&bytes) {}
    // Reads.
    StateArchive(const char* bytes, std::size_t size) : in_(bytes), left_(size) {}

    bool reads() const { return out_ == nullptr; }
    // Whether all that was read was there, and `fits`.
    bool good() const { return good_; }
    bool ended() const { return good_ && left_ == 0; }
    void require(bool fits) { good_ = good_ && fits; }

    template <class X>
        requires std::is_trivially_copyable_v<X>
    void operator()(X& x) {
        raw(&x, sizeof x);
    }
    template <class X, class Allocator>
    void operator()(std::vector<X, Allocator>& numbers) {
        static_assert(std::is_trivially_copyable_v<X>);
        std::uint64_t count = numbers.size();
        (*this)(count);
        if (reads()) {
            require(count <= left_ / sizeof(X));
            if (!good_) return;
            numbers.resize(count);
        }
        raw(numbers.data(), count * sizeof(X));
    }
    // Of a length that is known: another one does not fit.
    template <class X, class Allocator>
    void same_length(std::vector<X, Allocator>& numbers) {
        std::uint64_t count = numbers.size();
        (*this)(count);
        require(count == numbers.size());
        if (good_) raw(numbers.data(), count * sizeof(X));
    }

private:
    void raw(void* numbers, std::size_t size) {
        if (size == 0 || !good_) return;
        if (out_) {
            const char* first = static_cast<const char*>(numbers);
            out_->insert(out_->end(), first, first + size);
            return;
        }
        require(size <= left_);
        if (!good_) return;
        std::memcpy(numbers, in_, size);
        in_ += size;
        left_ -= size;
    }

    std::vector<char>* out_ = nullptr;
    const char* in_ = nullptr;
    std::size_t left_ = 0;
    bool good_ = true;
};

KIDO_END
