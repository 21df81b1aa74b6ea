#pragma once

namespace kido {

// Codes of a body and of the joint that carries it, in the order of their columns in a table (num_bodies, count).
enum class BodyCode : int {
    parent,  // body, -1: the world
    joint_type,
    euler_order,
    dof_count,
    actuator,
    gravity,  // whether it acts on the body
    collidable,
    limits_enforced,
    count
};

}  // namespace kido
