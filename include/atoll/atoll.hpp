// Everything a user of the C++ interface needs.
#pragma once

#include "atoll/algebra.hpp"
#include "atoll/array.hpp"
#include "atoll/counter.hpp"
#include "atoll/distribution.hpp"
#include "atoll/error.hpp"
#include "atoll/group.hpp"
#include "atoll/halo.hpp"
#include "atoll/handle.hpp"
#include "atoll/index.hpp"
#include "atoll/lazy_mirror.hpp"
#include "atoll/matmul.hpp"
#include "atoll/mirror.hpp"
#include "atoll/periodic.hpp"
#include "atoll/types.hpp"
#include "atoll/world.hpp"
