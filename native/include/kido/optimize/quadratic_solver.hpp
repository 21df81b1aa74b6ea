#pragma once

#include "kido/optimize/active_set.hpp"

// Small dense convex quadratic programs by the dual active-set method of Goldfarb and Idnani, "A numerically stable dual method for solving strictly convex quadratic
// programs" (1983), which may begin with any set of constraints, as in Arnstroem, Bemporad and Axehill, "A dual active-set solver
// for embedded quadratic programming using recursive LDL^T updates" (2022): multipliers go towards those that the active
// constraints ask for, and what would push the wrong way is let go; then the most violated constraint is taken in. A singular H
// gets a small diagonal, whose effect further rounds take away (Rockafellar's proximal-point method, 1976).
//
// No set of active constraints comes twice while the dual objective rises; what rounding could repeat is ended by bounds that
// grow with the number of changes, and these are bounded.

KIDO_BEGIN

template <class T>
class QuadraticSolver : public QuadraticTerms<T> {
public:
    using Terms = QuadraticTerms<T>;
    using Terms::n, Terms::m, Terms::H, Terms::g, Terms::A, Terms::row_lower, Terms::row_upper, Terms::lower, Terms::upper, Terms::W;

    T* x;      // the solution (n)
    T* force;  // multipliers (n + m): H x + g is the sum of them times normals; of an infeasible program, the proof
    T* side;   // (n + m): -1 and 1, the bounds to begin with, then those that are active
    QuadraticOutcome outcome[W];
    bool is_rounded = false;  // whether bounds of equations are what another program reached, up to rounding
    T rounding = T(0.0);      // by how much bounds of rows may be off, in their own units

    QuadraticSolver(const QuadraticShape& shape, Scratch& s) : Terms(shape, s), active_(shape.unknowns, s) {
        const std::size_t wide = n, high = m;
        for (T** v : {&x, &shift_, &gradient_, &before_}) *v = s.take<T>(wide);
        for (T** v : {&weight_, &value_}) *v = s.take<T>(high);
        for (T** v : {&change_, &gap_}) *v = s.take<T>(wide + 1);
        for (T** v : {&force, &side, &wished_}) *v = s.take<T>(wide + high);
    }

    // The next program has another shape, not larger than the one that memory was taken for.
    void set_shape(const QuadraticShape& shape) {
        Terms::set_shape(shape);
        active_.n = shape.unknowns;
    }

    // `stop` ends the search of a long program early, with numbers that mean nothing; null: nothing does.
    void solve(const QuadraticSettings& settings, StopSignal* stop = nullptr) {
        active_.stop = n * (n + m) > kShort ? stop : nullptr;
        limit_ = settings.max_iterations > 0 ? settings.max_iterations : 20 * (2 * n + m) + 100;
        open_ = every();
        stepped_ = none();
        any_ignored_ = false;
        changes_ = 0;
        for (QuadraticOutcome& o : outcome) o = {QuadraticStatus::iterations, 0, std::numeric_limits<double>::infinity()};
        weigh_rows();
        factor();
        start();
        while (any(open_) && changes_ <= limit_ && !active_.is_stopped()) iterate();
        write_sides();
    }

private:
    using M = Mask<T>;
    using Terms::bound, Terms::high_of, Terms::kInfinity, Terms::low_of;

    static constexpr double kSingular = 1e-11;    // pivot, relative to its diagonal element, that is none
    static constexpr double kShift = 1e-7;        // of a singular H, relative to its diagonal
    static constexpr double kBeyond = 4e-15;      // of a bound, relative to the numbers that are compared, that counts
    static constexpr double kNegligible = 1e-13;  // the smallest numbers that are compared, relative to the minimiser without constraints
    static constexpr double kAbsent = 1e-12;       // a factor in a combination, relative to the largest, that is rounding
    static constexpr double kContradicts = 1e-9;   // of bounds of constraints that depend on each other, relative to them
    static constexpr double kStationary = 1e-13;  // gradient of the Lagrangian, or a gap at a bound, relative to their parts, that is none
    static constexpr double kStill = 1e-9;        // the same, where further rounds do not lower it
    static constexpr int kShort = 4096;           // numbers of a program whose iterations take less than a microsecond or two
    static constexpr int kRounds = 60;            // of the proximal-point method
    static constexpr double kIgnored = 2.0;       // in side: depends on active constraints and agrees with them

