#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "kido/config.hpp"

// A symmetric positive definite matrix of blocks, most of which are zero, and its Cholesky factor: L L^T. Blocks are eliminated by
// minimum degree (George and Liu 1989, The evolution of the minimum degree ordering algorithm); those of equal degree in the
// order in which they came. Variables stand in the order of the elimination.

KIDO_BEGIN

class BlockMatrix {
public:
    static constexpr int kMostBlocks = 64;

    void begin() {
        blocks_.clear();
        size_ = 0;
    }
    // Index of a new block of rows and columns.
    int add(int width) {
        blocks_.push_back({width, 0, 0, 0});
        return num_blocks() - 1;
    }
    void connect(int a, int b) {
        if (a == b) return;
        blocks_[a].neighbors |= bit(b);
        blocks_[b].neighbors |= bit(a);
    }
    // After all blocks and connections: which entries there are, with those that the elimination fills.
    void order() {
        find_order();
        std::size_t numbers = 0;
        const int n = num_blocks();
        offsets_.assign(static_cast<std::size_t>(n) * n, 0);
        for (int k = 0; k < n; ++k) {
            for (int i = k; i < n; ++i) {
                if (i != k && !fills(k, i)) continue;
                offsets_[i * n + k] = numbers;
                numbers += static_cast<std::size_t>(width_at(i)) * width_at(k);
            }
        }
        numbers_.resize(numbers);
    }

    int num_blocks() const { return static_cast<int>(blocks_.size()); }
    int size() const { return size_; }
    int start(int block) const { return blocks_[block].start; }
    int width(int block) const { return blocks_[block].width; }
    bool is_before(int a, int b) const { return blocks_[a].position < blocks_[b].position; }

    void clear() { std::fill(numbers_.begin(), numbers_.end(), 0.0); }
    // Entries of connected blocks, row after row; `row` is not before `column`. Of a diagonal block the lower half counts.
    double* entries(int row, int column) { return at(blocks_[row].position, blocks_[column].position); }

    // Replaces the matrix by its factor; false where it is not positive definite.
    bool factor() {
        for (int k = 0; k < num_blocks(); ++k) {
            if (!factor_diagonal(k)) return false;
            eliminate(k);
        }
        return true;
    }
    // Replaces x by the solution of L L^T y = x.
    void solve(double* x) const {
        for (int k = 0; k < num_blocks(); ++k) solve_lower(k, x);
        for (int k = num_blocks() - 1; k >= 0; --k) solve_upper(k, x);
    }

private:
    struct Block {
        int width, start, position;
        std::uint64_t neighbors;
    };

    static std::uint64_t bit(int i) { return std::uint64_t{1} << i; }
    int width_at(int position) const { return blocks_[order_[position]].width; }
    int start_at(int position) const { return blocks_[order_[position]].start; }
    // Whether row i has an entry in column k > i, both by position.
    bool fills(int k, int i) const { return patterns_[k] & bit(order_[i]); }
    double* at(int i, int k) { return &numbers_[offsets_[i * num_blocks() + k]]; }
    const double* at(int i, int k) const { return &numbers_[offsets_[i * num_blocks() + k]]; }

    void find_order() {
        const int n = num_blocks();
        std::vector<std::uint64_t> graph(n);
        for (int b = 0; b < n; ++b) graph[b] = blocks_[b].neighbors;
        std::uint64_t left = n == kMostBlocks ? ~std::uint64_t{0} : bit(n) - 1;
        order_.clear();
        patterns_.clear();
        size_ = 0;
        for (int position = 0; position < n; ++position) {
            int best = -1, least = kMostBlocks + 1;
            for (int b = 0; b < n; ++b) {
                const int degree = __builtin_popcountll(graph[b] & left);
                if (!(left & bit(b)) || degree >= least) continue;
                best = b;
                least = degree;
            }
            left &= ~bit(best);
            const std::uint64_t around = graph[best] & left;
            for (int b = 0; b < n; ++b) {
                if (around & bit(b)) graph[b] |= around & ~bit(b);
            }
            order_.push_back(best);
            patterns_.push_back(around);
            blocks_[best].position = position;
            blocks_[best].start = size_;
            size_ += blocks_[best].width;
        }
    }

