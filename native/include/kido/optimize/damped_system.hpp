#pragma once

#include "kido/spatial/columns.hpp"

// Damped least squares with a few dozen rows: the normal equations (P P^T + R) x = b, R diagonal, by L D L^T, a register's width at a
// time. Each number is the same sum in the same order for every width.

KIDO_BEGIN

class DampedSystem {
public:
    static constexpr int pad = 8;  // rows are stored in multiples of it

    // For as many rows and columns at most.
    DampedSystem(int rows, int columns, Scratch& s)
        : transposed_(s.take<double>(static_cast<std::size_t>(columns) * padded(rows))),
          product_(s.take<double>(static_cast<std::size_t>(rows + pad) * padded(rows))),
          upper_(s.take<double>(static_cast<std::size_t>(rows + pad) * padded(rows))),
          lower_(s.take<double>(static_cast<std::size_t>(rows) * padded(rows))),
          x_(s.take<double>(padded(rows))),
          inverse_(s.take<double>(rows)) {}

    // The next system has so many.
    void begin(int rows, int columns) {
        rows_ = rows;
        columns_ = columns;
        wide_ = padded(rows);
        for (int j = 0; j < columns_; ++j) {
            for (int r = rows; r < wide_; ++r) column(j)[r] = 0.0;
        }
    }

    void set_row(int r, const double* P) {
        for (int j = 0; j < columns_; ++j) column(j)[r] = P[j];
    }

    // After all rows are set.
    void multiply() {
        for (int r = 0; r < rows_; r += kTile) {
            for (int c = block(r); c < wide_; c += L::width) {
                Value sum[kTile];
                for (Value& s : sum) s = Value(0.0);
                for (int j = 0; j < columns_; ++j) {
                    const double* P = column(j);
                    const Value x = L::load(P + c);
                    KIDO_UNROLL
                    for (int i = 0; i < kTile; ++i) sum[i] += x * P[r + i];
                }
                KIDO_UNROLL
                for (int i = 0; i < kTile; ++i) L::store(product(r + i) + c, sum[i]);
            }
        }
    }

    // As if a column of P were zero.
    void remove_column(int j) {
        const double* P = column(j);
        for (int r = 0; r < rows_; ++r) {
            const double part = P[r];
            if (part == 0.0) continue;
            double* row = product(r);
            for (int c = block(r); c < wide_; c += L::width) L::store(row + c, L::load(row + c) - L::load(P + c) * part);
        }
    }

    // b becomes x; `ridge` is the diagonal of R. A row of which rounding alone is left beside those before it is left out: x is 0 there.
    void solve(const double* ridge, double* b) {
        for (int r = 0; r < rows_; ++r) {
            for (int c = block(r); c < wide_; c += L::width) L::store(upper(r) + c, L::load(product(r) + c));
            upper(r)[r] += ridge[r];
        }
        factor();
        solve_again(b);
    }

    // The same for another b, by the factors of the last one.
    void solve_again(double* b) {
        for (int r = 0; r < wide_; ++r) x_[r] = r < rows_ ? b[r] : 0.0;
        substitute();
        for (int r = 0; r < rows_; ++r) b[r] = x_[r];
    }

private:
    using L = Loader<double>;
    using Value = L::Value;
    static constexpr int kTile = 4;  // rows that are worked on side by side
    static constexpr double kRounding = 1e-15;  // part of the square of a row

    static int padded(int rows) { return (rows + pad - 1) / pad * pad; }
    static int block(int i) { return i / L::width * L::width; }
    double* column(int j) const { return transposed_ + static_cast<std::ptrdiff_t>(j) * wide_; }
    double* product(int r) const { return product_ + static_cast<std::ptrdiff_t>(r) * wide_; }
    double* upper(int r) const { return upper_ + static_cast<std::ptrdiff_t>(r) * wide_; }
    double* lower(int r) const { return lower_ + static_cast<std::ptrdiff_t>(r) * wide_; }

    // Row k of `upper` becomes column k of L below the diagonal, 1 / D `inverse`; row k of `lower` that of L left of the diagonal.
    void factor() {
        for (int r = 0; r < rows_; ++r) {
            for (int c = 0; c < wide_; ++c) lower(r)[c] = 0.0;
        }
        for (int first = 0; first < rows_; first += kTile) {
            const int end = min(first + kTile, rows_);
            for (int k = first; k < end; ++k) {
                inverse_[k] = upper(k)[k] > kRounding * product(k)[k] ? 1.0 / upper(k)[k] : 0.0;
                for (int i = k + 1; i < end; ++i) eliminate<1>(i, k);
            }
            for (int i = end; i < rows_; ++i) eliminate<kTile>(i, first);
            for (int k = first; k < end; ++k) {
                double* pivot = upper(k);
                for (int c = block(k); c <= k; ++c) pivot[c] = 0.0;
                for (int c = block(k); c < wide_; c += L::width) L::store(pivot + c, L::load(pivot + c) * inverse_[k]);
            }
        }
    }

    // Takes from row i what it has of some rows from `first` on, one after the other.
    template <int count>
    void eliminate(int i, int first) {
        double part[count], *row = upper(i);
        const double* pivot[count];
        for (int t = 0; t < count; ++t) {
            pivot[t] = upper(first + t);
            lower(i)[first + t] = part[t] = pivot[t][i] * inverse_[first + t];
        }
        for (int c = block(i), wide = wide_; c < wide; c += L::width) {
            Value rest = L::load(row + c);
            KIDO_UNROLL
            for (int t = 0; t < count; ++t) rest -= part[t] * L::load(pivot[t] + c);
            L::store(row + c, rest);
        }
    }

    void substitute() {
        double* const x = x_;
        const int rows = rows_, wide = wide_;
        for (int k = 0; k < rows; ++k) {
            const double *part = upper(k), known = x[k];
            for (int i = block(k); i < wide; i += L::width) L::store(x + i, L::load(x + i) - L::load(part + i) * known);
        }
        for (int k = 0; k < rows; ++k) x[k] *= inverse_[k];
        for (int i = rows - 1; i > 0; --i) {
            const double *part = lower(i), known = x[i];
            for (int k = 0; k < i; k += L::width) L::store(x + k, L::load(x + k) - L::load(part + k) * known);
        }
    }

    int columns_ = 0, rows_ = 0, wide_ = 0;
    double *transposed_;
    double *product_, *upper_;  // upper triangles, from the first register on that holds some of it
    double *lower_, *x_, *inverse_;
};

KIDO_END
