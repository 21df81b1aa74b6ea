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
          unit_(s.take<double>(static_cast<std::size_t>(rows) * padded(rows))),
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

    // All rows, which lie `stride` numbers apart.
    void set_rows(const double* P, int stride) {
        int r = 0;
        for (; r + kTile <= rows_; r += kTile, P += static_cast<std::ptrdiff_t>(kTile) * stride) {
            double* x = transposed_ + r;
            for (int j = 0, columns = columns_, wide = wide_; j < columns; ++j, x += wide) {
                const double* p = P + j;
                KIDO_UNROLL
                for (int i = 0; i < kTile; ++i, p += stride) x[i] = *p;
            }
        }
        for (; r < rows_; ++r, P += stride) set_row(r, P);
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
            upper(r)[rows_] = b[r];
        }
        factor();
        for (int r = 0; r < rows_; ++r) x_[r] = upper(r)[rows_];
        substitute_back(b);
    }

    // The same for another b, by the factors of the last one.
    void solve_again(double* b) {
        for (int r = 0; r < wide_; ++r) x_[r] = r < rows_ ? b[r] : 0.0;
        for (int k = 0; k < rows_; ++k) subtract(unit(k), x_[k], block(k), wide_);
        substitute_back(b);
    }

private:
    using L = Loader<double>;
    using Value = L::Value;
    static constexpr int kTile = 4;  // rows that are worked on side by side
    static constexpr double kRounding = 1e-15;  // part of the square of a row

    static int padded(int rows) { return (rows + pad) / pad * pad; }  // with a column for b
    static int block(int i) { return i / L::width * L::width; }
    double* column(int j) const { return transposed_ + static_cast<std::ptrdiff_t>(j) * wide_; }
    double* product(int r) const { return product_ + static_cast<std::ptrdiff_t>(r) * wide_; }
    double* upper(int r) const { return upper_ + static_cast<std::ptrdiff_t>(r) * wide_; }
    double* unit(int r) const { return unit_ + static_cast<std::ptrdiff_t>(r) * wide_; }
    double* lower(int r) const { return lower_ + static_cast<std::ptrdiff_t>(r) * wide_; }

    // Row k of `upper` becomes that of D L^T, and of L^-1 b in its last column; row k of `unit` that of L^T right of the diagonal, row k
    // of `lower` that of L left of it, `inverse` 1 / D.
    void factor() {
        for (int first = 0; first < rows_; first += kTile) {
            for (int c = block(first); c < wide_; c += L::width) eliminate(first, c);
            const int end = min(first + kTile, rows_);
            for (int k = first; k < end; ++k) {
                double* pivot = upper(k);
                inverse_[k] = pivot[k] > kRounding * product(k)[k] ? 1.0 / pivot[k] : 0.0;
                for (int i = k + 1; i < end; ++i) subtract_row(upper(i), pivot, pivot[i] * inverse_[k], block(i));
                for (int c = block(k); c < wide_; c += L::width) L::store(unit(k) + c, L::load(pivot + c) * inverse_[k]);
                for (int c = block(k); c <= k; ++c) unit(k)[c] = 0.0;
            }
            for (int i = first; i < end; ++i) {
                for (int k = 0; k < i; ++k) lower(i)[k] = unit(k)[i];
                for (int k = i; k < block(i) + L::width; ++k) lower(i)[k] = 0.0;
            }
        }
    }

    // Takes from some rows from `first` on, in a register's columns, what they have of the rows before.
    void eliminate(int first, int c) {
        const int wide = wide_;
        const double *pivot = upper_ + c, *part = unit_ + first;
        double* const row = upper(first) + c;
        Value rest[kTile];
        KIDO_UNROLL
        for (int i = 0; i < kTile; ++i) rest[i] = L::load(row + i * wide);
        for (int k = 0; k < first; ++k, pivot += wide, part += wide) {
            const Value x = L::load(pivot);
            KIDO_UNROLL
            for (int i = 0; i < kTile; ++i) rest[i] -= x * part[i];
        }
        KIDO_UNROLL
        for (int i = 0; i < kTile; ++i) L::store(row + i * wide, rest[i]);
    }

    void subtract_row(double* row, const double* pivot, double part, int begin) const {
        for (int c = begin, wide = wide_; c < wide; c += L::width) L::store(row + c, L::load(row + c) - part * L::load(pivot + c));
    }

    void subtract(const double* part, double known, int begin, int end) {
        double* const x = x_;
        for (int i = begin; i < end; i += L::width) L::store(x + i, L::load(x + i) - L::load(part + i) * known);
    }

    void substitute_back(double* b) {
        for (int k = 0; k < rows_; ++k) x_[k] *= inverse_[k];
        for (int i = rows_ - 1; i > 0; --i) subtract(lower(i), x_[i], 0, i);
        for (int r = 0; r < rows_; ++r) b[r] = x_[r];
    }

    int columns_ = 0, rows_ = 0, wide_ = 0;
    double *transposed_;
    double *product_, *upper_;  // upper triangles, from the first register on that holds some of it
    double *unit_, *lower_, *x_, *inverse_;
};

KIDO_END
