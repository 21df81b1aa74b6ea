#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "kido/contact/articulation.hpp"
#include "kido/contact/response_coordinate.hpp"
#include "kido/scalar/aligned_numbers.hpp"
#include "kido/scalar/lanes.hpp"
#include "kido/scalar/transpose.hpp"

// The response of a skeleton that many constraints touch, not as a matrix over their coordinates but as its factor: C = Z^T Z, where Z
// has a row for each dof, and a column is zero but on the way from its coordinate's link to the root (Rodriguez, Jain and Kreutz-Delgado,
// A spatial operator algebra for manipulator modeling and control, 1991; here with the roots of the dofs' inertias). Impulses w leave
// Z w at the dofs, and a coordinate reads its column times that: a visit costs in proportion to the length of a way, not to the number of
// coordinates.

KIDO_BEGIN

class ResponseFactor {
public:
    explicit ResponseFactor(const Model& model) {
        begins_.assign(model.num_links, 0);
        positions_.assign(model.num_dofs, 0);
        lengths_.assign(model.num_links, 0);
        for (int i = 0; i < model.num_links; ++i) {
            const Link& link = model.links[i];
            lengths_[i] = link.dof_count + (link.parent < 0 ? 0 : lengths_[link.parent]);
            if (lengths_[i] > kLongest) return;
        }
        for (int i = 0; i < model.num_links; ++i) list_way(model, i);
        roots_.assign(model.num_dofs, 0.0);
        for (auto* numbers : {&rates_, &moved_}) numbers->assign(model.num_dofs + kBlock, 0.0);
        available_ = true;
    }

    // Where the factor of coordinates is that stand side by side, of one link; blocks: of its way, 0 where there is no factor.
    struct Place {
        int rows = 0, columns = 0, stride = 0, way = 0, blocks = 0;
    };
    Place place_of(int first) const {
        const Group& group = groups_[group_of_[first]];
        const int at = static_cast<int>(group.at), k = first - group.first;
        return {at + k, at + 8 * group.padded + k * group.padded, group.padded, begins_[group.link], group.padded / kBlock};
    }

    // Whether the factor is cheaper than the matrix over as many coordinates of each link.
    bool suits(const std::vector<int>& coordinates) const {
        int count = 0, longest = 0;
        for (std::size_t i = 0; i < coordinates.size() && available_; ++i) {
            if (coordinates[i] == 0) continue;
            count += coordinates[i];
            longest = std::max(longest, lengths_[i]);
        }
        return count >= kLeast && count >= kCoordinatesOfWay * longest;
    }
    // Coordinates of contacts, of which there are `count`, in blocks.
    void begin(int count) { ends_.assign(count, 0); }
    void add_block(int first, int count) { std::fill_n(ends_.begin() + first, count, first + count); }
    // The others are dofs.
    void compute(const Articulation& a, const std::vector<Coordinate>& coordinates) {
        list_groups(coordinates);
        write_starts(coordinates);
        for (std::size_t k = 0; k < roots_.size(); ++k) roots_[k] = std::sqrt(a.factors(static_cast<int>(k)).inverse);
        std::size_t i = 0;
        for (; i + 1 < groups_.size(); i += 2) {
            // Side by side: each alone would wait for itself.
            Climb first(*this, coordinates, groups_[i]), second(*this, coordinates, groups_[i + 1]);
            for (int k = std::max(groups_[i].length, groups_[i + 1].length) - 1; k >= 0; --k) {
                first.pass(a, k);
                second.pass(a, k);
            }
        }
        if (i < groups_.size()) {
            Climb last(*this, coordinates, groups_[i]);
            for (int k = groups_[i].length - 1; k >= 0; --k) last.pass(a, k);
        }
        for (const Group& group : groups_) transpose_group(group);
        for (auto* numbers : {&rates_, &moved_}) std::fill(numbers->begin(), numbers->end(), 0.0);
    }

