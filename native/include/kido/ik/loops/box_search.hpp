#pragma once

#include <memory>

#include "kido/ik/loops/loop_tests.hpp"

// Branch and bound: boxes, one a lane, are tested, thrown away or split in two, until none is left.

KIDO_BEGIN

class BoxSearch {
public:
    explicit BoxSearch(const LoopProblem& problem)
        : p_(problem), n_(problem.variables()), tests_(std::make_unique<LoopTests<NativeLanes>>(problem)) {}

    // Works on the boxes of a list until none is left, or enough are tested; appends those too small to split to `leaves`. Returns how
    // many were tested.
    std::size_t run(BoxList& boxes, const BoxSearchStep& step, BoxList& leaves) {
        std::size_t nodes = 0;
        const std::size_t row = 2 * static_cast<std::size_t>(n_);
        while (boxes.begin < boxes.numbers.size() && nodes < step.most_nodes) {
            const std::size_t left = (boxes.numbers.size() - boxes.begin) / row;
            const int count = static_cast<int>(left < KIDO_LANES ? left : KIDO_LANES);
            take(boxes, count, step.breadth_first);
            nodes += count;
            test_and_split(boxes, count, step.resolution, leaves);
        }
        if (boxes.begin > 0) {
            boxes.numbers.erase(boxes.numbers.begin(), boxes.numbers.begin() + static_cast<std::ptrdiff_t>(boxes.begin));
            boxes.begin = 0;
        }
        return nodes;
    }

private:
    using T = NativeLanes;

    void take(BoxList& boxes, int count, bool first) {
        const std::size_t row = 2 * static_cast<std::size_t>(n_);
        const std::size_t from = first ? boxes.begin : boxes.numbers.size() - count * row;
        for (int lane = 0; lane < KIDO_LANES; ++lane) {
            const double* box = boxes.numbers.data() + from + (lane < count ? lane : 0) * row;
            for (int v = 0; v < n_; ++v) {
                set_lane(tests_->lower[v], lane, box[2 * v]);
                set_lane(tests_->upper[v], lane, box[2 * v + 1]);
            }
        }
        if (first) {
            boxes.begin += count * row;
        } else {
            boxes.numbers.resize(from);
        }
    }

    void test_and_split(BoxList& boxes, int count, double resolution, BoxList& leaves) {
        T index;
        for (int lane = 0; lane < KIDO_LANES; ++lane) set_lane(index, lane, lane);
        const unsigned dead = lane_bits(tests_->run(index >= T(static_cast<double>(count))));
        for (int lane = 0; lane < count; ++lane) {
            if (!(dead >> lane & 1U)) split(boxes, lane, resolution, leaves);
        }
    }

    void split(BoxList& boxes, int lane, double resolution, BoxList& leaves) {
        int chosen = -1;
        double most = 0.0;
        for (int v = 0; v < n_; ++v) {
            const double score = get_lane(tests_->score[v], lane);
            if (!(score > most) || width(v, lane) <= 0.0) continue;
            most = score;
            chosen = v;
        }
        if (chosen < 0 || width(chosen, lane) < resolution) {
            append(leaves, lane, -1, 0.0, 0.0);
            return;
        }
        const double low = get_lane(tests_->lower[chosen], lane), high = get_lane(tests_->upper[chosen], lane);
        const double middle = 0.5 * (low + high);
        append(boxes, lane, chosen, low, middle);
        append(boxes, lane, chosen, middle, high);
    }

    double width(int v, int lane) const { return get_lane(tests_->upper[v], lane) - get_lane(tests_->lower[v], lane); }

    // The box of a lane, with other limits of one variable.
    void append(BoxList& to, int lane, int changed, double low, double high) const {
        for (int v = 0; v < n_; ++v) {
            to.numbers.push_back(v == changed ? low : get_lane(tests_->lower[v], lane));
            to.numbers.push_back(v == changed ? high : get_lane(tests_->upper[v], lane));
        }
    }

    const LoopProblem& p_;
    int n_;
    std::unique_ptr<LoopTests<NativeLanes>> tests_;
};

KIDO_END