    static M none() { return T(1.0) < T(0.0); }
    static M every() { return T(0.0) < T(1.0); }

    void weigh_rows() {
        for (int r = 0; r < m; ++r) {
            const T size = sqrt(dot_in_parts(A + r * n, A + r * n, n));
            weight_[r] = select(size > 0.0, 1.0 / select(size > 0.0, size, T(1.0)), T(1.0));
        }
    }

    // Of H, shifted where it is singular.
    void factor() {
        for (int j = 0; j < n; ++j) shift_[j] = T(0.0);
        const M singular = active_.factor(H, shift_, kSingular);
        is_shifted_ = singular;
        if (any(singular)) {
            for (int j = 0; j < n; ++j) {
                const T diagonal = abs(H[j * n + j]), slope = abs(g[j]);
                const T size = select(diagonal > 0.0, diagonal, select(slope > 0.0, slope, T(1.0)));
                shift_[j] = select(singular, size * kShift, T(0.0));
            }
            const M curved = both(active_.factor(H, shift_, 0.0), singular);
            close(curved, QuadraticStatus::not_convex);
        }
        active_.clear();
    }

    // The minimiser without constraints; then equations and constraints to begin with become active.
    void start() {
        for (int j = 0; j < n; ++j) {
            x[j] = before_[j] = T(0.0);
            gradient_[j] = g[j];
        }
        active_.lower_gradient(gradient_, x, every());
        T peak = T(0.0);
        for (int j = 0; j < n; ++j) peak = max(peak, abs(x[j]));
        negligible_ = peak * kNegligible;
        for (int i = 0; i < n + m; ++i) {
            wished_[i] = side[i];
            side[i] = T(0.0);
            force[i] = T(0.0);
        }
        for (int k = 0; k <= n; ++k) change_[k] = gap_[k] = T(0.0);
        rounds_ = best_ = T(0.0);
        for (int i = n; i < n + m; ++i) begin_with(i, row_lower[i - n] == row_upper[i - n], true);
        for (int j = 0; j < n; ++j) begin_with(j, lower[j] == upper[j], true);
        active_.equations = active_.count;
        for (int i = 0; i < n + m; ++i) {
            const T low = low_of(i), high = high_of(i);
            const M below = both(wished_[i] < 0.0, low > T(-kInfinity)), above = both(wished_[i] > 0.0, high < T(kInfinity));
            begin_with(i, both(below | above, side[i] == T(0.0)), false);
        }
        again_ = is_shifted_;
    }

    void begin_with(int i, M where, bool equation) {
        where = both(where, open_);
        if (!any(where)) return;
        int index[W];
        for (int lane = 0; lane < W; ++lane) index[lane] = i;
        const T sign = equation ? T(1.0) : select(wished_[i] > 0.0, T(-1.0), T(1.0));
        active_.set_normal(*this, index, sign);
        const M dependent = active_.depends();
        if (equation && any(both(where, dependent))) {
            side[i] = select(both(where, dependent), T(kIgnored), side[i]);
            any_ignored_ = true;
        }
        take_in(index, sign, T(0.0), except(where, dependent));
    }

    // One change of the active set, or a look at what is left.
    void iterate() {
        ++changes_;
        for (int r = 0; r < m; ++r) value_[r] = dot_in_parts(A + r * n, x, n);
        const M looking = both(stepped_, open_);
        if (any(looking)) look(looking);
        const M stepping = except(open_, stepped_);
        if (any(stepping)) step(stepping);
    }

