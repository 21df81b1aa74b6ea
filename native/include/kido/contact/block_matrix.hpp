#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "kido/config.hpp"

// A symmetric positive definite matrix of blocks, most of which are zero, and its Cholesky factor: L L^T. Blocks are eliminated by
// minimum degree (George and Liu 1989, The evolution of the minimum degree ordering algorithm); those of equal degree in the
// order in which they came. Variables stand in the order of the elimination.

KIDO_BEGIN

class BlockMatrix {
public:
    void begin() {
        widths_.swap(old_widths_);
        edges_.swap(old_edges_);
        widths_.clear();
        edges_.clear();
    }
    // Index of a new block of rows and columns.
    int add(int width) {
        widths_.push_back(width);
        return num_blocks() - 1;
    }
    void connect(int a, int b) {
        if (a != b) edges_.push_back({std::min(a, b), std::max(a, b)});
    }
    // After all blocks and connections: which entries there are, with those that the elimination fills. What is as it was before
    // `begin` is not ordered again.
    void order() {
        std::sort(edges_.begin(), edges_.end());
        edges_.erase(std::unique(edges_.begin(), edges_.end()), edges_.end());
        if (widths_ == old_widths_ && edges_ == old_edges_) return;
        find_order();
        place_entries();
        place_products();
    }

    int num_blocks() const { return static_cast<int>(widths_.size()); }
    int size() const { return size_; }
    int start(int block) const { return starts_[block]; }
    int width(int block) const { return widths_[block]; }
    bool is_before(int a, int b) const { return positions_[a] < positions_[b]; }
    // Multiplications that a factorization takes.
    double work() const { return work_; }

    void clear() { std::fill(numbers_.begin(), numbers_.end(), 0.0); }
    // Entries of connected blocks, row after row; `row` is not before `column`. Of a diagonal block the lower half counts.
    double* entries(int row, int column) { return &numbers_[offset(positions_[row], positions_[column])]; }

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
    // A block below the diagonal.
    struct Entry {
        int position;  // of its rows
        int offset;
    };

    int width_at(int position) const { return widths_[order_[position]]; }
    int start_at(int position) const { return starts_[order_[position]]; }
    const Entry* begin_of(int k) const { return entries_.data() + columns_[k]; }
    const Entry* end_of(int k) const { return entries_.data() + columns_[k + 1]; }
    // Of the block in row i and column k <= i, both by position.
    int offset(int i, int k) const {
        if (i == k) return diagonals_[k];
        const auto before = [](const Entry& e, int position) { return e.position < position; };
        return std::lower_bound(begin_of(k), end_of(k), i, before)->offset;
    }

    // Neighbors of blocks as sets of bits, `words_` of 64 each.
    std::uint64_t* neighbors(int block) { return &graph_[static_cast<std::size_t>(block) * words_]; }
    void link(int a, int b) { neighbors(a)[b / 64] |= std::uint64_t{1} << (b % 64); }

    void find_order() {
        const int n = num_blocks();
        words_ = (n + 63) / 64;
        graph_.assign(static_cast<std::size_t>(n) * words_, 0);
        for (const auto& [a, b] : edges_) {
            link(a, b);
            link(b, a);
        }
        degrees_.assign(n, 0);
        for (int b = 0; b < n; ++b) degrees_[b] = degree(b);
        order_.clear();
        patterns_.assign(n, {});
        positions_.assign(n, -1);
        starts_.assign(n, 0);
        size_ = 0;
        for (int position = 0; position < n; ++position) {
            int best = -1;
            for (int b = 0; b < n; ++b) {
                if (positions_[b] < 0 && (best < 0 || degrees_[b] < degrees_[best])) best = b;
            }
            remove_block(best, patterns_[position]);
            order_.push_back(best);
            positions_[best] = position;
            starts_[best] = size_;
            size_ += widths_[best];
        }
    }
    int degree(int block) {
        int count = 0;
        for (int w = 0; w < words_; ++w) count += __builtin_popcountll(neighbors(block)[w]);
        return count;
    }
    // Takes a block out of the graph: its neighbors, which it lists, become neighbors of each other.
    void remove_block(int block, std::vector<int>& around) {
        const std::uint64_t* own = neighbors(block);
        for (int w = 0; w < words_; ++w) {
            for (std::uint64_t left = own[w]; left != 0; left &= left - 1) around.push_back(64 * w + __builtin_ctzll(left));
        }
        for (const int b : around) {
            std::uint64_t* others = neighbors(b);
            for (int w = 0; w < words_; ++w) others[w] |= own[w];
            for (const int c : {b, block}) others[c / 64] &= ~(std::uint64_t{1} << (c % 64));
            degrees_[b] = degree(b);
        }
    }
    void place_entries() {
        const int n = num_blocks();
        int numbers = 0;
        entries_.clear();
        columns_.assign(1, 0);
        diagonals_.assign(n, 0);
        for (int k = 0; k < n; ++k) {
            for (int& b : patterns_[k]) b = positions_[b];
            std::sort(patterns_[k].begin(), patterns_[k].end());
            diagonals_[k] = numbers;
            numbers += width_at(k) * width_at(k);
            for (const int i : patterns_[k]) {
                entries_.push_back({i, numbers});
                numbers += width_at(i) * width_at(k);
            }
            columns_.push_back(static_cast<int>(entries_.size()));
        }
        numbers_.resize(numbers);
    }
    // Where the products of each column's blocks go, in the order in which they are taken.
    void place_products() {
        products_.clear();
        first_products_.clear();
        work_ = 0.0;
        for (int k = 0; k < num_blocks(); ++k) {
            const double n = width_at(k);
            first_products_.push_back(static_cast<int>(products_.size()));
            for (const Entry* a = begin_of(k); a != end_of(k); ++a) {
                work_ += n * n * width_at(a->position);
                for (const Entry* b = begin_of(k); b <= a; ++b) {
                    products_.push_back(offset(a->position, b->position));
                    work_ += n * width_at(a->position) * width_at(b->position);
                }
            }
        }
    }

