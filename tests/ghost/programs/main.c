// All tests of one-sided operations in one program: "rma [NAME...]" runs those whose names contain
// one of the words. Exit status 0: every test passed on every rank.
#include "rma.h"

#define TEST(name) {#name, name}
static const Test tests[] = {
    TEST(every_operation_on_every_type),
    TEST(operations_of_no_elements),
    TEST(operations_with_no_target),
    TEST(every_request_form),
    TEST(large_operations),
    TEST(large_count_forms),
    TEST(every_class_of_datatype),
    TEST(random_datatypes_put_and_get),
    TEST(random_datatypes_accumulate),
    TEST(gaps_of_pairs_are_left_alone),
    TEST(fences),
    TEST(general_epochs),
    TEST(locks_of_each_target),
    TEST(locks_of_all),
    TEST(flushes),
    TEST(many_epochs_on_one_window),
    TEST(exclusive_locks_exclude),
    TEST(shared_locks_are_shared),
    TEST(polling_with_win_sync),
    TEST(sizes_and_units),
    TEST(attributes_and_names),
    TEST(windows_of_other_communicators),
    TEST(no_windows_of_two_groups),
    TEST(many_windows),
    TEST(windows_on_own_memory),
    TEST(dynamic_windows),
    TEST(shared_windows),
    TEST(error_handlers),
    TEST(wrong_arguments),
    TEST(counters_give_every_number_once),
    TEST(accumulates_of_all_ranks_meet),
    TEST(accumulates_keep_their_order),
    TEST(compare_and_swap_of_all_ranks),
    TEST(strided_accumulates_meet),
    TEST(random_sequences),
    {NULL, NULL},
};

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int status = run_tests(tests, argc, argv);
  MPI_Finalize();
  return status;
}
