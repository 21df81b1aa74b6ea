#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "kido/contact/impulse_passes.hpp"
#include "kido/contact/response_coordinates.hpp"
#include "kido/scalar/aligned_numbers.hpp"
#include "kido/scalar/transpose.hpp"

// The response of a skeleton to impulses as a matrix C over the coordinates that constraints touch: an impulse w at some of them changes
// the motion at all by C[:, those] w.

KIDO_BEGIN

// The dofs on the way from each link to the root.
struct DofWays {
    std::vector<int> last, next;  // of a link, and after a dof; -1: none

    explicit DofWays(const Model& m) : last(m.num_links, -1), next(m.num_dofs, -1) {
        for (int i = 0; i < m.num_links; ++i) {
            const Link& link = m.links[i];
            int before = link.parent < 0 ? -1 : last[link.parent];
            for (int k = link.dof; k < link.dof + link.dof_count; before = k++) next[k] = before;
            last[i] = before;
        }
    }
};

class ResponseMatrix {
public:
    explicit ResponseMatrix(const Model& m)
        : ways_(m), climbs_(m.num_links, 0), inverses_(m.num_dofs, 0.0), one_terms_(m.num_dofs), three_terms_(m.num_dofs),
          six_terms_(m.num_dofs) {}

    const DofWays& ways() const { return ways_; }
    // Length of rows over so many coordinates, in whole blocks.
    static int stride_of(int size) { return (size + kBlock - 1) / kBlock * kBlock; }
    // `links`: those that constraints touch, or that carry such, parents first.
    void compute(const Articulation& a, const ResponseCoordinates& coordinates, const std::vector<int>& links, ImpulsePasses& passes) {
        coordinates_ = &coordinates;
        list_ = &links;
        passes_ = &passes;
        stride_ = stride_of(coordinates.size());
        width_ = (coordinates.size() + KIDO_LANES - 1) / KIDO_LANES * KIDO_LANES;
        response_.resize(static_cast<std::size_t>(stride_) * stride_);
        factors_.resize(static_cast<std::size_t>(stride_) * a.model().num_dofs);
        ranges_.assign(a.model().num_dofs, {-1, 0});
        for (int first = 0; first < stride_; first += kBlock) climb_block(a, first);
        for (int i = 0; i < coordinates.size();) i += respond(i);
        mirror();
    }
    double response(int i, int j) const { return response_[static_cast<std::size_t>(i) * stride_ + j]; }
    const double* row(int i) const { return &response_[static_cast<std::size_t>(i) * stride_]; }

    // Takes loops out: C - B^T B, with B (count, stride). What they hold does not move at all: coordinates that respond to themselves by
    // no more than a share `unmoved` of before. Returns how they did before.
    std::vector<double> fold(const double* B, int count, int n, double unmoved) {
        std::vector<double> scales(n);
        for (int i = 0; i < n; ++i) scales[i] = response(i, i);
        for (int i = 0; i < n; ++i) {
            double* own = &response_[static_cast<std::size_t>(i) * stride_];
            for (int k = 0; k < count; ++k) {
                const double* b = B + static_cast<std::size_t>(k) * stride_;
                for (int j = 0; j < stride_; j += KIDO_LANES) store(own + j, load(own + j) - load(b + j) * b[i]);
            }
        }
        for (int i = 0; i < n; ++i) {
            if (response(i, i) > unmoved * scales[i]) continue;
            for (int j = 0; j < n; ++j) {
                response_[static_cast<std::size_t>(i) * stride_ + j] = response_[static_cast<std::size_t>(j) * stride_ + i] = 0.0;
            }
        }
        return scales;
    }
    // Adds to a motion what impulses at coordinates [first, first + N) make of it.
    template <int N>
    KIDO_INLINE void push(int first, const double (&w)[N], double* motion) const {
        add_rows(row(first), stride_, width_, w, motion);
    }
    // How many columns of rows have numbers, in whole lanes.
    int width() const { return width_; }
    // Adds N rows, `stride` apart, times w, to as many numbers as are `width`.
    template <int N>
    static KIDO_INLINE void add_rows(const double* rows, int stride, int width, const double (&w)[N], double* to) {
        for (int i = 0; i < width; i += KIDO_LANES) {
            NativeLanes sum = load(to + i);
            KIDO_UNROLL
            for (int j = 0; j < N; ++j) sum = sum + load(rows + static_cast<std::size_t>(j) * stride + i) * w[j];
            store(to + i, sum);
        }
    }

private:
    static constexpr int kBlock = ImpulsePasses::kBlock, kWide = ImpulsePasses::kWide;