    bool factor_diagonal(int k) {
        double* A = &numbers_[diagonals_[k]];
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
        const double* A = &numbers_[diagonals_[k]];
        const Entry *begin = begin_of(k), *end = end_of(k);
        std::size_t wide = 0;
        for (const Entry* e = begin; e != end; ++e) wide += width_at(e->position);
        turned_.resize(wide * n);
        double* turned = turned_.data();
        for (const Entry* e = begin; e != end; ++e) {
            const int m = width_at(e->position);
            double* X = &numbers_[e->offset];
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
        const int* to = products_.data() + first_products_[k];
        for (const Entry* a = begin; a != end; ++a) {
            const double* Y = turned_.data();
            for (const Entry* b = begin; b <= a; ++b) {
                subtract_product(&numbers_[*to++], &numbers_[a->offset], Y, width_at(a->position), width_at(b->position), n);
                Y += width_at(b->position) * n;
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
        const double* A = &numbers_[diagonals_[k]];
        double* b = x + start_at(k);
        for (int i = 0; i < n; ++i) {
            double s = b[i];
            for (int c = 0; c < i; ++c) s -= A[n * i + c] * b[c];
            b[i] = s / A[n * i + i];
        }
        for (const Entry* e = begin_of(k); e != end_of(k); ++e) {
            const double* X = &numbers_[e->offset];
            double* to = x + start_at(e->position);
            for (int r = 0; r < width_at(e->position); ++r) {
                double s = to[r];
                for (int c = 0; c < n; ++c) s -= X[n * r + c] * b[c];
                to[r] = s;
            }
        }
    }
    void solve_upper(int k, double* x) const {
        const int n = width_at(k);
        const double* A = &numbers_[diagonals_[k]];
        double* b = x + start_at(k);
        for (const Entry* e = begin_of(k); e != end_of(k); ++e) {
            const double* X = &numbers_[e->offset];
            const double* from = x + start_at(e->position);
            for (int r = 0; r < width_at(e->position); ++r) {
                for (int c = 0; c < n; ++c) b[c] -= X[n * r + c] * from[r];
            }
        }
        for (int i = n - 1; i >= 0; --i) {
            double s = b[i];
            for (int c = i + 1; c < n; ++c) s -= A[n * c + i] * b[c];
            b[i] = s / A[n * i + i];
        }
    }

    std::vector<int> widths_, old_widths_, starts_, positions_;  // by block
    std::vector<std::pair<int, int>> edges_, old_edges_;
    std::vector<std::uint64_t> graph_;
    std::vector<int> degrees_;
    std::vector<int> order_;                  // blocks by position
    std::vector<std::vector<int>> patterns_;  // by position: positions below it that are filled
    std::vector<Entry> entries_;              // below the diagonal, column after column
    std::vector<int> columns_, diagonals_, products_, first_products_;
    std::vector<double> numbers_, turned_;
    double work_ = 0.0;
    int size_ = 0, words_ = 0;
};

KIDO_END
