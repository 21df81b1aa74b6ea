#pragma once

#include <limits>

#include "kido/optimize/quadratic_problem.hpp"
#include "kido/scalar/lanes.hpp"
#include "kido/tree/scratch.hpp"

// Small dense convex quadratic programs, one in doubles or one a lane: minimise 1/2 x.H x + g.x with all x and the rows of A x
// between bounds; what has equal bounds is an equation. Unknowns are constraints 0 to n - 1, rows those from n on.
//
// The dual active-set method of Goldfarb and Idnani, "A numerically stable dual method for solving strictly convex quadratic
// programs" (1983), which may begin with any set of constraints, as in Arnstroem, Bemporad and Axehill, "A dual active-set solver
// for embedded quadratic programming using recursive LDL^T updates" (2022): multipliers go towards those that the active
// constraints ask for, and what would push the wrong way is let go; then the most violated constraint is taken in. A singular H
// gets a small diagonal, whose effect further rounds take away (Rockafellar's proximal-point method, 1976). Factors are
// orthogonal: J^T B J = 1, J^T N = [R; 0] for the normals N of the active constraints.
//
// No set of active constraints comes twice while the dual objective rises; what rounding could repeat is ended by bounds that
// grow with the number of changes, and these are bounded.

KIDO_BEGIN

KIDO_INLINE bool both(bool a, bool b) { return a && b; }
KIDO_INLINE bool except(bool a, bool b) { return a && !b; }
template <int W>
KIDO_INLINE LaneMask<W> both(LaneMask<W> a, LaneMask<W> b) {
    return a & b;
}
template <int W>
KIDO_INLINE LaneMask<W> except(LaneMask<W> a, LaneMask<W> b) {
    return a & (a ^ b);
}
KIDO_INLINE bool mask_lane(bool mask, int) { return mask; }
template <int W>
KIDO_INLINE bool mask_lane(LaneMask<W> mask, int lane) {
    return mask.bits[lane] != 0;
}

template <class T>
class QuadraticSolver {
public:
    static constexpr int W = lanes_of<T>;

    int n, m;                 // unknowns, rows; at most as many as there is room for
    T *H, *g;                 // (n, n) symmetric, (n)
    T* A;                     // (m, n)
    T *row_lower, *row_upper;  // (m)
    T *lower, *upper;         // (n)
    T* x;                     // the solution (n)
    T* force;                 // multipliers (n + m): H x + g is the sum of them times normals; of an infeasible program, the proof
    T* side;                  // (n + m): -1 and 1, the bounds to begin with, then those that are active
    QuadraticOutcome outcome[W];

    QuadraticSolver(const QuadraticShape& shape, Scratch& s) : n(shape.unknowns), m(shape.rows) {
        const std::size_t wide = n, high = m;
        for (T** square : {&H, &U_, &J_, &R_}) *square = s.take<T>(wide * wide);
        A = s.take<T>(high * wide);
        for (T** v : {&g, &lower, &upper, &x, &normal_, &d_, &sum_, &shift_, &gradient_, &before_}) *v = s.take<T>(wide);
        for (T** v : {&row_lower, &row_upper, &weight_, &value_}) *v = s.take<T>(high);
        for (T** v : {&lambda_, &change_, &y_, &r_, &inverse_, &orientation_}) *v = s.take<T>(wide + 1);
        for (T** v : {&force, &side, &wished_}) *v = s.take<T>(wide + high);
        index_ = s.take<int>((wide + 1) * W);
    }

    // The next program has another shape, not larger than the one that memory was taken for.
    void set_shape(const QuadraticShape& shape) {
        n = shape.unknowns;
        m = shape.rows;
    }

    void solve(const QuadraticSettings& settings) {
        limit_ = settings.max_iterations > 0 ? settings.max_iterations : 20 * (2 * n + m) + 100;
        open_ = every();
        stepped_ = none();
        any_ignored_ = false;
        changes_ = 0;
        for (QuadraticOutcome& o : outcome) o = {QuadraticStatus::iterations, 0, std::numeric_limits<double>::infinity()};
        weigh_rows();
        factor();
        start();
        while (any(open_) && changes_ <= limit_) iterate();
        write_sides();
    }

private:
    using M = Mask<T>;

