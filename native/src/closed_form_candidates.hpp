#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "kido/ik/closed_form/screw_chain.hpp"

// Candidates that a form proposes: refined by Newton steps and collected, or the nearest of them improved.

namespace kido::closed_form {

inline constexpr double kSettled = 1e-12;       // [rad], relative: an error that is left as it is
inline constexpr double kUnsettled = 1e-11;     // an error that is too large where another solution is settled
inline constexpr double kAccepted = 1e-9;       // [rad], relative: an error of a solution
inline constexpr int kSteps = 12;               // at most; each halves the distance at least where two solutions meet
inline constexpr int kNearestSteps = 100;       // at most, where the target is out of reach
inline constexpr double kSame = 3e-7;           // [rad], relative: between two solutions that are one
inline constexpr double kFullTurn = 2.0 * arctangent::kPiHigh;

inline double wrapped(double x) {
    const double y = x - kFullTurn * std::round(x / kFullTurn);
    return y <= -arctangent::kPiHigh ? y + kFullTurn : y;
}

// Between two positions of a joint, [rad] or relative.
inline double gap(const ScrewChain& chain, int joint, double a, double b) {
    return chain.joint[joint].is_prismatic ? abs(a - b) / chain.size : abs(wrapped(a - b));
}

// Candidates of one target, made true and kept.
class Collector {
public:
    Collector(const ScrewChain& chain, const Placement& target, double* rows, double* angular, double* linear)
        : chain_(chain), target_(target), rows_(rows), angular_(angular), linear_(linear) {}

    int count() const { return count_; }

    bool all_settled() const {
        for (int i = 0; i < count_; ++i) {
            if (max(angular_[i], linear_[i] / chain_.size) > kUnsettled) return false;
        }
        return true;
    }

    // Between two solutions that nearly meet lie positions that nearly solve; they go where there are better ones.
    void drop_unsettled() {
        const auto error = [&](int i) { return max(angular_[i], linear_[i] / chain_.size); };
        double least = kAccepted;
        for (int i = 0; i < count_; ++i) least = std::min(least, error(i));
        if (least > kSettled) return;
        int kept = 0;
        for (int i = 0; i < count_; ++i) {
            if (error(i) > kUnsettled) continue;
            std::copy(rows_ + i * kMostJoints, rows_ + (i + 1) * kMostJoints, rows_ + kept * kMostJoints);
            angular_[kept] = angular_[i];
            linear_[kept++] = linear_[i];
        }
        count_ = kept;
    }

    void add(double* q) {
        PoseDifference e = difference(target_, chain_.forward(q));
        double before = worst(e);
        for (int k = 0; k < kSteps && before > kSettled; ++k) {
            double next[kMostJoints];
            std::copy(q, q + chain_.count, next);
            newton_step(chain_, target_, 1e-13, next);
            const PoseDifference f = difference(target_, chain_.forward(next));
            if (!(worst(f) < before)) break;
            before = worst(f);
            e = f;
            std::copy(next, next + chain_.count, q);
        }
        if (!(before <= kAccepted)) return;
        for (int j = 0; j < chain_.count; ++j) q[j] = chain_.joint[j].is_prismatic ? q[j] : wrapped(q[j]);
        keep(q, e);
    }

private:
    double worst(const PoseDifference& e) const { return max(length(e.angular), length(e.linear) / chain_.size); }

    void keep(const double* q, const PoseDifference& e) {
        for (int i = 0; i < count_; ++i) {
            double largest = 0.0;
            for (int j = 0; j < chain_.count; ++j) largest = max(largest, gap(chain_, j, q[j], rows_[i * kMostJoints + j]));
            if (largest < kSame) return;
        }
        if (count_ == kMostSolutions) return;
        std::copy(q, q + chain_.count, rows_ + count_ * kMostJoints);
        angular_[count_] = length(e.angular);
        linear_[count_++] = length(e.linear);
    }

    const ScrewChain& chain_;
    const Placement& target_;
    int count_ = 0;
    double *rows_, *angular_, *linear_;
};

// Steps of Levenberg and Marquardt from the best of the candidates that miss.
struct Nearest {
    const ScrewChain& chain;
    const Placement& target;
    double best[kMostJoints] = {}, least = std::numeric_limits<double>::infinity();

    double cost(const double* q) const {
        const PoseDifference e = difference(target, chain.forward(q));
        return dot(e.angular, e.angular) + dot(e.linear, e.linear) / square(chain.size);
    }
    void consider(const double* q) {
        const double c = cost(q);
        if (!(c < least)) return;
        least = c;
        std::copy(q, q + chain.count, best);
    }
    void improve() {
        double damping = 1e-4;
        for (int k = 0; k < kNearestSteps; ++k) {
            double next[kMostJoints];
            std::copy(best, best + chain.count, next);
            newton_step(chain, target, damping, next);
            const double c = cost(next);
            const bool done = c >= least * (1.0 - 1e-12) && c <= least;
            damping = c < least ? damping * 0.2 : damping * 8.0;
            if (c < least) {
                least = c;
                std::copy(next, next + chain.count, best);
            }
            if (done || damping > 1e6) return;
        }
    }
};

}  // namespace kido::closed_form
