#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "kido/scalar/aligned_numbers.hpp"
#include "kido/scalar/lanes.hpp"

// L D L^T of a sparse symmetric positive definite matrix, which has an off-diagonal entry for each edge of a graph. Rows are
// eliminated in the order of least degree (Tinney and Walker, Direct solutions of sparse network equations, 1967; George and Liu, The
// evolution of the minimum degree ordering algorithm, 1989); for surfaces in space the factor then has O(n log n) entries.

KIDO_BEGIN

struct GraphEdge {
    int first, second;
};

// The order in which the vertices of a graph are eliminated: each time one with the fewest neighbors left, the smallest of these.
// `columns[k]`: who is joined with the k-th of the order when it goes, by their places in the order, ascending.
struct EliminationOrder {
    std::vector<int> vertices;               // the k-th to go
    std::vector<std::vector<int>> columns;

    EliminationOrder(int count, const std::vector<GraphEdge>& edges) : columns(count) {
        std::vector<std::vector<int>> near(count);
        for (const GraphEdge& e : edges) {
            near[e.first].push_back(e.second);
            near[e.second].push_back(e.first);
        }
        for (auto& list : near) sort_unique(list);
        std::vector<std::vector<int>> waiting(1);  // by degree; entries of vertices that have gone or changed are passed over
        const auto wait = [&](int v) {
            if (near[v].size() >= waiting.size()) waiting.resize(near[v].size() + 1);
            waiting[near[v].size()].push_back(v);
        };
        for (int v = count - 1; v >= 0; --v) wait(v);
        std::vector<int> place(count, -1), joined;
        std::size_t degree = 0;
        while (static_cast<int>(vertices.size()) < count) {
            while (waiting[degree].empty()) ++degree;
            const int v = waiting[degree].back();
            waiting[degree].pop_back();
            if (place[v] >= 0 || near[v].size() != degree) continue;
            place[v] = static_cast<int>(vertices.size());
            vertices.push_back(v);
            for (const int u : near[v]) {
                joined.clear();
                std::set_union(near[u].begin(), near[u].end(), near[v].begin(), near[v].end(), std::back_inserter(joined));
                std::erase_if(joined, [&](int w) { return w == u || w == v; });
                near[u] = joined;
                wait(u);
                degree = std::min(degree, near[u].size());
            }
        }
        for (int k = 0; k < count; ++k) {
            for (const int u : near[vertices[k]]) columns[k].push_back(place[u]);
            std::sort(columns[k].begin(), columns[k].end());
        }
    }

private:
    static void sort_unique(std::vector<int>& list) {
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
    }
};

class SparseCholesky {
public:
    static constexpr int kColumns = 8;  // right-hand sides at once
    using Row = Lanes<kColumns>;

    SparseCholesky() = default;
    // Raises nothing: edges join different vertices below `count`, each pair once.
    SparseCholesky(int count, const std::vector<GraphEdge>& edges) : place_(count), starts_(1, 0), inverse_(count, 0.0) {
        const EliminationOrder order(count, edges);
        for (int k = 0; k < count; ++k) place_[order.vertices[k]] = k;
        vertices_ = order.vertices;
        for (const std::vector<int>& column : order.columns) {
            rows_.insert(rows_.end(), column.begin(), column.end());
            starts_.push_back(static_cast<int>(rows_.size()));
        }
        values_.assign(rows_.size(), 0.0);
        find_rows();
        for (const GraphEdge& e : edges) {
            const auto [low, high] = std::minmax(place_[e.first], place_[e.second]);
            const auto begin = rows_.begin() + starts_[low], end = rows_.begin() + starts_[low + 1];
            entries_.push_back(static_cast<int>(std::lower_bound(begin, end, high) - rows_.begin()));
        }
    }
    int size() const { return static_cast<int>(place_.size()); }
    int fill() const { return static_cast<int>(rows_.size()); }
    // Where the right-hand side of a vertex stands.
    int place(int vertex) const { return place_[vertex]; }
    int vertex(int place) const { return vertices_[place]; }