    static constexpr double kSingular = 1e-11;    // pivot, relative to its diagonal element, that is none
    static constexpr double kShift = 1e-7;        // of a singular H, relative to its diagonal
    static constexpr double kDependent = 1e-18;   // part of the square of a normal outside those of the active set that is none
    static constexpr double kBeyond = 4e-15;      // of a bound, relative to the numbers that are compared, that counts
    static constexpr double kNegligible = 1e-13;  // the smallest numbers that are compared, relative to the minimiser without constraints
    static constexpr double kContradicts = 1e-9;   // of bounds of constraints that depend on each other, relative to them
    static constexpr double kStationary = 1e-13;  // gradient of the Lagrangian, or a gap at a bound, relative to their parts, that is none
    static constexpr double kStill = 1e-9;        // the same, where further rounds do not lower it
    static constexpr int kRounds = 60;            // of the proximal-point method
    static constexpr double kIgnored = 2.0;       // in side: depends on active constraints and agrees with them

    static M none() { return T(1.0) < T(0.0); }
    static M every() { return T(0.0) < T(1.0); }

    // Sums in four parts, the same for doubles and lanes.
    static KIDO_INLINE T dot(const T* a, const T* b, int count) {
        T s[4] = {T(0.0), T(0.0), T(0.0), T(0.0)};
        int k = 0;
        for (; k + 4 <= count; k += 4) {
            s[0] += a[k] * b[k];
            s[1] += a[k + 1] * b[k + 1];
            s[2] += a[k + 2] * b[k + 2];
            s[3] += a[k + 3] * b[k + 3];
        }
        for (; k < count; ++k) s[k & 3] += a[k] * b[k];
        return (s[0] + s[1]) + (s[2] + s[3]);
    }

    // Number base[index] of each lane.
    static KIDO_INLINE T gather(const T* base, const int* index, int stride = 1) {
        alignas(T) double x[W];
        for (int lane = 0; lane < W; ++lane) {
            x[lane] = reinterpret_cast<const double*>(base + static_cast<std::ptrdiff_t>(index[lane]) * stride)[lane];
        }
        T out;
        std::memcpy(&out, x, sizeof out);
        return out;
    }
    static KIDO_INLINE void scatter(T* base, const int* index, const T& value, M where) {
        for (int lane = 0; lane < W; ++lane) {
            if (mask_lane(where, lane)) reinterpret_cast<double*>(base + index[lane])[lane] = get_lane(value, lane);
        }
    }
    static KIDO_INLINE T from_integers(const int* numbers) {
        T x;
        for (int lane = 0; lane < W; ++lane) set_lane(x, lane, numbers[lane]);
        return x;
    }

    int most_active() const { return static_cast<int>(greatest(count_)); }
    static double greatest(double x) { return x; }
    template <int V>
    static double greatest(const Lanes<V>& x) { return greatest_lane(x); }

    void weigh_rows() {
        for (int r = 0; r < m; ++r) {
            const T size = sqrt(dot(A + r * n, A + r * n, n));
            weight_[r] = select(size > 0.0, 1.0 / select(size > 0.0, size, T(1.0)), T(1.0));
        }
    }

    // B = H, shifted where it is singular, = U^T U; J = U^-1.
    void factor() {
        for (int j = 0; j < n; ++j) shift_[j] = T(0.0);
        const M singular = factor_shifted(kSingular);
        is_shifted_ = singular;
        if (any(singular)) {
            for (int j = 0; j < n; ++j) {
                const T diagonal = abs(H[j * n + j]), slope = abs(g[j]);
                const T size = select(diagonal > 0.0, diagonal, select(slope > 0.0, slope, T(1.0)));
                shift_[j] = select(singular, size * kShift, T(0.0));
            }
            const M curved = both(factor_shifted(0.0), singular);
            close(curved, QuadraticStatus::not_convex);
        }
        for (int a = 0; a < n; ++a) {
            T* row = J_ + a * n;
            for (int b = 0; b < n; ++b) row[b] = T(0.0);
            for (int c = 0; c < a; ++c) {
                const T part = U_[c * n + a];
                const T* other = J_ + c * n;
                for (int b = 0; b <= c; ++b) row[b] -= part * other[b];
            }
            for (int b = 0; b < a; ++b) row[b] = row[b] * inverse_[a];
            row[a] = inverse_[a];
        }
    }