    // Impulses at N coordinates of one link.
    template <int N>
    KIDO_INLINE void push(const Place& place, const double (&w)[N]) {
        const double* z = numbers_.data() + place.columns;
        const int* way = dofs_.data() + place.way;
        for (int block = 0; block < place.blocks; ++block, z += kBlock, way += kBlock) {
            alignas(64) double left[kBlock];
            KIDO_UNROLL
            for (int k = 0; k < kBlock; k += KIDO_LANES) {
                NativeLanes sum = load(z + k) * w[0];
                KIDO_UNROLL
                for (int j = 1; j < N; ++j) sum = sum + load(z + j * place.stride + k) * w[j];
                store(left + k, sum);
            }
            KIDO_UNROLL
            for (int k = 0; k < kBlock; ++k) rates_[way[k]] += left[k];
        }
    }
    // What impulses make of a coordinate's motion, and of its displacement.
    double motion(int i) const { return along(i, rates_); }
    double displacement(int i) const { return along(i, moved_); }
    // The same of up to eight coordinates of one link: adds to `out`.
    KIDO_INLINE void add_motion(const Place& place, double (&out)[8]) const { add(place, rates_, out); }
    KIDO_INLINE void add_displacement(const Place& place, double (&out)[8]) const { add(place, moved_, out); }

    double response(int i, int j) const {
        const Group &a = groups_[group_of_[i]], &b = groups_[group_of_[j]];
        const double* x = columns(a) + static_cast<std::size_t>(i - a.first) * a.padded;
        const double* y = columns(b) + static_cast<std::size_t>(j - b.first) * b.padded;
        double sum = 0.0;
        for (int k = 0, end = shared(a, b); k < end; ++k) sum += x[k] * y[k];
        return sum;
    }
    // Of three coordinates of one link, each to itself, in all.
    double response_of_three(const Place& place) const {
        alignas(64) double sums[kBlock] = {};
        const double* z = numbers_.data() + place.columns;
        for (int block = 0; block < place.blocks; ++block, z += kBlock) {
            KIDO_UNROLL
            for (int k = 0; k < kBlock; k += KIDO_LANES) {
                const NativeLanes a = load(z + k), b = load(z + place.stride + k), c = load(z + 2 * place.stride + k);
                store(sums + k, load(sums + k) + (a * a + b * b + c * c));
            }
        }
        return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
    }
    // Of coordinates [i, i + N) of a link, to eight from j on of a link.
    template <int N>
    KIDO_INLINE void respond(int i, int j, double (*out)[8]) const {
        const Group &a = groups_[group_of_[i]], &b = groups_[group_of_[j]];
        const double* x = columns(a) + static_cast<std::size_t>(i - a.first) * a.padded;
        const double* y = rows(b) + (j - b.first);
        NativeLanes sum[N * kParts];
        KIDO_UNROLL
        for (int r = 0; r < N * kParts; ++r) sum[r] = 0.0;
        for (int k = 0, end = shared(a, b); k < end; ++k) {
            KIDO_UNROLL
            for (int r = 0; r < N * kParts; ++r) {
                const NativeLanes z = load(y + 8 * k + r % kParts * KIDO_LANES);
                sum[r] = sum[r] + z * x[static_cast<std::size_t>(r / kParts) * a.padded + k];
            }
        }
        KIDO_UNROLL
        for (int r = 0; r < N * kParts; ++r) store(out[r / kParts] + r % kParts * KIDO_LANES, sum[r]);
    }

    // What is left of impulses at a dof, times the inverse of its inertia: of the motion, or of the displacement.
    double left(int dof) const { return roots_[dof] * rates_[dof]; }
    double left_of_displacement(int dof) const { return roots_[dof] * moved_[dof]; }
    // Motion at the dofs, and displacement.
    AlignedNumbers& rates() { return rates_; }
    const AlignedNumbers& rates() const { return rates_; }
    AlignedNumbers& moved() { return moved_; }
    void move(double h) {
        for (std::size_t k = 0; k < rates_.size(); ++k) moved_[k] += h * rates_[k];
    }

private:
    static constexpr int kBlock = 8;     // dofs of ways are visited in blocks, the last of which ends in zeros
    static constexpr int kLongest = 32;  // way whose factor is kept [dofs]
    static constexpr int kLeast = 24;    // coordinates, below which the matrix is small
    static constexpr int kCoordinatesOfWay = 3;
    static constexpr int kParts = 8 / KIDO_LANES;

    // Up to eight coordinates that stand side by side: of one link, or dofs of which each lies on the way of the next. Their columns are
    // kept twice: eight at each dof of the way, then one after the other.
    struct Group {
        int first, count;
        int link, length;  // the way: the first `length` dofs from the root on to the link
        int padded;        // its length in whole blocks
        std::size_t at;
    };

    static KIDO_INLINE NativeLanes load(const double* p) {
        NativeLanes x;
        std::memcpy(&x.v, p, sizeof x.v);
        return x;
    }
    static KIDO_INLINE void store(double* p, const NativeLanes& x) { std::memcpy(p, &x.v, sizeof x.v); }