    // Of the matrix with these numbers on the diagonal, by vertex, and beside it, by edge; false where it is not positive.
    bool factor(const std::vector<double>& diagonal, const std::vector<double>& beside) {
        const int n = size();
        std::vector<double> pivots(n), work(n, 0.0);
        for (int v = 0; v < n; ++v) pivots[place_[v]] = diagonal[v];
        std::fill(values_.begin(), values_.end(), 0.0);
        for (std::size_t e = 0; e < entries_.size(); ++e) values_[entries_[e]] = beside[e];
        // Right-looking: a column, once it is final, is subtracted from those that it joins.
        for (int j = 0; j < n; ++j) {
            if (!(pivots[j] > 0.0) || !std::isfinite(pivots[j])) return false;
            inverse_[j] = 1.0 / pivots[j];
            for (int a = starts_[j]; a < starts_[j + 1]; ++a) work[rows_[a]] = values_[a];
            for (int a = starts_[j]; a < starts_[j + 1]; ++a) {
                const int i = rows_[a];
                const double share = values_[a] * inverse_[j];
                pivots[i] -= share * values_[a];
                if (share != 0.0) subtract(i, share, work);
            }
            for (int a = starts_[j]; a < starts_[j + 1]; ++a) {
                work[rows_[a]] = 0.0;
                values_[a] *= inverse_[j];
            }
        }
        for (std::size_t b = 0; b < in_rows_.size(); ++b) row_values_[b] = values_[in_rows_[b]];
        return true;
    }
    // Places that a right-hand side with numbers at some of them alone reaches, ascending: all that a solution there is found by.
    std::vector<int> reach(const std::vector<int>& places) const {
        std::vector<char> reached(size(), 0);
        std::vector<int> out;
        for (const int place : places) {
            for (int j = place; !reached[j]; j = rows_[starts_[j]]) {
                reached[j] = 1;
                out.push_back(j);
                if (starts_[j] == starts_[j + 1]) break;
            }
        }
        std::sort(out.begin(), out.end());
        return out;
    }
    // Solves there for such right-hand sides; elsewhere x stays as it is.
    template <class Lane>
    void solve(Lane* x, const std::vector<int>& reached) const {
        for (const int j : reached) eliminate(x, j);
        for (auto j = reached.rbegin(); j != reached.rend(); ++j) put_back(x, *j);
    }
    // Solves for as many right-hand sides as lanes, rows by place.
    template <class Lane>
    void solve(Lane* x) const {
        const int n = size();
        for (int i = 0; i < n; ++i) gather(x, i);
        for (int j = n - 1; j >= 0; --j) put_back(x, j);
    }

private:
    template <class Lane>
    KIDO_INLINE void eliminate(Lane* x, int j) const {
        const Lane pivot = x[j];
        for (int a = starts_[j]; a < starts_[j + 1]; ++a) x[rows_[a]] = x[rows_[a]] - pivot * values_[a];
    }
    // What `eliminate` of all before row i makes of it, which is written once, so that none waits for numbers just stored.
    template <class Lane>
    KIDO_INLINE void gather(Lane* x, int i) const {
        Lane sum = x[i];
        for (int b = row_starts_[i]; b < row_starts_[i + 1]; ++b) sum = sum - x[columns_[b]] * row_values_[b];
        x[i] = sum;
    }
    template <class Lane>
    KIDO_INLINE void put_back(Lane* x, int j) const {
        Lane sum = x[j] * inverse_[j];
        for (int a = starts_[j]; a < starts_[j + 1]; ++a) sum = sum - x[rows_[a]] * values_[a];
        x[j] = sum;
    }
    // From column i, what `share` of a column is below it: all of these rows are in column i.
    void subtract(int i, double share, const std::vector<double>& column) {
        for (int b = starts_[i]; b < starts_[i + 1]; ++b) values_[b] -= share * column[rows_[b]];
    }

    // The same entries by rows, the columns of each ascending.
    void find_rows() {
        const int n = size();
        row_starts_.assign(n + 1, 0);
        for (const int i : rows_) ++row_starts_[i + 1];
        for (int i = 0; i < n; ++i) row_starts_[i + 1] += row_starts_[i];
        std::vector<int> next = row_starts_;
        in_rows_.resize(rows_.size());
        columns_.resize(rows_.size());
        row_values_.assign(rows_.size(), 0.0);
        for (int j = 0; j < n; ++j) {
            for (int a = starts_[j]; a < starts_[j + 1]; ++a) {
                const int b = next[rows_[a]]++;
                in_rows_[b] = a;
                columns_[b] = j;
            }
        }
    }

    std::vector<int> place_, vertices_, starts_, rows_, entries_;  // entries_: of each edge
    std::vector<double> values_, inverse_;
    std::vector<int> row_starts_, columns_, in_rows_;  // in_rows_: where the value of each stands
    std::vector<double> row_values_;
};

KIDO_END
