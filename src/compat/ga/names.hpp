// Second names of functions.
#pragma once

/// `also` is `name` under another name; both are extern "C" and of this file.
#define ATOLL_GA_ALSO(also, name) decltype(name) also __attribute__((alias(#name)))
