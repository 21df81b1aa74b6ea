#pragma once

#include "kido/spatial/articulated.hpp"
#include "kido/scalar/masked.hpp"
#include "kido/scalar/transpose.hpp"
#include "kido/tree/model.hpp"
#include "kido/tree/scratch.hpp"

// One spatial vector a dof, stored component by component, so that a row of a matrix over dofs is computed several
// dofs at a time. All vectors of one tree are taken about the same point (the origin of the tree's first link), in
// world axes. Doubles go through the lanes; each element is the same sum in the same order either way.

KIDO_BEGIN

template <class T>
struct Columns {
    T* component[6];  // angular x y z, linear x y z; each with room for one register more than there are dofs

    Columns() = default;
    Columns(int count, Scratch& s) {
        for (T*& c : component) c = s.take<T>(count + KIDO_LANES);
    }
    KIDO_INLINE void set(int d, const Vec3<T>& angular, const Vec3<T>& linear) const {
        component[0][d] = angular.x;
        component[1][d] = angular.y;
        component[2][d] = angular.z;
        component[3][d] = linear.x;
        component[4][d] = linear.y;
        component[5][d] = linear.z;
    }
    KIDO_INLINE void set(int d, const Wrench<T>& w) const { set(d, w.torque, w.force); }
    KIDO_INLINE Wrench<T> wrench(int d) const {
        return {{component[0][d], component[1][d], component[2][d]}, {component[3][d], component[4][d], component[5][d]}};
    }
};

// Reads and writes as many consecutive numbers as one register holds; `_first`: only the first `count` of them;
// `put`: replaces one of them.
template <class T>
struct Loader {
    static constexpr int width = 1;
    using Value = T;
    static KIDO_INLINE T load(const T* p) { return *p; }
    static KIDO_INLINE void store(T* p, const T& x) { *p = x; }
    static KIDO_INLINE T load_first(const T* p, int) { return *p; }
    static KIDO_INLINE void store_first(T* p, const T& x, int) { *p = x; }
    static KIDO_INLINE T keep_first(const T& x, int) { return x; }
    static KIDO_INLINE T put(const T&, const T& value, int) { return value; }
};

#if KIDO_VECTOR_EXTENSION
template <>
struct Loader<double> {
    static constexpr int width = KIDO_LANES;
    using Value = NativeLanes;
    static KIDO_INLINE NativeLanes load(const double* p) {
        NativeLanes x;
        std::memcpy(&x.v, p, sizeof x.v);
        return x;
    }
    static KIDO_INLINE void store(double* p, const NativeLanes& x) { std::memcpy(p, &x.v, sizeof x.v); }
    static KIDO_INLINE NativeLanes load_first(const double* p, int count) {
        return count == width ? load(p) : masked::load(p, count);
    }
    static KIDO_INLINE void store_first(double* p, const NativeLanes& x, int count) {
        if (count == width) return store(p, x);
        masked::store(p, x, count);
    }
    static KIDO_INLINE NativeLanes index() {
        NativeLanes index;
        for (int i = 0; i < width; ++i) index.v[i] = i;
        return index;
    }
    // x in the first `count` lanes, y in the others.
    static KIDO_INLINE NativeLanes join(const NativeLanes& x, const NativeLanes& y, int count) {
        return select(index() < NativeLanes(static_cast<double>(count)), x, y);
    }
    // x with `value` in one lane.
    static KIDO_INLINE NativeLanes put(const NativeLanes& x, double value, int lane) {
        return select(index() == NativeLanes(static_cast<double>(lane)), NativeLanes(value), x);
    }
    static KIDO_INLINE NativeLanes keep_first(const NativeLanes& x, int count) { return join(x, 0.0, count); }
};
#endif

// Zeros in columns [begin, end) and up to one register behind: what registers hold beside the columns that are set is
// computed with too, and what stood in memory before may be slow numbers (denormal ones).
template <class T>
KIDO_INLINE void clear_columns(const Columns<T>& columns, int begin, int end) {
    for (T* component : columns.component) {
        for (int d = begin; d < end; d += Loader<T>::width) Loader<T>::store(component + d, T(0.0));
    }
}