    void list_way(const Model& m, int i) {
        const Link& link = m.links[i];
        begins_[i] = static_cast<int>(dofs_.size());
        if (link.parent >= 0) {
            for (int k = 0; k < lengths_[link.parent]; ++k) dofs_.push_back(dofs_[begins_[link.parent] + k]);
        }
        for (int k = link.dof; k < link.dof + link.dof_count; ++k) {
            positions_[k] = static_cast<int>(dofs_.size()) - begins_[i];
            dofs_.push_back(k);
        }
        // Behind all dofs there are as many places as a block has, which stay zero.
        for (int k = lengths_[i]; k % kBlock != 0; ++k) dofs_.push_back(m.num_dofs + k % kBlock);
    }
    const int* way(const Group& group) const { return dofs_.data() + begins_[group.link]; }
    const double* rows(const Group& group) const { return numbers_.data() + group.at; }
    const double* columns(const Group& group) const { return numbers_.data() + group.at + 8 * static_cast<std::size_t>(group.padded); }
    // How many dofs from the root on two ways share.
    int shared(const Group& a, const Group& b) const {
        const int most = std::min(a.length, b.length);
        if (a.link == b.link) return most;
        const int *x = way(a), *y = way(b);
        int k = 0;
        while (k < most && x[k] == y[k]) ++k;
        return k;
    }
    bool lies_on_way(int dof, int link) const {
        return positions_[dof] < lengths_[link] && dofs_[begins_[link] + positions_[dof]] == dof;
    }

    void list_groups(const std::vector<Coordinate>& coordinates) {
        groups_.clear();
        group_of_.resize(coordinates.size());
        std::size_t next = 0;
        for (std::size_t i = 0; i < coordinates.size();) {
            Group group = {static_cast<int>(i), 0, 0, 0, 0, next};
            for (; i < coordinates.size() && joins(coordinates, group, static_cast<int>(i)); ++i) {
                group_of_[i] = static_cast<int>(groups_.size());
                ++group.count;
            }
            const Coordinate& last = coordinates[i - 1];
            group.link = last.link;
            group.length = last.dof >= 0 ? positions_[last.dof] + 1 : lengths_[last.link];
            group.padded = (group.length + kBlock - 1) / kBlock * kBlock;
            next += 16 * static_cast<std::size_t>(group.padded);
            groups_.push_back(group);
        }
        if (numbers_.size() < next + 8) numbers_.resize(next + 8);
    }
    // The wrenches of each group, six rows of eight. Of all before the first climbs: whole registers of numbers just written would wait.
    void write_starts(const std::vector<Coordinate>& coordinates) {
        clear_numbers(starts_, kStart * groups_.size());
        double* start = starts_.data();
        for (const Group& group : groups_) {
            for (int c = 0; c < group.count && coordinates[group.first].dof < 0; ++c) {
                const Wrench<double>& w = coordinates[group.first + c].wrench;
                const double numbers[6] = {w.torque.x, w.torque.y, w.torque.z, w.force.x, w.force.y, w.force.z};
                for (int j = 0; j < 6; ++j) start[8 * j + c] = numbers[j];
            }
            start += kStart;
        }
    }
    static constexpr std::size_t kStart = 48;
    static constexpr int kOfOneLink = 6;
    bool joins(const std::vector<Coordinate>& coordinates, const Group& group, int i) const {
        if (group.count == 0) return true;
        const Coordinate &before = coordinates[i - 1], &c = coordinates[i];
        if (c.dof < 0) return before.link == c.link && ends_[i] - group.first <= kOfOneLink;
        return before.dof >= 0 && group.count < 8 && before.dof < c.dof && lies_on_way(before.dof, c.link);
    }