    // Columns [first, end) of a row of the factor, beyond which it is zero; first < 0: no column.
    struct Range {
        int first, end;
    };
    // A row of the factor, and by how much it counts in rows of the response.
    template <int N>
    struct Term {
        const double* row;
        Range range;
        double scale[N];
    };

    static KIDO_INLINE NativeLanes load(const double* p) {
        NativeLanes x;
        std::memcpy(&x.v, p, sizeof x.v);
        return x;
    }
    static KIDO_INLINE void store(double* p, const NativeLanes& x) { std::memcpy(p, &x.v, sizeof x.v); }

    // Impulses of a link pass up to the root.
    void raise(const Model& m, int link) {
        for (int i = link; i >= 0 && !climbs_[i]; i = m.links[i].parent) {
            climbs_[i] = 1;
            passes_->clear(m, i);
        }
    }
    // What unit impulses of a block of coordinates leave at each dof on their ways to the root. These numbers Y are a factor of the
    // response: C = Y^T D^-1 Y, with D the dofs' inertias (the factorisation of the inverse mass matrix by Rodriguez, Jain and
    // Kreutz-Delgado, A spatial operator algebra for manipulator modeling and control, 1991).
    void climb_block(const Articulation& a, int first) {
        const Model& m = a.model();
        const int end = std::min(first + kBlock, coordinates_->size());
        for (const int link : *list_) climbs_[link] = 0;
        for (int c = first; c < end; ++c) {
            raise(m, (*coordinates_)[c].link);
            for (int k = (*coordinates_)[c].begin; k < (*coordinates_)[c].end; ++k) raise(m, m.dof_link[coordinates_->shares()[k].dof]);
        }
        for (int c = first; c < end; ++c) passes_->add_impulse((*coordinates_)[c], coordinates_->shares(), c - first, 1.0);
        for (int at = static_cast<int>(list_->size()) - 1; at >= 0; --at) {
            const int i = (*list_)[at];
            const Link& link = m.links[i];
            if (climbs_[i]) {
                passes_->template climb<kWide>(a, i, [&](int k, int b, const NativeLanes& u) { store(factor(k) + first + b * KIDO_LANES, u); });
            }
            for (int k = link.dof; k < link.dof + link.dof_count; ++k) {
                inverses_[k] = a.factors(k).inverse;
                if (climbs_[i]) {
                    ranges_[k] = {ranges_[k].first < 0 ? first : ranges_[k].first, first + kBlock};
                } else {
                    std::fill_n(factor(k) + first, kBlock, 0.0);
                }
            }
        }
    }
    double* factor(int dof) { return &factors_[static_cast<std::size_t>(dof) * stride_]; }

