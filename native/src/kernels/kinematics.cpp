// Kernels of motion: poses, velocities, accelerations and Jacobians of bodies, and what joints do.

#include "kido/algorithm/forward_kinematics.hpp"
#include "kido/algorithm/integrate.hpp"
#include "kido/algorithm/jacobian.hpp"
#include "kido/algorithm/joint_kinematics.hpp"
#include "kido/algorithm/registry/kinematics.hpp"
#include "kernels/family.hpp"

KIDO_FAMILY(kinematics, KIDO_KINEMATICS)
