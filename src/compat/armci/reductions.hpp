// Reductions over a circle of processes, of ARMCI's types and operations.
#pragma once

#include <string_view>

#include "compat/armci/circle.hpp"

namespace lagoon::atoll::armci {

/// `count` elements of `type`, in place; everybody gets the result. Error(value) for a type or an
/// operation that is none.
void reduce_to_all(const Circle& circle, void* data, int count, std::string_view operation,
                   int type);
/// Member 0 gets the result, the others keep what they have.
void reduce_to_first(const Circle& circle, void* data, int count, std::string_view operation,
                     int type);
/// Of the records of `bytes` bytes that are contributed, all get the one whose first element, of
/// `type`, is greatest ("max") or least ("min"); of equal ones the first member's. Where nobody
/// contributes, all keep what they have.
void select(const Circle& circle, void* record, int bytes, std::string_view operation, int type,
            bool contribute);

}  // namespace lagoon::atoll::armci
