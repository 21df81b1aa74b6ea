#pragma once

#include "kido/spatial/so3.hpp"
#include "kido/spatial/vector.hpp"
#include "kido/tree/model.hpp"

// Joint types, one struct each. An algorithm visits the type and calls its functions; it never tests the type itself.
//   rotate(A, q, s, c)  A times the joint's rotation; s, c are sin and cos of q; A is anything made of three columns
//   translate(A, q)     A times the joint's translation
//   axes(R, f)          calls f(i, angular, linear) for each dof with its axis in the axes where R places the link
//   angular / linear    the joint's rate in those same axes
// The axes of all kinds but the user's are constant in the link frame, so the velocity product of the joint alone is
// omega_J x v_J; those of a user's joint drift, which adds
//   angular_drift / linear_drift   rate of the axes in the link, times the velocity

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
    static constexpr bool rotates = true, translates = false, drifts = false;
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
    static constexpr bool rotates = false, translates = true, drifts = false;
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
    static constexpr bool rotates = true, translates = true, drifts = false;
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
    static constexpr bool rotates = true, translates = false, drifts = false;
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
    static constexpr bool rotates = true, translates = true, drifts = false;
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
    static constexpr bool rotates = true, translates = false, drifts = false;
    Vec3<T> angular;
};
template <class T>
struct LinearAxis {
    static constexpr bool rotates = false, translates = true, drifts = false;
    Vec3<T> linear;
};
template <class T>
struct ScrewAxis {
    static constexpr bool rotates = true, translates = true, drifts = false;
    Vec3<T> angular, linear;
};
// One that changes in the link, at the given rates.
template <class T>
struct DriftingAxis {
    static constexpr bool rotates = true, translates = true, drifts = true;
    Vec3<T> angular, linear, angular_rate, linear_rate;
};

template <class T>
struct UserJoint {
    static constexpr int dofs = 1;
    static constexpr bool rotates = true, translates = true, drifts = true;
    const T* numbers;  // of this link in the sample, kUserNumbers

    template <class M>
    KIDO_INLINE M rotate(const M& A, const T*, const T&, const T&) const {
        return A * Mat3<T>{read3(numbers), read3(numbers + 3), read3(numbers + 6)};
    }
    template <class M>
    KIDO_INLINE auto translate(const Link&, const M& A, const T*) const {
        return A * read3(numbers + 9);
    }
    KIDO_INLINE Vec3<T> angular(const Link&, const Mat3<T>& R, const T* v) const { return R * (screw().angular * v[0]); }
    KIDO_INLINE Vec3<T> linear(const Link&, const Mat3<T>& R, const T* v) const { return R * (screw().linear * v[0]); }
    KIDO_INLINE Vec3<T> angular_drift(const Mat3<T>& R, const T* v) const { return R * (screw_rate().angular * v[0]); }
    KIDO_INLINE Vec3<T> linear_drift(const Mat3<T>& R, const T* v) const { return R * (screw_rate().linear * v[0]); }
    // In axes of the link.
    KIDO_INLINE ScrewAxis<T> screw() const { return {read3(numbers + kUserScrew), read3(numbers + kUserScrew + 3)}; }
    KIDO_INLINE ScrewAxis<T> screw_rate() const { return {read3(numbers + kUserRate), read3(numbers + kUserRate + 3)}; }
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

template <class T, class F>
KIDO_INLINE void for_axes(UserJoint<T> joint, const Link&, const Mat3<T>& R, F f) {
    const ScrewAxis<T> screw = joint.screw(), rate = joint.screw_rate();
    f(0, DriftingAxis<T>{R * screw.angular, R * screw.linear, R * rate.angular, R * rate.linear});
}

// The same, last dof first.
template <class J, class T, class F>
KIDO_INLINE void for_axes_reversed(J joint, const Link& link, const Mat3<T>& R, F f) {
    if constexpr (J::dofs == 1) {
        for_axes(joint, link, R, f);
    } else {
        if constexpr (J::translates) {
            f(5, LinearAxis<T>{R.z});
            f(4, LinearAxis<T>{R.y});
            f(3, LinearAxis<T>{R.x});
        }
        f(2, AngularAxis<T>{R.z});
        f(1, AngularAxis<T>{R.y});
        f(0, AngularAxis<T>{R.x});
    }
}

// Calls f with the joint of a link. `users`: the numbers of all links of kind user in this sample.
template <class T, class F>
KIDO_INLINE auto visit(const Link& link, const T* users, F f) {
    switch (link.kind) {
        case JointKind::prismatic: return f(PrismaticJoint{});
        case JointKind::screw: return f(ScrewJoint{});
        case JointKind::ball: return f(BallJoint{});
        case JointKind::free: return f(FreeJoint{});
        case JointKind::user: return f(UserJoint<T>{users + kUserNumbers * link.user});
        default: return f(RevoluteJoint{});
    }
}

// The same, for `f` that is always inlined. In lanes, joints that are not revolute, of which robots have few, get it by a
// call: a loop over links that holds revolute joints alone keeps more in registers. `f` captures by value what stands
// in registers, for a reference would send it to memory. One sample at a time, the compiler chooses.
template <class J, class F>
KIDO_NOINLINE auto call_visitor(J joint, F f) {
    return f(joint);
}
template <class T, class F>
KIDO_INLINE auto visit_mostly_revolute(const Link& link, const T* users, F f) {
    if constexpr (lanes_of<T> == 1) {
        return visit(link, users, [&](auto joint) { return f(joint); });
    } else {
        if (link.kind == JointKind::revolute) [[likely]] return f(RevoluteJoint{});
        switch (link.kind) {
            case JointKind::prismatic: return call_visitor(PrismaticJoint{}, f);
            case JointKind::screw: return call_visitor(ScrewJoint{}, f);
            case JointKind::ball: return call_visitor(BallJoint{}, f);
            case JointKind::user: return call_visitor(UserJoint<T>{users + kUserNumbers * link.user}, f);
            default: return call_visitor(FreeJoint{}, f);
        }
    }
}

// The same of a tree without joints of the user's.
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