    // Rows of the response from the diagonal on, as many as are of one link, in groups of six or three: sums over the dofs on the way to the root. Returns how many.
    int respond(int i) {
        if ((*coordinates_)[i].dof == kCombined) return respond_combined(i);
        const int most = std::min(coordinates_->size() - i, 6);
        int count = 1;
        while (count < most && (*coordinates_)[i + count].link == (*coordinates_)[i].link && (*coordinates_)[i + count].dof != kCombined) ++count;
        return count == 6 ? add_up<6>(i) : count >= 3 ? add_up<3>(i) : add_up<1>(i);
    }
    // The row of a combination: sums over all dofs, for these lie on several ways to the root.
    int respond_combined(int i) {
        double* row = &response_[static_cast<std::size_t>(i) * stride_];
        const int begin = i / kBlock * kBlock;
        std::fill(row + begin, row + stride_, 0.0);
        for (std::size_t k = 0; k < ranges_.size(); ++k) {
            if (ranges_[k].first < 0) continue;
            const double* const reaches = factor(static_cast<int>(k));
            const NativeLanes scale = reaches[i] * inverses_[k];
            for (int at = begin; at < stride_; at += KIDO_LANES) store(row + at, load(row + at) + load(reaches + at) * scale);
        }
        return 1;
    }
    // What reaches a dof reaches those nearer to the root: the terms that count for a column are the last ones.
    template <int N>
    int add_up(int i) {
        Term<N>* const terms = this->template terms<N>();
        Term<N>* end = terms;
        for (int k = ways_.last[(*coordinates_)[i].link]; k >= 0; k = ways_.next[k], ++end) {
            end->row = factor(k);
            end->range = ranges_[k];
            for (int r = 0; r < N; ++r) end->scale[r] = end->row[i + r] * inverses_[k];
        }
        double* rows = &response_[static_cast<std::size_t>(i) * stride_];
        for (int at = i / kBlock * kBlock; at < stride_; at += kBlock) {
            const Term<N>* term = terms;
            while (term < end && (at < term->range.first || at >= term->range.end)) ++term;
            NativeLanes sum[N][kWide];
            KIDO_UNROLL
            for (int r = 0; r < N * kWide; ++r) sum[r / kWide][r % kWide] = 0.0;
            for (; term < end; ++term) {
                const double* row = term->row + at;
                KIDO_UNROLL
                for (int b = 0; b < kWide; ++b) {
                    const NativeLanes y = load(row + b * KIDO_LANES);
                    KIDO_UNROLL
                    for (int r = 0; r < N; ++r) sum[r][b] = sum[r][b] + y * term->scale[r];
                }
            }
            KIDO_UNROLL
            for (int r = 0; r < N * kWide; ++r) {
                store(rows + static_cast<std::size_t>(r / kWide) * stride_ + at + r % kWide * KIDO_LANES, sum[r / kWide][r % kWide]);
            }
        }
        return N;
    }
    template <int N>
    Term<N>* terms() {
        if constexpr (N == 6) {
            return six_terms_.data();
        } else if constexpr (N == 3) {
            return three_terms_.data();
        } else {
            return one_terms_.data();
        }
    }
    // What is left of the diagonal is what is right of it.
    void mirror() {
        constexpr int W = KIDO_LANES;
        for (int i = 0; i < coordinates_->size(); i += W) {
            double* own = &response_[static_cast<std::size_t>(i) * stride_ + i];
            for (int r = 1; r < W; ++r) {
                for (int c = 0; c < r; ++c) own[r * stride_ + c] = own[c * stride_ + r];
            }
            for (int j = i + W; j < coordinates_->size(); j += W) {
                LaneBlock<W> block = load_rows<W>(own + (j - i), stride_, W, W);
                transpose(block);
                store_rows(block, &response_[static_cast<std::size_t>(j) * stride_ + i], stride_, W, W);
            }
        }
    }

    DofWays ways_;
    const ResponseCoordinates* coordinates_ = nullptr;  // of the present step
    const std::vector<int>* list_ = nullptr;
    ImpulsePasses* passes_ = nullptr;
    int stride_ = 0, width_ = 0;
    std::vector<char> climbs_;
    AlignedNumbers response_, factors_;
    std::vector<Range> ranges_;
    std::vector<double> inverses_;
    std::vector<Term<1>> one_terms_;
    std::vector<Term<3>> three_terms_;
    std::vector<Term<6>> six_terms_;
};

KIDO_END
