#pragma once

#include "kido/spatial/so3.hpp"
#include "kido/spatial/vector.hpp"
#include "kido/tree/model.hpp"

// What a joint knows. An algorithm visits the joint's kind and asks; it never tests the kind itself.
//   rotate(A, q, s, c)  A times the joint's rotation; s, c are sin and cos of q; A is anything made of three columns
//   translate(A, q)     A times the joint's translation
//   axes(R, f)          calls f(i, angular, linear) for each dof with its axis in the axes where R places the link
//   angular / linear    the joint's rate in those same axes
// The axes of every kind are constant in the link frame, so the velocity product of the joint alone is omega_J x v_J.

KIDO_BEGIN

KIDO_INLINE Vec3<double> vec3(const double* a) { return {a[0], a[1], a[2]}; }
KIDO_INLINE Mat3<double> mat3(const double* a) { return {vec3(a), vec3(a + 3), vec3(a + 6)}; }
KIDO_INLINE Sym3<double> sym3(const double* a) { return {a[0], a[1], a[2], a[3], a[4], a[5]}; }
template <class T>
KIDO_INLINE Vec3<T> read3(const T* a) {
    return {a[0], a[1], a[2]};
}
template <class T>
KIDO_INLINE void write3(T* a, const Vec3<T>& v) {
    a[0] = v.x;
    a[1] = v.y;
    a[2] = v.z;
}

struct RevoluteJoint {
    static constexpr int dofs = 1;
    static constexpr bool turns = true, slides = false;
    template <class M, class T>
    static KIDO_INLINE M rotate(const M& A, const T*, const T& s, const T& c) {
        return {A.x * c + A.y * s, A.y * c - A.x * s, A.z};
    }
    template <class T>
    static KIDO_INLINE Vec3<T> angular(const Link&, const Mat3<T>& R, const T* v) {
        return R.z * v[0];
    }
};

struct PrismaticJoint {
    static constexpr int dofs = 1;
    static constexpr bool turns = false, slides = true;
    template <class M, class T>
    static KIDO_INLINE M rotate(const M& A, const T*, const T&, const T&) {
        return A;
    }
    template <class M, class T>
    static KIDO_INLINE auto translate(const Link&, const M& A, const T* q) {
        return A.z * q[0];
    }
    template <class T>
    static KIDO_INLINE Vec3<T> linear(const Link&, const Mat3<T>& R, const T* v) {
        return R.z * v[0];
    }
};

struct ScrewJoint {
    static constexpr int dofs = 1;
    static constexpr bool turns = true, slides = true;
    template <class M, class T>
    static KIDO_INLINE M rotate(const M& A, const T* q, const T& s, const T& c) {
        return RevoluteJoint::rotate(A, q, s, c);
    }
    template <class M, class T>
    static KIDO_INLINE auto translate(const Link& link, const M& A, const T* q) {
        return A.z * (q[0] * link.pitch);
    }
    template <class T>
    static KIDO_INLINE Vec3<T> angular(const Link&, const Mat3<T>& R, const T* v) {
        return R.z * v[0];
    }
    template <class T>
    static KIDO_INLINE Vec3<T> linear(const Link& link, const Mat3<T>& R, const T* v) {
        return R.z * (v[0] * link.pitch);
    }
};

struct BallJoint {
    static constexpr int dofs = 3;
    static constexpr bool turns = true, slides = false;
    template <class M, class T>
    static KIDO_INLINE M rotate(const M& A, const T* q, const T&, const T&) {
        return A * so3_exp(read3(q));
    }
    template <class T>
    static KIDO_INLINE Vec3<T> angular(const Link&, const Mat3<T>& R, const T* v) {
        return R * read3(v);
    }
};

struct FreeJoint {
    static constexpr int dofs = 6;
    static constexpr bool turns = true, slides = true;
    template <class M, class T>
    static KIDO_INLINE M rotate(const M& A, const T* q, const T&, const T&) {
        return A * so3_exp(read3(q));
    }
    template <class M, class T>
    static KIDO_INLINE auto translate(const Link&, const M& A, const T* q) {
        return A * read3(q + 3);
    }
    template <class T>
    static KIDO_INLINE Vec3<T> angular(const Link&, const Mat3<T>& R, const T* v) {
        return R * read3(v);
    }
    template <class T>
    static KIDO_INLINE Vec3<T> linear(const Link&, const Mat3<T>& R, const T* v) {
        return R * read3(v + 3);
    }
};

// The axis of one dof, in the axes where R places the link; a part that is always zero is not touched.
template <class T>
struct AngularAxis {
    static constexpr bool turns = true, slides = false;
    Vec3<T> angular;
};
template <class T>
struct LinearAxis {
    static constexpr bool turns = false, slides = true;
    Vec3<T> linear;
};
template <class T>
struct ScrewAxis {
    static constexpr bool turns = true, slides = true;
    Vec3<T> angular, linear;
};

// Calls f(i, axis) for the joint's dofs in order.
template <class T, class F>
KIDO_INLINE void for_axes(RevoluteJoint, const Link&, const Mat3<T>& R, F f) {
    f(0, AngularAxis<T>{R.z});
}
template <class T, class F>
KIDO_INLINE void for_axes(PrismaticJoint, const Link&, const Mat3<T>& R, F f) {
    f(0, LinearAxis<T>{R.z});
}
template <class T, class F>
KIDO_INLINE void for_axes(ScrewJoint, const Link& link, const Mat3<T>& R, F f) {
    f(0, ScrewAxis<T>{R.z, R.z * link.pitch});
}
template <class T, class F>
KIDO_INLINE void for_axes(BallJoint, const Link&, const Mat3<T>& R, F f) {
    f(0, AngularAxis<T>{R.x});
    f(1, AngularAxis<T>{R.y});
    f(2, AngularAxis<T>{R.z});
}
template <class T, class F>
KIDO_INLINE void for_axes(FreeJoint, const Link&, const Mat3<T>& R, F f) {
    f(0, AngularAxis<T>{R.x});
    f(1, AngularAxis<T>{R.y});
    f(2, AngularAxis<T>{R.z});
    f(3, LinearAxis<T>{R.x});
    f(4, LinearAxis<T>{R.y});
    f(5, LinearAxis<T>{R.z});
}

// The same, last dof first.
template <class J, class T, class F>
KIDO_INLINE void for_axes_reversed(J joint, const Link& link, const Mat3<T>& R, F f) {
    if constexpr (J::dofs == 1) {
        for_axes(joint, link, R, f);
    } else {
        if constexpr (J::slides) {
            f(5, LinearAxis<T>{R.z});
            f(4, LinearAxis<T>{R.y});
            f(3, LinearAxis<T>{R.x});
        }
        f(2, AngularAxis<T>{R.z});
        f(1, AngularAxis<T>{R.y});
        f(0, AngularAxis<T>{R.x});
    }
}

template <class F>
KIDO_INLINE auto visit(JointKind kind, F f) {
    switch (kind) {
        case JointKind::prismatic: return f(PrismaticJoint{});
        case JointKind::screw: return f(ScrewJoint{});
        case JointKind::ball: return f(BallJoint{});
        case JointKind::free: return f(FreeJoint{});
        default: return f(RevoluteJoint{});
    }
}

KIDO_END