    bool factor_diagonal(int k) {
        double* A = at(k, k);
        const int n = width_at(k);
        for (int j = 0; j < n; ++j) {
            double d = A[n * j + j];
            for (int c = 0; c < j; ++c) d -= A[n * j + c] * A[n * j + c];
            if (!(d > 0.0)) return false;
            const double root = std::sqrt(d), inverse = 1.0 / root;
            A[n * j + j] = root;
            for (int i = j + 1; i < n; ++i) {
                double s = A[n * i + j];
                for (int c = 0; c < j; ++c) s -= A[n * i + c] * A[n * j + c];
                A[n * i + j] = s * inverse;
            }
        }
        return true;
    }
    // Rows below: X = X L^-T, then what they take off the blocks between them.
    void eliminate(int k) {
        const int n = width_at(k);
        const double* A = at(k, k);
        rows_.clear();
        for (int i = k + 1; i < num_blocks(); ++i) {
            if (fills(k, i)) rows_.push_back(i);
        }
        std::size_t wide = 0;
        for (const int i : rows_) wide += width_at(i);
        turned_.resize(wide * n);
        double* turned = turned_.data();
        for (const int i : rows_) {
            const int m = width_at(i);
            double* X = at(i, k);
            for (int r = 0; r < m; ++r) {
                for (int j = 0; j < n; ++j) {
                    double s = X[n * r + j];
                    for (int c = 0; c < j; ++c) s -= X[n * r + c] * A[n * j + c];
                    X[n * r + j] = s / A[n * j + j];
                    turned[m * j + r] = X[n * r + j];
                }
            }
            turned += m * n;
        }
        for (std::size_t a = 0; a < rows_.size(); ++a) {
            const double* Y = turned_.data();
            for (std::size_t b = 0; b <= a; ++b) {
                const int i = rows_[a], j = rows_[b];
                subtract_product(at(i, j), at(i, k), Y, width_at(i), width_at(j), n);
                Y += width_at(j) * n;
            }
        }
    }
    // Z (m, p) -= X (m, n) Y (n, p).
    static void subtract_product(double* Z, const double* X, const double* Y, int m, int p, int n) {
        if (m == 6 && p == 6 && n == 6) return subtract_six(Z, X, Y);
        for (int r = 0; r < m; ++r) {
            for (int q = 0; q < n; ++q) {
                const double x = X[n * r + q];
                for (int c = 0; c < p; ++c) Z[p * r + c] -= x * Y[p * q + c];
            }
        }
    }
    static void subtract_six(double* Z, const double* X, const double* Y) {
        for (int r = 0; r < 6; ++r) {
            double z[6];
            std::memcpy(z, Z + 6 * r, sizeof z);
            for (int q = 0; q < 6; ++q) {
                const double x = X[6 * r + q];
                for (int c = 0; c < 6; ++c) z[c] -= x * Y[6 * q + c];
            }
            std::memcpy(Z + 6 * r, z, sizeof z);
        }
    }

    void solve_lower(int k, double* x) const {
        const int n = width_at(k);
        const double* A = at(k, k);
        double* b = x + start_at(k);
        for (int i = 0; i < n; ++i) {
            double s = b[i];
            for (int c = 0; c < i; ++c) s -= A[n * i + c] * b[c];
            b[i] = s / A[n * i + i];
        }
        for (int i = k + 1; i < num_blocks(); ++i) {
            if (!fills(k, i)) continue;
            const double* X = at(i, k);
            double* to = x + start_at(i);
            for (int r = 0; r < width_at(i); ++r) {
                double s = to[r];
                for (int c = 0; c < n; ++c) s -= X[n * r + c] * b[c];
                to[r] = s;
            }
        }
    }
    void solve_upper(int k, double* x) const {
        const int n = width_at(k);
        const double* A = at(k, k);
        double* b = x + start_at(k);
        for (int i = k + 1; i < num_blocks(); ++i) {
            if (!fills(k, i)) continue;
            const double* X = at(i, k);
            const double* from = x + start_at(i);
            for (int r = 0; r < width_at(i); ++r) {
                for (int c = 0; c < n; ++c) b[c] -= X[n * r + c] * from[r];
            }
        }
        for (int i = n - 1; i >= 0; --i) {
            double s = b[i];
            for (int c = i + 1; c < n; ++c) s -= A[n * c + i] * b[c];
            b[i] = s / A[n * i + i];
        }
    }

    std::vector<Block> blocks_;
    std::vector<int> order_, rows_;           // blocks by position; those below the one that is eliminated
    std::vector<std::uint64_t> patterns_;     // by position: blocks below it
    std::vector<std::size_t> offsets_;
    std::vector<double> numbers_, turned_;
    int size_ = 0;
};

KIDO_END
