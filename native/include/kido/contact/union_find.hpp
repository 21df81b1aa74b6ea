#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "kido/contact/state_archive.hpp"

// Sets of numbers that are joined two by two. A set is named by its smallest number, whatever the order in which it was joined.

KIDO_BEGIN

class UnionFind {
public:
    // The numbers below `count`, each by itself.
    void begin(std::size_t count) {
        roots_.resize(count);
        std::iota(roots_.begin(), roots_.end(), 0);
    }
    // More numbers, each by itself.
    void grow(std::size_t count) {
        for (std::size_t i = roots_.size(); i < count; ++i) roots_.push_back(static_cast<int>(i));
    }
    void join(int a, int b) {
        a = root(a);
        b = root(b);
        roots_[std::max(a, b)] = std::min(a, b);
    }
    // The name of a set.
    int root(int i) {
        while (roots_[i] != i) {
            roots_[i] = roots_[roots_[i]];
            i = roots_[i];
        }
        return i;
    }
    // After this, `of` gives names, until numbers are joined again.
    void end() {
        for (std::size_t i = 0; i < roots_.size(); ++i) roots_[i] = root(static_cast<int>(i));
    }
    int of(int i) const { return roots_[i]; }
    std::size_t size() const { return roots_.size(); }
    void archive(StateArchive& archive) { archive(roots_); }

private:
    std::vector<int> roots_;
};

KIDO_END