    // Lanes in which a pivot is not above `least`, relative to the diagonal.
    M factor_shifted(double least) {
        M failed = none();
        for (int a = 0; a < n; ++a) {
            for (int b = a; b < n; ++b) U_[a * n + b] = H[a * n + b];
            U_[a * n + a] += shift_[a];
        }
        for (int c = 0; c < n; ++c) {
            T* pivot = U_ + c * n;
            const M sound = pivot[c] > (abs(H[c * n + c]) + shift_[c]) * least;
            failed = failed | except(every(), sound);
            const T root = sqrt(select(sound, pivot[c], T(1.0)));
            inverse_[c] = 1.0 / root;
            pivot[c] = root;
            for (int b = c + 1; b < n; ++b) pivot[b] = pivot[b] * inverse_[c];
            for (int a = c + 1; a < n; ++a) {
                T* row = U_ + a * n;
                const T part = pivot[a];
                for (int b = a; b < n; ++b) row[b] -= part * pivot[b];
            }
        }
        return failed;
    }

    // The minimiser without constraints; then equations and constraints to begin with become active.
    void start() {
        for (int j = 0; j < n; ++j) {
            x[j] = before_[j] = T(0.0);
            gradient_[j] = g[j];
        }
        lower_gradient(every());
        T peak = T(0.0);
        for (int j = 0; j < n; ++j) peak = max(peak, abs(x[j]));
        negligible_ = peak * kNegligible;
        for (int k = 0; k < n * n; ++k) R_[k] = T(0.0);
        for (int k = 0; k <= n; ++k) {
            lambda_[k] = change_[k] = y_[k] = r_[k] = T(0.0);
            inverse_[k] = orientation_[k] = T(1.0);
        }
        for (int k = 0; k < (n + 1) * W; ++k) index_[k] = 0;
        for (int i = 0; i < n + m; ++i) {
            wished_[i] = side[i];
            side[i] = T(0.0);
            force[i] = T(0.0);
        }
        count_ = equations_ = rounds_ = best_ = T(0.0);
        for (int i = n; i < n + m; ++i) begin_with(i, row_lower[i - n] == row_upper[i - n], true);
        for (int j = 0; j < n; ++j) begin_with(j, lower[j] == upper[j], true);
        equations_ = count_;
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
        set_normal(index, sign);
        const M dependent = depends();
        if (equation && any(both(where, dependent))) {
            side[i] = select(both(where, dependent), T(kIgnored), side[i]);
            any_ignored_ = true;
        }
        take_in(index, sign, T(0.0), except(where, dependent));
    }

    static constexpr double kInfinity = std::numeric_limits<double>::infinity();