// Behind the last column. One number at a time has nothing beside it.
template <class T>
KIDO_INLINE void clear_padding(const Columns<T>& columns, int count) {
    if constexpr (Loader<T>::width > 1) clear_columns(columns, count, count + 1);
}

// The six components of a register's width of consecutive columns.
template <class T>
struct Block {
    using L = Loader<T>;
    Vec3<typename L::Value> angular, linear;
    KIDO_INLINE Block(const Columns<T>& c, int d)
        : angular{L::load(c.component[0] + d), L::load(c.component[1] + d), L::load(c.component[2] + d)},
          linear{L::load(c.component[3] + d), L::load(c.component[4] + d), L::load(c.component[5] + d)} {}
};

// to[e] = 0 for e in [begin, end) and up to one register behind, but not at or behind matrix_end.
template <class T>
KIDO_INLINE void fill_zeros(T* row, int begin, int end, const T* matrix_end) {
    constexpr int width = Loader<T>::width;
    for (int e = begin; e < end; e += width) {
        const auto room = matrix_end - (row + e);
        Loader<T>::store_first(row + e, T(0.0), room < width ? static_cast<int>(room) : width);
    }
}

// First element of the register-wide block that holds element e.
template <class T>
KIDO_INLINE int block_begin(int e) {
    return e / Loader<T>::width * Loader<T>::width;
}

// row[e] = f(e) for e of the runs, zero elsewhere before the last run's end. `f` computes Loader<T>::width elements
// from e on. Numbers behind a run, up to one register, are overwritten: fill rows in ascending order.
template <class T, class F>
KIDO_INLINE void fill_row(T* row, const T* matrix_end, const Run* runs, int run_begin, int run_end, F f) {
    constexpr int width = Loader<T>::width;
    int filled = 0;
    for (int k = run_begin; k < run_end; ++k) {
        fill_zeros(row, filled, runs[k].begin, matrix_end);
        for (int e = runs[k].begin; e < runs[k].end; e += width) {
            const auto room = matrix_end - (row + e);
            Loader<T>::store_first(row + e, f(e), room < width ? static_cast<int>(room) : width);
        }
        filled = runs[k].end;
    }
}

// Copies the upper triangle to the lower one, element by element, for columns [begin, n).
template <class T>
KIDO_INLINE void mirror_columns(T* matrix, int n, int begin) {
    for (int i = 0; i < n; ++i) {
        for (int j = i + 1 > begin ? i + 1 : begin; j < n; ++j) matrix[j * n + i] = matrix[i * n + j];
    }
}

template <class T>
KIDO_INLINE void mirror_upper(T* matrix, int n) {
    constexpr int block = 16;
    for (int i0 = 0; i0 < n; i0 += block) {
        for (int j0 = i0; j0 < n; j0 += block) {
            const int i1 = i0 + block < n ? i0 + block : n;
            const int j1 = j0 + block < n ? j0 + block : n;
            for (int i = i0; i < i1; ++i) {
                for (int j = j0 > i ? j0 : i + 1; j < j1; ++j) matrix[j * n + i] = matrix[i * n + j];
            }
        }
    }
}

#if KIDO_VECTOR_EXTENSION
// Whole blocks are transposed in registers.
KIDO_INLINE void mirror_upper(double* matrix, int n) {
    using L = Loader<double>;
    constexpr int width = L::width;
    const int whole = block_begin<double>(n);
    for (int i0 = 0; i0 < whole; i0 += width) {
        for (int j0 = i0; j0 < whole; j0 += width) {
            LaneBlock<width> upper;
            KIDO_UNROLL
            for (int k = 0; k < width; ++k) upper.row[k] = L::load(matrix + static_cast<std::ptrdiff_t>(i0 + k) * n + j0);
            LaneBlock<width> lower = upper;
            transpose(lower);
            KIDO_UNROLL
            for (int k = 0; k < width; ++k) {
                double* to = matrix + static_cast<std::ptrdiff_t>(j0 + k) * n + i0;
                L::store(to, i0 == j0 ? L::join(lower.row[k], upper.row[k], k) : lower.row[k]);
            }
        }
    }
    mirror_columns(matrix, n, whole);
}
#endif

KIDO_END
