// The tests of one-sided operations, by file.
#pragma once

#include "checks.h"

void every_operation_on_every_type(void);  // operations.c
void operations_of_no_elements(void);
void operations_with_no_target(void);
void every_request_form(void);
void large_operations(void);
void large_count_forms(void);

void every_class_of_datatype(void);  // datatypes.c
void random_datatypes_put_and_get(void);
void random_datatypes_accumulate(void);

void gaps_of_pairs_are_left_alone(void);  // gaps.c

void fences(void);  // epochs.c
void general_epochs(void);
void locks_of_each_target(void);
void locks_of_all(void);
void flushes(void);
void many_epochs_on_one_window(void);
void exclusive_locks_exclude(void);
void shared_locks_are_shared(void);
void polling_with_win_sync(void);

void sizes_and_units(void);  // windows.c
void attributes_and_names(void);
void windows_of_other_communicators(void);
void no_windows_of_two_groups(void);
void many_windows(void);
void windows_on_own_memory(void);
void dynamic_windows(void);
void shared_windows(void);
void error_handlers(void);
void wrong_arguments(void);

void counters_give_every_number_once(void);  // atomicity.c
void accumulates_of_all_ranks_meet(void);
void accumulates_keep_their_order(void);
void compare_and_swap_of_all_ranks(void);
void strided_accumulates_meet(void);

void random_sequences(void);  // sequences.c
