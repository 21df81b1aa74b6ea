#pragma once

#include "kido/scalar/scalar.hpp"

// Forward-mode differentiation: a value and its derivative along one direction.

KIDO_BEGIN

template <class T>
struct Dual {
    T value;
    T dot;

    Dual() = default;
    KIDO_INLINE Dual(double x) : value(x), dot(0.0) {}
    KIDO_INLINE Dual(T x, T derivative) : value(x), dot(derivative) {}
};

template <class T>
struct ScalarTraits<Dual<T>> {
    using Mask = typename ScalarTraits<T>::Mask;
    static constexpr int lanes = ScalarTraits<T>::lanes;
};

template <class T>
KIDO_INLINE Dual<T> operator+(Dual<T> a, Dual<T> b) {
    return {a.value + b.value, a.dot + b.dot};
}
template <class T>
KIDO_INLINE Dual<T> operator-(Dual<T> a, Dual<T> b) {
    return {a.value - b.value, a.dot - b.dot};
}
template <class T>
KIDO_INLINE Dual<T> operator*(Dual<T> a, Dual<T> b) {
    return {a.value * b.value, a.dot * b.value + a.value * b.dot};
}
template <class T>
KIDO_INLINE Dual<T> operator/(Dual<T> a, Dual<T> b) {
    const T quotient = a.value / b.value;
    return {quotient, (a.dot - quotient * b.dot) / b.value};
}
template <class T>
KIDO_INLINE Dual<T> operator-(Dual<T> a) {
    return {-a.value, -a.dot};
}
template <class T>
KIDO_INLINE Dual<T> operator+(Dual<T> a, double b) {
    return {a.value + b, a.dot};
}
template <class T>
KIDO_INLINE Dual<T> operator+(double a, Dual<T> b) {
    return {a + b.value, b.dot};
}
template <class T>
KIDO_INLINE Dual<T> operator-(Dual<T> a, double b) {
    return {a.value - b, a.dot};
}
template <class T>
KIDO_INLINE Dual<T> operator-(double a, Dual<T> b) {
    return {a - b.value, -b.dot};
}
template <class T>
KIDO_INLINE Dual<T> operator*(Dual<T> a, double b) {
    return {a.value * b, a.dot * b};
}
template <class T>
KIDO_INLINE Dual<T> operator*(double a, Dual<T> b) {
    return {a * b.value, a * b.dot};
}
template <class T>
KIDO_INLINE Dual<T> operator/(Dual<T> a, double b) {
    return {a.value / b, a.dot / b};
}
template <class T>
KIDO_INLINE Dual<T> operator/(double a, Dual<T> b) {
    const T quotient = a / b.value;
    return {quotient, -(quotient * b.dot) / b.value};
}
template <class T>
KIDO_INLINE Dual<T>& operator+=(Dual<T>& a, Dual<T> b) {
    return a = a + b;
}
template <class T>
KIDO_INLINE Dual<T>& operator-=(Dual<T>& a, Dual<T> b) {
    return a = a - b;
}

#define KIDO_DUAL_COMPARISON(op)                                  \
    template <class T>                                            \
    KIDO_INLINE Mask<Dual<T>> operator op(Dual<T> a, Dual<T> b) { \
        return a.value op b.value;                                \
    }                                                             \
    template <class T>                                            \
    KIDO_INLINE Mask<Dual<T>> operator op(Dual<T> a, double b) {  \
        return a.value op b;                                      \
    }
KIDO_DUAL_COMPARISON(<)
KIDO_DUAL_COMPARISON(<=)
KIDO_DUAL_COMPARISON(>)
KIDO_DUAL_COMPARISON(>=)
KIDO_DUAL_COMPARISON(==)
#undef KIDO_DUAL_COMPARISON

template <class T>
KIDO_INLINE Dual<T> select(Mask<T> m, Dual<T> a, Dual<T> b) {
    return {select(m, a.value, b.value), select(m, a.dot, b.dot)};
}

template <class T>
KIDO_INLINE Dual<T> sqrt(Dual<T> x) {
    const T root = sqrt(x.value);
    return {root, x.dot / (2.0 * root)};
}

template <class T>
KIDO_INLINE Dual<T> abs(Dual<T> x) {
    return select(x.value < T(0.0), -x, x);
}

KIDO_END