    // Where all active constraints are kept: the most violated one is taken in; where none is, the gradient is looked at.
    void look(M looking) {
        // Bounds that grow with the number of changes end what rounding repeats.
        const int late = changes_ - (4 * (n + m) + 40);
        double loose = kBeyond;
        for (int k = late; k > 0 && loose < 1e-8; k -= n + m + 1) loose *= 4.0;
        T most = T(0.0), which = T(-1.0), sign = T(0.0);
        for (int i = 0; i < n + m; ++i) {
            const bool row = i >= n;
            const T at = row ? value_[i - n] : x[i];
            const T weight = row ? weight_[i - n] : T(1.0);
            const T size = (row ? Terms::reach(i - n, x) : T(abs(x[i]))) + negligible_ / weight;
            const T low = low_of(i), high = high_of(i);
            const M inactive = both(side[i] == T(0.0), low < high);
            const T below = low - at, above = at - high;
            const M first = both(inactive, both(below > (abs(low) + size) * loose, below * weight > most));
            most = select(first, below * weight, most);
            which = select(first, T(static_cast<double>(i)), which);
            sign = select(first, T(1.0), sign);
            const M second = both(inactive, both(above > (abs(high) + size) * loose, above * weight > most));
            most = select(second, above * weight, most);
            which = select(second, T(static_cast<double>(i)), which);
            sign = select(second, T(-1.0), sign);
        }
        const M violated = both(looking, most > 0.0);
        M kept = except(looking, violated);
        if (any(violated)) add(which, sign, violated);
        if (any_ignored_ && any(kept)) {
            check_ignored(kept);
            kept = both(kept, open_);
        }
        if (any(kept)) judge(kept);
    }

    void add(const T& which, const T& sign, M where) {
        int index[W];
        for (int lane = 0; lane < W; ++lane) {
            index[lane] = mask_lane(where, lane) ? static_cast<int>(get_lane(which, lane)) : 0;
        }
        active_.set_normal(*this, index, sign);
        M dependent = both(where, active_.depends());
        T multiplier = T(0.0);
        if (any(dependent)) {
            active_.combine();
            T most = T(kInfinity), least = T(0.0);
            for (int k = 0; k < active_.most(); ++k) least = max(least, T(abs(active_.combination[k]) * kAbsent));
            int place[W] = {};
            for (int k = 0; k < active_.most(); ++k) {
                const T length = active_.multiplier[k] / select(active_.combination[k] > 0.0, active_.combination[k], T(1.0));
                const M nearer = both(both(dependent, active_.is_free(k)), both(active_.combination[k] > least, length < most));
                most = select(nearer, length, most);
                for (int lane = 0; lane < W; ++lane) place[lane] = mask_lane(nearer, lane) ? k : place[lane];
            }
            const M stuck = both(dependent, most == T(kInfinity));
            if (any(stuck)) contradict(index, sign, stuck);
            dependent = except(dependent, stuck);
            where = except(where, stuck);
            if (any(dependent)) {
                for (int k = 0; k < active_.most(); ++k) {
                    active_.multiplier[k] = select(both(dependent, active_.is_active(k)), max(active_.multiplier[k] - most * active_.combination[k], active_.lowest_multiplier(k)), active_.multiplier[k]);
                }
                multiplier = select(dependent, most, T(0.0));
                drop(place, dependent);
                active_.set_normal(*this, index, sign);
            }
        }
        // What still depends on the others after one was let go is taken in when its turn comes again.
        take_in(index, sign, multiplier, except(where, active_.depends()));
        unsettle(where);
    }

    void unsettle(M where) {
        stepped_ = except(stepped_, where);
        again_ = again_ | both(where, is_shifted_);
    }

    // A violated constraint that is a combination of active ones, none of which can be let go. Their bounds contradict each other, by
    // the lemma of Farkas, or do so by rounding only.
    void contradict(const int* index, const T& sign, M where) {
        for (int lane = 0; lane < W; ++lane) {
            if (!mask_lane(where, lane)) continue;
            const int i = index[lane];
            const double s = get_lane(sign, lane);
            double gap = s * bound(i, s, lane), size = std::fabs(gap), most = 0.0, off = get_lane(rounding, lane);
            for (int k = 0; k < active_.size(lane); ++k) most = std::max(most, std::fabs(get_lane(active_.combination[k], lane)));
            for (int k = 0; k < active_.size(lane); ++k) {
                const double other = get_lane(active_.orientation[k], lane), factor = get_lane(active_.combination[k], lane);
                if (std::fabs(factor) < kAbsent * most) continue;
                const double part = factor * other * bound(active_.index[k * W + lane], other, lane);
                gap -= part;
                size += std::fabs(part);
                off += std::fabs(factor) * get_lane(rounding, lane);
            }
            if (gap <= kContradicts * size + slight_of(i, lane) + off) {
                set_lane(side[i], lane, kIgnored);
                any_ignored_ = true;
                continue;
            }
            prove(i, s, lane);
        }
        open_ = except(open_, closed_lanes(QuadraticStatus::infeasible));
    }