    // One change of the active set, or a look at what is left.
    void iterate() {
        ++changes_;
        for (int r = 0; r < m; ++r) value_[r] = dot(A + r * n, x, n);
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
            const T size = (row ? reach(i - n) : T(abs(x[i]))) + negligible_ / weight;
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

    // Bound of the size of the parts of a row's value.
    T reach(int r) const {
        T sum = T(0.0);
        for (int j = 0; j < n; ++j) sum += abs(A[r * n + j] * x[j]);
        return sum;
    }

    void add(const T& which, const T& sign, M where) {
        int index[W];
        for (int lane = 0; lane < W; ++lane) {
            index[lane] = mask_lane(where, lane) ? static_cast<int>(get_lane(which, lane)) : 0;
        }
        set_normal(index, sign);
        M dependent = both(where, depends());
        T multiplier = T(0.0);
        if (any(dependent)) {
            combine();
            T most = T(kInfinity), least = T(0.0);
            for (int k = 0; k < most_active(); ++k) least = max(least, T(abs(r_[k]) * 1e-12));
            int place[W] = {};
            for (int k = 0; k < most_active(); ++k) {
                const T length = lambda_[k] / select(r_[k] > 0.0, r_[k], T(1.0));
                const M nearer = both(both(dependent, is_free(k)), both(r_[k] > least, length < most));
                most = select(nearer, length, most);
                for (int lane = 0; lane < W; ++lane) place[lane] = mask_lane(nearer, lane) ? k : place[lane];
            }
            const M stuck = both(dependent, most == T(kInfinity));
            if (any(stuck)) contradict(index, sign, stuck);
            dependent = except(dependent, stuck);
            where = except(where, stuck);
            if (any(dependent)) {
                for (int k = 0; k < most_active(); ++k) {
                    lambda_[k] = select(both(dependent, is_active(k)), max(lambda_[k] - most * r_[k], lowest(k)), lambda_[k]);
                }
                multiplier = select(dependent, most, T(0.0));
                drop(place, dependent);
                set_normal(index, sign);
            }
        }
        // What still depends on the others after one was let go is taken in when its turn comes again.
        take_in(index, sign, multiplier, except(where, depends()));
        unsettle(where);
    }

    void unsettle(M where) {
        stepped_ = except(stepped_, where);
        again_ = again_ | both(where, is_shifted_);
    }

    // Multipliers of inequalities are 0 or above.
    T lowest(int k) const { return select(T(static_cast<double>(k)) < equations_, T(-kInfinity), T(0.0)); }
    M is_active(int k) const { return T(static_cast<double>(k)) < count_; }
    M is_free(int k) const { return both(is_active(k), equations_ <= T(static_cast<double>(k))); }

    // A violated constraint that is a combination of active ones, none of which can be let go. Their bounds contradict each other, by
    // the lemma of Farkas, or do so by rounding only.
    void contradict(const int* index, const T& sign, M where) {
        for (int lane = 0; lane < W; ++lane) {
            if (!mask_lane(where, lane)) continue;
            const int i = index[lane];
            const double s = get_lane(sign, lane);
            double gap = s * bound(i, s, lane), size = std::fabs(gap);
            for (int k = 0; k < static_cast<int>(get_lane(count_, lane)); ++k) {
                const double other = get_lane(orientation_[k], lane);
                const double part = get_lane(r_[k], lane) * other * bound(index_[k * W + lane], other, lane);
                gap -= part;
                size += std::fabs(part);
            }
            if (gap <= kContradicts * size) {
                set_lane(side[i], lane, kIgnored);
                any_ignored_ = true;
                continue;
            }
            prove(i, s, lane);
        }
        open_ = except(open_, closed_lanes(QuadraticStatus::infeasible));
    }

    // Equations that were left out, because they depend on others: they hold with these, or the program is infeasible.
    void check_ignored(M where) {
        for (int i = 0; i < n + m; ++i) {
            const M ignored = both(both(where, open_), both(side[i] == T(kIgnored), low_of(i) == high_of(i)));
            if (!any(ignored)) continue;
            int index[W];
            for (int lane = 0; lane < W; ++lane) index[lane] = i;
            const T sign = select((i < n ? x[i] : value_[i - n]) < low_of(i), T(1.0), T(-1.0));
            set_normal(index, sign);
            combine();
            contradict(index, sign, ignored);
        }
    }

    T low_of(int i) const { return i < n ? lower[i] : row_lower[i - n]; }
    T high_of(int i) const { return i < n ? upper[i] : row_upper[i - n]; }

    double bound(int i, double sign, int lane) const {
        if (i < n) return get_lane(sign > 0.0 ? lower[i] : upper[i], lane);
        return get_lane(sign > 0.0 ? row_lower[i - n] : row_upper[i - n], lane);
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
        for (int k = 0; k < static_cast<int>(get_lane(count_, lane)); ++k) {
            const int j = index_[k * W + lane];
            set_lane(force[j], lane, get_lane(force[j], lane) - get_lane(r_[k], lane) * get_lane(orientation_[k], lane));
        }
        double left = 0.0, size = 0.0;
        for (int j = 0; j < n; ++j) {
            double sum = get_lane(force[j], lane), part = std::fabs(sum);
            for (int r = 0; r < m; ++r) {
                const double term = get_lane(force[n + r], lane) * get_lane(A[r * n + j], lane);
                sum += term;
                part += std::fabs(term);
            }
            left = std::max(left, std::fabs(sum));
            size = std::max(size, part);
        }
        outcome[lane].residual = size > 0.0 ? left / size : 0.0;
    }

    // How far values of active constraints are from their bounds, relative to the numbers that are compared.
    T largest_gap() const {
        T most = T(0.0);
        for (int k = 0; k < most_active(); ++k) {
            alignas(T) double gap[W];
            for (int lane = 0; lane < W; ++lane) {
                gap[lane] = 0.0;
                if (k >= static_cast<int>(get_lane(count_, lane))) continue;
                const int i = index_[k * W + lane];
                const double limit = bound(i, get_lane(orientation_[k], lane), lane);
                const double at = get_lane(i < n ? x[i] : value_[i - n], lane);
                const double slight = get_lane(negligible_, lane) / (i < n ? 1.0 : get_lane(weight_[i - n], lane));
                const double size = std::fabs(limit) + std::fabs(at) + (i < n ? 0.0 : lane_reach(i - n, lane)) + slight;
                gap[lane] = size > 0.0 ? std::fabs(limit - at) / size : 0.0;
            }
            T numbers;
            std::memcpy(&numbers, gap, sizeof numbers);
            most = max(most, numbers);
        }
        return most;
    }

    double lane_reach(int r, int lane) const {
        double sum = 0.0;
        for (int j = 0; j < n; ++j) sum += std::fabs(get_lane(A[r * n + j], lane) * get_lane(x[j], lane));
        return sum;
    }

    // The gradient of the Lagrangian: small, or lowered with the active constraints as they are.
    void judge(M kept) {
        write_forces(kept);
        T left = T(0.0), size = T(0.0);
        for (int j = 0; j < n; ++j) {
            const T pull = dot(H + j * n, x, n);
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
        const T relative = select(size > 0.0, left / select(size > 0.0, size, T(1.0)), T(0.0));
        const T worst = max(relative, largest_gap());
        const M improved = both((rounds_ < T(2.0)) | (worst < best_ * 0.5), kept);
        const M over = rounds_ >= select(is_shifted_, T(kRounds), T(6.0));
        const M stationary = both(kept, relative <= T(kStationary));
        M done = both(stationary, worst <= T(kStationary));
        done = done | both(except(kept, improved) | both(kept, over), worst <= T(kStill));
        const M hopeless = both(except(kept, done), over);
        for (int lane = 0; lane < W; ++lane) {
            if (!mask_lane(kept, lane)) continue;
            outcome[lane].residual = get_lane(relative, lane);
            outcome[lane].iterations = changes_;
            if (mask_lane(done, lane)) outcome[lane].status = QuadraticStatus::solved;
            else if (mask_lane(hopeless, lane)) outcome[lane].status = QuadraticStatus::iterations;
            else if (mask_lane(is_shifted_, lane) && get_lane(rounds_, lane) > 0.0 && recedes(lane)) {
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
        if (any(except(again, stationary))) lower_gradient(except(again, stationary));
        unsettle(again);
    }

    // Whether the last round moved along a ray on which the objective falls for ever.
    bool recedes(int lane) const {
        double length = 0.0, slope = 0.0, slopes = 0.0;
        for (int j = 0; j < n; ++j) {
            const double d = get_lane(x[j], lane) - get_lane(before_[j], lane);
            length = std::max(length, std::fabs(d));
            slope += get_lane(g[j], lane) * d;
            slopes += std::fabs(get_lane(g[j], lane) * d);
        }
        if (!(length > 0.0) || !(slope < -1e-9 * slopes)) return false;
        const double least = 1e-9 * length;
        for (int j = 0; j < n; ++j) {
            double bend = 0.0, parts = 0.0;
            for (int k = 0; k < n; ++k) {
                const double d = get_lane(x[k], lane) - get_lane(before_[k], lane);
                bend += get_lane(H[j * n + k], lane) * d;
                parts += std::fabs(get_lane(H[j * n + k], lane)) * length;
            }
            const double d = get_lane(x[j], lane) - get_lane(before_[j], lane);
            if (std::fabs(bend) > 1e-9 * parts) return false;
            if ((d < -least && get_lane(lower[j], lane) > -kInfinity) || (d > least && get_lane(upper[j], lane) < kInfinity)) return false;
        }
        for (int r = 0; r < m; ++r) {
            double way = 0.0, parts = 0.0;
            for (int k = 0; k < n; ++k) {
                const double part = get_lane(A[r * n + k], lane) * (get_lane(x[k], lane) - get_lane(before_[k], lane));
                way += part;
                parts += std::fabs(part);
            }
            if (way < -1e-9 * parts && get_lane(row_lower[r], lane) > -kInfinity) return false;
            if (way > 1e-9 * parts && get_lane(row_upper[r], lane) < kInfinity) return false;
        }
        return true;
    }

    // x -= B^-1 gradient.
    void lower_gradient(M where) {
        for (int a = 0; a < n; ++a) {
            const T along = select(where, dot(J_ + a * n, gradient_, n), T(0.0));
            for (int j = 0; j < n; ++j) x[j] -= along * J_[a * n + j];
        }
    }

    void write_forces(M where) {
        for (int i = 0; i < n + m; ++i) force[i] = select(where, T(0.0), force[i]);
        for (int k = 0; k < most_active(); ++k) scatter(force, index_ + k * W, lambda_[k] * orientation_[k], both(where, is_active(k)));
    }

    // The normal of a constraint and its parts along J.
    void set_normal(const int* index, const T& sign) {
        bool rows = false, same = true;
        for (int lane = 0; lane < W; ++lane) {
            rows = rows || index[lane] >= n;
            same = same && index[lane] == index[0];
        }
        if (!rows && same) {  // a column of J
            for (int a = 0; a < n; ++a) d_[a] = sign * J_[a * n + index[0]] + 0.0;
            return;
        }
        if (!rows) {
            for (int a = 0; a < n; ++a) d_[a] = sign * gather(J_ + a * n, index) + 0.0;
            return;
        }
        for (int j = 0; j < n; ++j) {
            alignas(T) double numbers[W];
            for (int lane = 0; lane < W; ++lane) {
                const int i = index[lane];
                numbers[lane] = i < n ? (i == j ? 1.0 : 0.0) : reinterpret_cast<const double*>(A + (i - n) * n + j)[lane];
            }
            std::memcpy(&normal_[j], numbers, sizeof(T));
        }
        for (int a = 0; a < n; ++a) d_[a] = sign * dot(J_ + a * n, normal_, n) + 0.0;
    }

    // Whether it is a combination of the normals of active constraints.
    M depends() const {
        T outside = T(0.0), inside = T(0.0);
        for (int a = 0; a < n; ++a) {
            const T part = d_[a] * d_[a];
            const M active = is_active(a);
            inside = select(active, inside + part, inside);
            outside = select(active, outside, outside + part);
        }
        return outside <= (inside + outside) * kDependent;
    }

    // r = R^-1 of the part along the active constraints.
    void combine() {
        const int most = most_active();
        for (int k = 0; k < most; ++k) r_[k] = select(is_active(k), d_[k], T(0.0));
        back_substitute(r_, most);
    }

    void back_substitute(T* b, int most) const {
        for (int i = most - 1; i >= 0; --i) {
            T sum = b[i];
            for (int k = i + 1; k < most; ++k) sum = select(is_active(k), sum - R_[i * n + k] * b[k], sum);
            b[i] = select(is_active(i), sum * inverse_[i], T(0.0));
        }
    }

    // A column of R by Householder's reflection of the rows of J^T that belong to no active constraint.
    void take_in(const int* index, const T& sign, const T& multiplier, M where) {
        if (!any(where)) return;
        int least = n;
        for (int lane = 0; lane < W; ++lane) {
            if (mask_lane(where, lane)) least = std::min(least, static_cast<int>(get_lane(count_, lane)));
        }
        T squared = T(0.0), first = T(0.0);
        for (int a = least; a < n; ++a) {
            const T number = static_cast<double>(a);
            squared = select(count_ <= number, squared + d_[a] * d_[a], squared);
            first = select(count_ == number, d_[a], first);
        }
        const T length = sqrt(squared), signed_length = select(first < 0.0, -length, length);
        // v = d + signed_length e, 2 / v.v = 1 / (length (length + |first|))
        const T usual = length * (length + abs(first));
        const T factor = 1.0 / select(both(where, usual > 0.0), usual, T(1.0));
        for (int j = 0; j < n; ++j) sum_[j] = T(0.0);
        for (int a = least; a < n; ++a) {
            const T number = static_cast<double>(a);
            const M beyond = count_ <= number;
            T part = select(beyond, d_[a], T(0.0));
            part = select(count_ == number, part + signed_length, part);
            y_[a] = part;
            const T* row = J_ + a * n;
            for (int j = 0; j < n; ++j) sum_[j] += part * row[j];
        }
        for (int j = 0; j < n; ++j) sum_[j] = sum_[j] * factor;
        for (int a = least; a < n; ++a) {
            const M moves = both(where, count_ <= T(static_cast<double>(a)));
            T* row = J_ + a * n;
            const T part = y_[a];
            for (int j = 0; j < n; ++j) row[j] = select(moves, row[j] - part * sum_[j], row[j]);
        }
        for (int lane = 0; lane < W; ++lane) {
            if (!mask_lane(where, lane)) continue;
            const int k = static_cast<int>(get_lane(count_, lane));
            for (int i = 0; i < k; ++i) set_lane(R_[i * n + k], lane, get_lane(d_[i], lane));
            set_lane(R_[k * n + k], lane, -get_lane(signed_length, lane));
            set_lane(inverse_[k], lane, -1.0 / get_lane(signed_length, lane));
            set_lane(lambda_[k], lane, get_lane(multiplier, lane));
            set_lane(orientation_[k], lane, get_lane(sign, lane));
            set_lane(side[index[lane]], lane, -get_lane(sign, lane));
            index_[k * W + lane] = index[lane];
        }
        count_ = select(where, count_ + 1.0, count_);
    }

    // A constraint of the active set is let go: its column of R leaves, Givens' rotations make R triangular again.
    void drop(const int* place, M where) {
        for (int i = 0; any_ignored_ && i < n + m; ++i) {
            const M was = both(both(where, side[i] == T(kIgnored)), low_of(i) < high_of(i));
            side[i] = select(was, T(0.0), side[i]);
        }
        int least = n, most = 0;
        for (int lane = 0; lane < W; ++lane) {
            if (!mask_lane(where, lane)) continue;
            const int count = static_cast<int>(get_lane(count_, lane)) - 1;
            set_lane(side[index_[place[lane] * W + lane]], lane, 0.0);
            least = std::min(least, place[lane]);
            most = std::max(most, count);
            for (int k = place[lane]; k < count; ++k) index_[k * W + lane] = index_[(k + 1) * W + lane];
        }
        const T from = from_integers(place);
        count_ = select(where, count_ - 1.0, count_);
        for (int k = least; k < most; ++k) {
            const M moves = moved(k, from, where);
            lambda_[k] = select(moves, lambda_[k + 1], lambda_[k]);
            orientation_[k] = select(moves, orientation_[k + 1], orientation_[k]);
            for (int i = 0; i <= k + 1; ++i) R_[i * n + k] = select(moves, R_[i * n + k + 1], R_[i * n + k]);
        }
        for (int k = least; k < most; ++k) {
            const M moves = moved(k, from, where);
            const T one = R_[k * n + k], other = R_[(k + 1) * n + k];
            const T size = sqrt(one * one + other * other);
            const M sound = both(moves, size > 0.0);
            const T scale = 1.0 / select(sound, size, T(1.0));
            turn(R_ + k * n, R_ + (k + 1) * n, k, most, one * scale, other * scale, sound);
            turn(J_ + k * n, J_ + (k + 1) * n, 0, n, one * scale, other * scale, sound);
            inverse_[k] = select(sound, scale, inverse_[k]);
        }
    }

    M moved(int k, const T& from, M where) const { return both(both(where, is_active(k)), from <= T(static_cast<double>(k))); }

    static KIDO_INLINE void turn(T* p, T* q, int begin, int end, const T& cosine, const T& sine, M where) {
        for (int j = begin; j < end; ++j) {
            const T one = p[j], other = q[j];
            p[j] = select(where, cosine * one + sine * other, one);
            q[j] = select(where, cosine * other - sine * one, other);
        }
    }

    // Towards where the active constraints are kept, as far as no multiplier gets the wrong sign.
    void step(M stepping) {
        const int most = most_active();
        for (int k = 0; k < most; ++k) {
            const int* index = index_ + k * W;
            alignas(T) double gap[W];
            for (int lane = 0; lane < W; ++lane) {
                const int i = index[lane];
                const double at = get_lane(i < n ? x[i] : value_[i - n], lane), s = get_lane(orientation_[k], lane);
                gap[lane] = k < static_cast<int>(get_lane(count_, lane)) ? s * (bound(i, s, lane) - at) : 0.0;
            }
            std::memcpy(&y_[k], gap, sizeof(T));
        }
        for (int k = 0; k < most; ++k) {  // R^T y = gap
            y_[k] = select(is_active(k), y_[k] * inverse_[k], T(0.0));
            for (int i = k + 1; i < most; ++i) y_[i] = select(is_active(i), y_[i] - R_[k * n + i] * y_[k], y_[i]);
        }
        for (int k = 0; k < most; ++k) change_[k] = y_[k];
        back_substitute(change_, most);
        T length = T(1.0);
        int place[W] = {};
        M blocked = none();
        for (int k = 0; k < most; ++k) {
            const M wrong = both(both(stepping, is_free(k)), lambda_[k] + change_[k] < 0.0);
            const T part = lambda_[k] / select(wrong, -change_[k], T(1.0));
            const M nearer = both(wrong, part < length);
            length = select(nearer, part, length);
            blocked = blocked | nearer;
            for (int lane = 0; lane < W; ++lane) place[lane] = mask_lane(nearer, lane) ? k : place[lane];
        }
        for (int k = 0; k < most; ++k) {
            const T moved = select(both(stepping, is_active(k)), length, T(0.0));
            lambda_[k] = max(lambda_[k] + moved * change_[k], lowest(k));
            const T part = moved * y_[k];
            for (int j = 0; j < n; ++j) x[j] += part * J_[k * n + j];
        }
        settle_bounds(except(stepping, blocked));
        // A shifted H makes long ways, after which a second step takes away what rounding left.
        const M whole = except(stepping, blocked);
        stepped_ = stepped_ | except(whole, again_);
        again_ = except(again_, whole) | both(is_shifted_, blocked);
        if (any(blocked)) drop(place, blocked);
    }

    // What is at its bound is there without rounding.
    void settle_bounds(M where) {
        for (int lane = 0; lane < W; ++lane) {
            if (!mask_lane(where, lane)) continue;
            for (int k = 0; k < static_cast<int>(get_lane(count_, lane)); ++k) {
                const int i = index_[k * W + lane];
                if (i < n) set_lane(x[i], lane, bound(i, get_lane(orientation_[k], lane), lane));
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

    T *U_, *J_, *R_;  // J_: column by column
    T *normal_, *d_, *sum_, *shift_, *gradient_, *before_;
    T *weight_, *value_;  // of rows: 1 / length of the normal; A x
    T *lambda_, *change_, *y_, *r_, *inverse_, *orientation_;  // of active constraints; inverse_: of the diagonal of R
    T* wished_;
    int* index_;  // constraints of the active set
    T count_, equations_, rounds_, best_, negligible_;
    M open_, stepped_, is_shifted_, again_;
    bool any_ignored_ = false;
    int limit_ = 0, changes_ = 0;
};

KIDO_END
