#pragma once

#include <cstddef>
#include <memory>
#include <new>

#include "kido/tree/scratch.hpp"

namespace kido {

// Memory of a kernel, kept from one call to the next.
class WorkingBlock {
public:
    // Throws std::bad_alloc.
    void* at_least(std::size_t bytes) {
        if (bytes > size_) {
            block_.reset(static_cast<std::byte*>(::operator new(bytes, std::align_val_t(kAlignment))));
            size_ = bytes;
        }
        return block_.get();
    }

private:
    struct Free {
        void operator()(std::byte* p) const { ::operator delete(p, std::align_val_t(kAlignment)); }
    };
    std::unique_ptr<std::byte, Free> block_;
    std::size_t size_ = 0;
};

}  // namespace kido