    // By how much bounds may contradict each other, because they are rounded.
    double slight_of(int i, int lane) const {
        if (!is_rounded) return 0.0;
        double slight = get_lane(negligible_, lane);
        for (int j = 0; j < n; ++j) slight = std::max(slight, std::fabs(get_lane(x[j], lane)) * kNegligible);
        return slight / (i < n ? 1.0 : get_lane(weight_[i - n], lane));
    }

    // Equations that were left out, because they depend on others: they hold with these, or the program is infeasible.
    void check_ignored(M where) {
        for (int i = 0; i < n + m; ++i) {
            const M ignored = both(both(where, open_), both(side[i] == T(kIgnored), low_of(i) == high_of(i)));
            if (!any(ignored)) continue;
            int index[W];
            for (int lane = 0; lane < W; ++lane) index[lane] = i;
            const T sign = select((i < n ? x[i] : value_[i - n]) < low_of(i), T(1.0), T(-1.0));
            active_.set_normal(*this, index, sign);
            active_.combine();
            contradict(index, sign, ignored);
        }
    }

    M closed_lanes(QuadraticStatus status) const {
        T marks;
        for (int lane = 0; lane < W; ++lane) set_lane(marks, lane, outcome[lane].status == status ? 1.0 : 0.0);
        return marks > T(0.0);
    }

    void close(M where, QuadraticStatus status) {
        for (int lane = 0; lane < W; ++lane) {
            if (!mask_lane(where, lane)) continue;
            outcome[lane].status = status;
            outcome[lane].iterations = changes_;
        }
        open_ = except(open_, where);
    }

    // Farkas' combination: normals that add up to nothing, while their bounds add up to more than 0.
    void prove(int i, double sign, int lane) {
        outcome[lane].status = QuadraticStatus::infeasible;
        outcome[lane].iterations = changes_;
        for (int k = 0; k < n + m; ++k) set_lane(force[k], lane, 0.0);
        set_lane(force[i], lane, sign);
        for (int k = 0; k < active_.size(lane); ++k) {
            const int j = active_.index[k * W + lane];
            set_lane(force[j], lane, get_lane(force[j], lane) - get_lane(active_.combination[k], lane) * get_lane(active_.orientation[k], lane));
        }
        outcome[lane].residual = Terms::infeasibility_residual(force, lane);
    }

    // How far values of active constraints are from their bounds, relative to the numbers that are compared.
    T largest_gap() const {
        T most = T(0.0), peak = negligible_;
        for (int j = 0; j < n; ++j) peak = max(peak, T(abs(x[j]) * kNegligible));
        for (int k = 0; k < active_.most(); ++k) {
            alignas(T) double gap[W];
            for (int lane = 0; lane < W; ++lane) {
                gap[lane] = 0.0;
                if (k >= active_.size(lane)) continue;
                const int i = active_.index[k * W + lane];
                const double limit = bound(i, get_lane(active_.orientation[k], lane), lane);
                const double at = get_lane(i < n ? x[i] : value_[i - n], lane);
                const double slight = get_lane(peak, lane) / (i < n ? 1.0 : get_lane(weight_[i - n], lane));
                const double size = std::fabs(limit) + std::fabs(at) + (i < n ? 0.0 : Terms::reach(i - n, x, lane)) + slight;
                gap[lane] = size > 0.0 ? std::fabs(limit - at) / size : 0.0;
            }
            T numbers;
            std::memcpy(&numbers, gap, sizeof numbers);
            most = max(most, numbers);
        }
        return most;
    }