    // Unit impulses of a group, on their way to the root.
    class Climb {
    public:
        Climb(ResponseFactor& factor, const std::vector<Coordinate>& coordinates, const Group& group)
            : all_(&coordinates[group.first]), way_(factor.way(group)), roots_(factor.roots_.data()), to_(factor.numbers_.data() + group.at),
              length_(group.length) {
            const double* const start = factor.starts_.data() + kStart * (&group - factor.groups_.data());
            next_ = all_[0].dof >= 0 ? group.count - 1 : -1;
            KIDO_UNROLL
            for (int j = 0; j < 6 * kParts; ++j) w_[j / kParts][j % kParts] = load(start + j * KIDO_LANES);
            std::fill(to_ + 8 * length_, to_ + 8 * group.padded, 0.0);
        }
        // What they leave at the k-th dof of the way.
        KIDO_INLINE void pass(const Articulation& a, int k) {
            if (k >= length_) return;
            const DofFactors<double>& f = a.factors(way_[k]);
            const double s[6] = {f.axis.angular.x, f.axis.angular.y, f.axis.angular.z, f.axis.linear.x, f.axis.linear.y, f.axis.linear.z};
            const double g[6] = {f.gain.torque.x, f.gain.torque.y, f.gain.torque.z, f.gain.force.x, f.gain.force.y, f.gain.force.z};
            const bool begins = next_ >= 0 && all_[next_].dof == way_[k];
            KIDO_UNROLL
            for (int c = 0; c < kParts; ++c) {
                NativeLanes u = ((w_[0][c] * s[0] + w_[1][c] * s[1]) + (w_[2][c] * s[2] + w_[3][c] * s[3])) +
                                (w_[4][c] * s[4] + w_[5][c] * s[5]);
                if (begins) u = u + load(kUnits + 8 - next_ + c * KIDO_LANES);
                store(to_ + 8 * k + c * KIDO_LANES, u * roots_[way_[k]]);
                KIDO_UNROLL
                for (int j = 0; j < 6; ++j) w_[j][c] = w_[j][c] - u * g[j];
            }
            next_ -= begins;
        }

    private:
        // Eight numbers from the ninth less i on: 1 at place i, else 0.
        static constexpr double kUnits[17] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0};

        const Coordinate* all_;
        const int* way_;
        const double* roots_;
        double* to_;
        int length_, next_;  // next_: the last of the dofs whose own impulse has not begun
        NativeLanes w_[6][kParts];
    };
    void transpose_group(const Group& group) {
        constexpr int W = KIDO_LANES;
        const double* from = numbers_.data() + group.at;
        double* to = numbers_.data() + group.at + 8 * static_cast<std::size_t>(group.padded);
        for (int k = 0; k < group.padded; k += W) {
            for (int c = 0; c < group.count; c += W) {
                LaneBlock<W> block = load_rows<W>(from + 8 * k + c, 8, W, W);
                transpose(block);
                store_rows(block, to + static_cast<std::size_t>(c) * group.padded + k, group.padded, W, W);
            }
        }
    }
    double along(int i, const AlignedNumbers& numbers) const {
        const Group& group = groups_[group_of_[i]];
        const double* z = columns(group) + static_cast<std::size_t>(i - group.first) * group.padded;
        const int* way = this->way(group);
        double even = 0.0, odd = 0.0;
        int k = 0;
        for (; k + 1 < group.length; k += 2) {
            even += z[k] * numbers[way[k]];
            odd += z[k + 1] * numbers[way[k + 1]];
        }
        if (k < group.length) even += z[k] * numbers[way[k]];
        return even + odd;
    }
    // In four sums, which do not wait for each other.
    KIDO_INLINE void add(const Place& place, const AlignedNumbers& numbers, double (&out)[8]) const {
        const double* z = numbers_.data() + place.rows;
        const int* way = dofs_.data() + place.way;
        NativeLanes sum[4][kParts];
        KIDO_UNROLL
        for (int c = 0; c < kParts; ++c) {
            sum[0][c] = load(out + c * KIDO_LANES);
            sum[1][c] = sum[2][c] = sum[3][c] = 0.0;
        }
        for (int block = 0; block < place.blocks; ++block, z += 8 * kBlock, way += kBlock) {
            KIDO_UNROLL
            for (int k = 0; k < kBlock; ++k) {
                const double rate = numbers[way[k]];
                KIDO_UNROLL
                for (int c = 0; c < kParts; ++c) sum[k % 4][c] = sum[k % 4][c] + load(z + 8 * k + c * KIDO_LANES) * rate;
            }
        }
        KIDO_UNROLL
        for (int c = 0; c < kParts; ++c) {
            store(out + c * KIDO_LANES, (sum[0][c] + sum[1][c]) + (sum[2][c] + sum[3][c]));
        }
    }

    std::vector<int> begins_, lengths_, dofs_;  // ways of the links, from the root on
    std::vector<int> positions_;                // of dofs on their links' ways
    std::vector<Group> groups_;
    std::vector<int> group_of_, ends_;  // of coordinates: their group, and the end of their block
    std::vector<double> roots_;
    AlignedNumbers starts_, numbers_, rates_, moved_;
    bool available_ = false;
};

KIDO_END
