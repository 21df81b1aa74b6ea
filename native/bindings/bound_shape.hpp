#pragma once

#include <memory>
#include <string>

#include "message.hpp"
#include "shape_storage.hpp"

namespace kido {

// Name of a kind of shape, as Python has it.
const char* kind_name(ShapeKind kind);

// A collision shape that Python holds; immutable.
class BoundShape {
public:
    BoundShape(const std::string& kind, nb::handle size);
    explicit BoundShape(HullTables tables) : storage_(std::make_shared<ShapeStorage>(std::move(tables))) {}

    explicit BoundShape(MeshTables tables) : storage_(std::make_shared<ShapeStorage>(std::move(tables))) {}
    explicit BoundShape(FieldTables tables) : storage_(std::make_shared<ShapeStorage>(std::move(tables))) {}

    const CollisionShape& shape() const { return storage_->shape(); }
    const std::shared_ptr<const ShapeStorage>& storage() const { return storage_; }
    const HullTables& tables() const { return storage_->tables(); }
    const SurfaceTables& surface() const { return storage_->surface(); }

private:
    std::shared_ptr<const ShapeStorage> storage_;
};

// Raises UnsupportedShapeError for a pair that the native detector cannot test.
[[noreturn]] void raise_unsupported(const CollisionShape& a, const CollisionShape& b);

}  // namespace kido