    // The gradient of the Lagrangian: small, or lowered with the active constraints as they are.
    void judge(M kept) {
        write_forces(kept);
        T left = T(0.0), size = T(0.0);
        for (int j = 0; j < n; ++j) {
            const T pull = dot_in_parts(H + j * n, x, n);
            T push = force[j], parts = abs(pull) + abs(g[j]) + abs(force[j]);
            for (int r = 0; r < m; ++r) {
                const T part = A[r * n + j] * force[n + r];
                push += part;
                parts += abs(part);
            }
            gradient_[j] = select(kept, pull + g[j] - push, gradient_[j]);
            left = max(left, abs(gradient_[j]));
            size = max(size, parts);
        }
        T relative = select(size > 0.0, left / select(size > 0.0, size, T(1.0)), T(0.0));
        const T gap = largest_gap(), worst = max(relative, gap);
        const M improved = both((rounds_ < T(2.0)) | (worst < best_ * 0.5), kept);
        const M over = rounds_ >= select(is_shifted_, T(kRounds), T(6.0));
        const M stationary = both(kept, relative <= T(kStationary));
        M done = both(stationary, worst <= T(kStationary));
        done = done | both(except(kept, improved) | both(kept, over), worst <= T(kStill));
        const M last = except(both(both(kept, over), gap <= T(kStill)), done);
        if (any(last)) {
            const T rounded = rounding_left();
            const M small = both(last, rounded <= T(kStationary));
            relative = select(small, rounded, relative);
            done = done | small;
        }
        const M hopeless = both(except(kept, done), over);
        for (int lane = 0; lane < W; ++lane) {
            if (!mask_lane(kept, lane)) continue;
            outcome[lane].residual = get_lane(relative, lane);
            outcome[lane].iterations = changes_;
            if (mask_lane(done, lane)) outcome[lane].status = QuadraticStatus::solved;
            else if (mask_lane(hopeless, lane)) outcome[lane].status = QuadraticStatus::iterations;
            else if (mask_lane(is_shifted_, lane) && get_lane(rounds_, lane) > 0.0 && Terms::recedes(before_, x, lane)) {
                outcome[lane].status = QuadraticStatus::unbounded;
            }
        }
        done = done | (hopeless | both(kept, closed_lanes(QuadraticStatus::unbounded)));
        open_ = except(open_, done);
        const M again = except(kept, done);
        if (!any(again)) return;
        best_ = select(both(again, improved), worst, best_);
        rounds_ = select(again, rounds_ + 1.0, rounds_);
        for (int j = 0; j < n; ++j) before_[j] = select(again, x[j], before_[j]);
        const M lowered = except(again, stationary);
        if (any(lowered)) active_.lower_gradient(gradient_, x, lowered);
        unsettle(again);
        again_ = again_ | lowered;
    }

    // The gradient of the Lagrangian relative to all numbers that are added up: where these cancel, what is left is rounding.
    T rounding_left() const {
        T left = T(0.0), size = T(0.0);
        for (int j = 0; j < n; ++j) {
            T pull = g[j] - force[j], parts = abs(g[j]) + abs(force[j]);
            for (int k = 0; k < n; ++k) {
                pull += H[j * n + k] * x[k];
                parts += abs(H[j * n + k] * x[k]);
            }
            for (int r = 0; r < m; ++r) {
                pull -= A[r * n + j] * force[n + r];
                parts += abs(A[r * n + j] * force[n + r]);
            }
            left = max(left, abs(pull));
            size = max(size, parts);
        }
        return select(size > 0.0, left / select(size > 0.0, size, T(1.0)), T(0.0));
    }

    void write_forces(M where) {
        for (int i = 0; i < n + m; ++i) force[i] = select(where, T(0.0), force[i]);
        for (int k = 0; k < active_.most(); ++k) scatter_lanes(force, active_.index + k * W, active_.multiplier[k] * active_.orientation[k], both(where, active_.is_active(k)));
    }

    void take_in(const int* index, const T& sign, const T& multiplier, M where) {
        if (!any(where)) return;
        active_.take_in(index, sign, multiplier, where);
        for (int lane = 0; lane < W; ++lane) {
            if (mask_lane(where, lane)) set_lane(side[index[lane]], lane, -get_lane(sign, lane));
        }
    }

