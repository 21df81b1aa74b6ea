#pragma once

#include <algorithm>

#include "kido/soft/soft_springs.hpp"

// Entries of A^-1, for the matrix A of point masses (see soft_layer.hpp): how the velocities of points beside their body respond to an
// impulse on one, along its direction. Of many points the smallest are left out.

KIDO_BEGIN

// How the velocity of a point responds to an impulse on another.
struct SoftCoupling {
    int point;
    double response;
};

class SoftCouplings {
public:
    using Row = SparseCholesky::Row;

    // For another A; `row_sums`: sums of its rows.
    void begin(const SoftMaterial& m, std::vector<double> row_sums) {
        couplings_.clear();
        left_out_.clear();
        neighbors_.clear();
        row_sums_ = std::move(row_sums);
        least_sum_ = HUGE_VAL;
        for (int i = 0; i < m.size(); ++i) {
            if (!m.frozen[i]) least_sum_ = std::min(least_sum_, row_sums_[i]);
        }
    }
    // Of points with a slot that is not negative, eight at once; they are kept until `begin`.
    void learn(const SoftMaterial& m, const SparseCholesky& factor, const std::vector<int>& slots) {
        couplings_.resize(m.size());
        left_out_.resize(m.size(), 0.0);
        std::vector<int> missing;
        for (int i = 0; i < m.size(); ++i) {
            if (slots[i] >= 0 && couplings_[i].empty() && !m.frozen[i]) missing.push_back(i);
        }
        std::vector<Row> rows(missing.empty() ? 0 : m.size());
        for (std::size_t first = 0; first < missing.size(); first += SparseCholesky::kColumns) {
            const std::size_t end = std::min(missing.size(), first + SparseCholesky::kColumns);
            const std::vector<int> group(missing.begin() + first, missing.begin() + end);
            const std::vector<int> known = m.size() > kMany ? respond_near(m, factor, group, rows) : respond(factor, group, rows);
            for (std::size_t c = 0; c < group.size(); ++c) keep(m, factor, group[c], rows, static_cast<int>(c), known);
        }
    }
    const std::vector<SoftCoupling>& of(int point) const { return couplings_[point]; }
    // The sum of those that were left out.
    double left_out(int point) const { return left_out_[point]; }

private:
    // Of more points than kMany, couplings are left out whose sum is this share of its own response, and all but kMost: their rows would
    // fill the memory.
    static constexpr double kLeftOut = 1e-2;
    static constexpr int kMany = 1000, kMost = 1000, kRings = 4;

    // Responses to impulses on each of a group of points; returns whose are known.
    static std::vector<int> respond(const SparseCholesky& factor, const std::vector<int>& group, std::vector<Row>& rows) {
        for (Row& row : rows) row = Row(0.0);
        for (std::size_t c = 0; c < group.size(); ++c) rows[factor.place(group[c])].v[c] = 1.0;
        factor.solve(rows.data());
        std::vector<int> all(rows.size());
        for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
        return all;
    }
    // The same of points around the group alone, in rings of neighbors until what is beyond them hardly counts, or nothing is.
    std::vector<int> respond_near(const SoftMaterial& m, const SparseCholesky& factor, const std::vector<int>& group, std::vector<Row>& rows) {
        if (neighbors_.empty()) find_neighbors(m);
        std::size_t before = 0;
        for (int rings = kRings;; rings *= 2) {
            const std::vector<int> near = around(group, rings);
            if (2 * near.size() > static_cast<std::size_t>(m.size())) return respond(factor, group, rows);
            std::vector<int> places;
            for (const int point : near) places.push_back(factor.place(point));
            places = factor.reach(places);
            for (const int place : places) rows[place] = Row(0.0);
            for (std::size_t c = 0; c < group.size(); ++c) rows[factor.place(group[c])].v[c] = 1.0;
            factor.solve(rows.data(), places);
            std::vector<int> known;
            for (const int place : places) known.push_back(factor.vertex(place));
            const auto counts = [&](std::size_t c) {
                const int column = static_cast<int>(c);
                return beyond(m, factor, rows, column, known) > 0.5 * kLeftOut * rows[factor.place(group[c])].v[column];
            };
            bool far = true;
            for (std::size_t c = 0; c < group.size(); ++c) far = far && !counts(c);
            if (far || near.size() == before) return known;
            before = near.size();
        }
    }
    // The most that a point's couplings with others than these can be: its responses, times the sums of the rows of A, are 1.
    double beyond(const SoftMaterial& m, const SparseCholesky& factor, const std::vector<Row>& rows, int column, const std::vector<int>& known) const {
        double rest = 1.0;
        for (const int i : known) {
            if (!m.frozen[i]) rest -= row_sums_[i] * rows[factor.place(i)].v[column];
        }
        return std::max(rest, 0.0) / least_sum_;
    }
    void find_neighbors(const SoftMaterial& m) {
        neighbors_.resize(m.size());
        for (const auto& [a, b] : m.edges) {
            neighbors_[a].push_back(b);
            neighbors_[b].push_back(a);
        }
    }
    std::vector<int> around(const std::vector<int>& group, int rings) const {
        std::vector<char> found(neighbors_.size(), 0);
        std::vector<int> near = group;
        for (const int point : near) found[point] = 1;
        for (std::size_t ring = 0, begin = 0; static_cast<int>(ring) < rings; ++ring) {
            const std::size_t end = near.size();
            for (; begin < end; ++begin) {
                for (const int other : neighbors_[near[begin]]) {
                    if (found[other]) continue;
                    found[other] = 1;
                    near.push_back(other);
                }
            }
        }
        return near;
    }
    void keep(const SoftMaterial& m, const SparseCholesky& factor, int point, const std::vector<Row>& rows, int column, const std::vector<int>& known) {
        std::vector<SoftCoupling>& kept = couplings_[point];
        for (const int i : known) {
            if (!m.frozen[i]) kept.push_back({i, rows[factor.place(i)].v[column]});
        }
        left_out_[point] = 0.0;
        if (m.size() <= kMany) return;
        if (known.size() < static_cast<std::size_t>(m.size())) left_out_[point] = beyond(m, factor, rows, column, known);
        std::sort(kept.begin(), kept.end(), [](const SoftCoupling& a, const SoftCoupling& b) { return a.response > b.response; });
        const double most = kLeftOut * rows[factor.place(point)].v[column];
        while (static_cast<int>(kept.size()) > kMost || left_out_[point] + kept.back().response <= most) {
            left_out_[point] += kept.back().response;
            kept.pop_back();
        }
        kept.shrink_to_fit();
    }

    std::vector<std::vector<SoftCoupling>> couplings_;  // of points that were touched; none is negative
    std::vector<double> left_out_;
    std::vector<double> row_sums_;  // of A, of points that are not frozen
    double least_sum_ = 0.0;
    std::vector<std::vector<int>> neighbors_;  // of each point, once they were asked for
};

KIDO_END
