// An IKFast solver written by hand: a 6R arm with a spherical wrist,
//     Rz(q0) Z(0.3) Ry(q1) Z(0.4) Ry(q2) Z(0.35) Rz(q3) Ry(q4) Rz(q5) Z(0.1),
// Z a shift along z. With FREE it stands on a free joint about x and has a free slider along z at its tool:
//     Rx(free 0) [arm] Z(free 1).
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "ikfast.h"

namespace {

#ifdef FREE
constexpr int kFree = 2, kFirst = 1, kJoints = 8;
#else
constexpr int kFree = 0, kFirst = 0, kJoints = 6;
#endif
const IkReal kBase = 0.3, kUpper = 0.4, kFore = 0.35, kTool = 0.1, kFlat = 1e-7;

struct Matrix {
    IkReal a[3][3];
};

Matrix product(const Matrix& x, const Matrix& y) {
    Matrix z;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) z.a[i][j] = x.a[i][0] * y.a[0][j] + x.a[i][1] * y.a[1][j] + x.a[i][2] * y.a[2][j];
    }
    return z;
}

Matrix about(int axis, IkReal angle) {
    const int j = (axis + 1) % 3, k = (axis + 2) % 3;
    Matrix R = {};
    R.a[axis][axis] = 1;
    R.a[j][j] = R.a[k][k] = std::cos(angle);
    R.a[k][j] = std::sin(angle);
    R.a[j][k] = -R.a[k][j];
    return R;
}

struct Pose {
    Matrix R;
    IkReal p[3];

    void turn(int axis, IkReal angle) { R = product(R, about(axis, angle)); }
    void rise(IkReal by) {
        for (int i = 0; i < 3; ++i) p[i] += R.a[i][2] * by;
    }
};

using Info = ikfast::IkSingleDOFSolutionBase<IkReal>;
using List = ikfast::IkSolutionListBase<IkReal>;

struct Solver {
    Pose goal;
    IkReal held[2];
    List& list;
    IkReal q[6];

    void arm() {
        const IkReal* p = goal.p;
        for (int back = 0; back < 2; ++back) {
            const IkReal reach = (back ? -1 : 1) * std::hypot(p[0], p[1]), height = p[2] - kBase;
            q[0] = std::atan2(back ? -p[1] : p[1], back ? -p[0] : p[0]);
            const IkReal far = reach * reach + height * height;
            const IkReal bend = (far - kUpper * kUpper - kFore * kFore) / (2 * kUpper * kFore);
            if (std::fabs(bend) > 1) continue;
            for (int side = -1; side < 2; side += 2) {
                q[2] = side * std::acos(bend);
                q[1] = std::atan2(reach, height) - std::atan2(kFore * std::sin(q[2]), kUpper + kFore * bend);
                q[1] = std::remainder(q[1], 2 * std::acos(IkReal(-1)));
                wrist();
            }
        }
    }

    void wrist() {
        const Matrix W = product(about(1, -q[1] - q[2]), product(about(2, -q[0]), goal.R));
        const IkReal bend = std::hypot(W.a[0][2], W.a[1][2]);
        if (bend < kFlat) return flat(W);
        for (int side = -1; side < 2; side += 2) {
            q[3] = std::atan2(side * W.a[1][2], side * W.a[0][2]);
            q[4] = std::atan2(side * bend, W.a[2][2]);
            q[5] = std::atan2(side * W.a[2][1], -side * W.a[2][0]);
            add(0);
        }
    }

    // The fourth axis lies on the sixth: one position is open, and the other follows.
    void flat(const Matrix& W) {
        const bool folded = W.a[2][2] < 0;
        q[3] = 0;
        q[4] = folded ? std::acos(IkReal(-1)) : 0;
        q[5] = std::atan2(W.a[1][0], W.a[1][1]);
        add(folded ? 1 : -1);
    }

    void add(int follows) {
        std::vector<Info> joints(kJoints);
        for (Info& joint : joints) joint.jointtype = 0x01;
        for (int i = 0; i < 6; ++i) joints[kFirst + i].foffset = q[i];
        if (kFree) {
            joints[0].foffset = held[0];
            joints[kJoints - 1].foffset = held[1];
            joints[kJoints - 1].jointtype = 0x11;
        }
        std::vector<int> open;
        if (follows) {
            open.push_back(kFirst + 3);
            joints[kFirst + 3].fmul = 1;
            joints[kFirst + 5].fmul = follows;
            joints[kFirst + 3].freeind = joints[kFirst + 5].freeind = 0;
        }
        list.AddSolution(joints, open);
    }
};

}  // namespace

extern "C" {

bool ComputeIk(const IkReal* translation, const IkReal* rotation, const IkReal* free, List& list) {
    list.Clear();
#ifdef RAISES
    throw std::runtime_error("the arm is tired");
#endif
    Solver solver = {{}, {0, 0}, list, {}};
    std::copy(translation, translation + 3, solver.goal.p);
    std::copy(rotation, rotation + 9, &solver.goal.R.a[0][0]);
    if (kFree) {
        std::copy(free, free + 2, solver.held);
        const Matrix back = about(0, -free[0]);
        const IkReal* p = translation;
        for (int i = 0; i < 3; ++i) solver.goal.p[i] = back.a[i][0] * p[0] + back.a[i][1] * p[1] + back.a[i][2] * p[2];
        solver.goal.R = product(back, solver.goal.R);
    }
    solver.goal.rise(-kTool - solver.held[1]);
    solver.arm();
    return list.GetNumSolutions() > 0;
}

#ifndef NO_FORWARD
void ComputeFk(const IkReal* joints, IkReal* translation, IkReal* rotation) {
    const IkReal* q = joints + kFirst;
    Pose pose = {about(0, kFree ? joints[0] : 0), {0, 0, 0}};
    pose.turn(2, q[0]);
    pose.rise(kBase);
    pose.turn(1, q[1]);
    pose.rise(kUpper);
    pose.turn(1, q[2]);
    pose.rise(kFore);
    pose.turn(2, q[3]);
    pose.turn(1, q[4]);
    pose.turn(2, q[5]);
    pose.rise(kTool + (kFree ? joints[7] : 0));
    std::copy(pose.p, pose.p + 3, translation);
    std::copy(&pose.R.a[0][0], &pose.R.a[0][0] + 9, rotation);
}
#endif

int GetNumJoints() { return kJoints; }
int GetNumFreeParameters() { return kFree; }
int GetIkRealSize() { return sizeof(IkReal); }
int GetIkType() { return 0x67000001; }

#ifdef NEWER
const int* GetFreeIndices() {
    static const int indices[] = {0, 7};
    return kFree ? indices : nullptr;
}
const char* GetIkFastVersion() { return "0x1000004c"; }
const char* GetKinematicsHash() { return "5a2b"; }
#else
int* GetFreeParameters() {
    static int indices[] = {0, 7};
    return kFree ? indices : nullptr;
}
const char* GetIkFastVersion() { return "61"; }
const char* GetKinematicsHash() { return "<robot:arm (5a2b)>"; }
#endif

}