    void drop(const int* place, M where) {
        for (int i = 0; any_ignored_ && i < n + m; ++i) {
            const M was = both(both(where, side[i] == T(kIgnored)), low_of(i) < high_of(i));
            side[i] = select(was, T(0.0), side[i]);
        }
        for (int lane = 0; lane < W; ++lane) {
            if (mask_lane(where, lane)) set_lane(side[active_.index[place[lane] * W + lane]], lane, 0.0);
        }
        active_.drop(place, where);
    }

    // Towards where the active constraints are kept, as far as no multiplier gets the wrong sign.
    void step(M stepping) {
        const int most = active_.most();
        for (int k = 0; k < most; ++k) {
            const int* index = active_.index + k * W;
            alignas(T) double gap[W];
            for (int lane = 0; lane < W; ++lane) {
                const int i = index[lane];
                const double at = get_lane(i < n ? x[i] : value_[i - n], lane), s = get_lane(active_.orientation[k], lane);
                gap[lane] = k < active_.size(lane) ? s * (bound(i, s, lane) - at) : 0.0;
            }
            std::memcpy(&gap_[k], gap, sizeof(T));
        }
        active_.solve_transposed(gap_, most);
        for (int k = 0; k < most; ++k) change_[k] = gap_[k];
        active_.solve(change_, most);
        T length = T(1.0);
        int place[W] = {};
        M blocked = none();
        for (int k = 0; k < most; ++k) {
            const M wrong = both(both(stepping, active_.is_free(k)), active_.multiplier[k] + change_[k] < 0.0);
            const T part = active_.multiplier[k] / select(wrong, -change_[k], T(1.0));
            const M nearer = both(wrong, part < length);
            length = select(nearer, part, length);
            blocked = blocked | nearer;
            for (int lane = 0; lane < W; ++lane) place[lane] = mask_lane(nearer, lane) ? k : place[lane];
        }
        for (int k = 0; k < most; ++k) {
            const T moved = select(both(stepping, active_.is_active(k)), length, T(0.0));
            active_.multiplier[k] = max(active_.multiplier[k] + moved * change_[k], active_.lowest_multiplier(k));
            active_.move_along(k, moved * gap_[k], x);
        }
        settle_bounds(except(stepping, blocked));
        // After long ways, which an H that is nearly singular makes, a second step takes away what rounding left.
        const M whole = except(stepping, blocked);
        stepped_ = stepped_ | except(whole, again_);
        again_ = except(again_, whole) | both(is_shifted_, blocked);
        if (any(blocked)) drop(place, blocked);
    }

    // What is at its bound is there without rounding.
    void settle_bounds(M where) {
        for (int lane = 0; lane < W; ++lane) {
            if (!mask_lane(where, lane)) continue;
            for (int k = 0; k < active_.size(lane); ++k) {
                const int i = active_.index[k * W + lane];
                if (i < n) set_lane(x[i], lane, bound(i, get_lane(active_.orientation[k], lane), lane));
            }
        }
    }

    void write_sides() {
        for (int i = 0; i < n + m; ++i) {
            const T low = low_of(i), high = high_of(i);
            side[i] = select(both(side[i] == T(kIgnored), low < high), T(0.0), side[i]);
            side[i] = select(low == high, T(-1.0), side[i]);
        }
        for (int j = 0; j < n; ++j) x[j] = x[j] + 0.0;  // no negative zeros, which lanes that wait may make others of
        for (int i = 0; i < n + m; ++i) force[i] = force[i] + 0.0;
        if (!any(open_)) return;
        write_forces(open_);
        for (int lane = 0; lane < W; ++lane) {
            if (mask_lane(open_, lane)) outcome[lane].iterations = changes_;
        }
    }

    ActiveSet<T> active_;
    T *shift_, *gradient_, *before_, *change_, *gap_;
    T *weight_, *value_;  // of rows: 1 / length of the normal; A x
    T* wished_;
    T rounds_, best_, negligible_;
    M open_, stepped_, is_shifted_, again_;
    bool any_ignored_ = false;
    int limit_ = 0, changes_ = 0;
};

KIDO_END
