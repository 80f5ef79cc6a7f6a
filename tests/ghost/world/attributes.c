/* Attributes of MPI_COMM_SELF: what MPI_Finalize lets go, the latest first. The fourth's key is
 * freed while it is set; the fifth is deleted before. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static char said[100];

static int say(MPI_Comm self, int key, void* value, void* extra) {
  (void)self, (void)key, (void)value;
  strcat(strcat(said, " "), (const char*)extra);
  return MPI_SUCCESS;
}

static int print(MPI_Comm self, int key, void* value, void* extra) {
  int rank;
  (void)self, (void)key, (void)value, (void)extra;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  printf("rank %d:%s\n", rank, said);
  fflush(stdout);
  return MPI_SUCCESS;
}

int main(int argc, char** argv) {
  static char* const words[] = {"second", "third", "fourth", "fifth"};
  int first, keys[4];
  MPI_Init(&argc, &argv);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, print, &first, NULL);
  MPI_Comm_set_attr(MPI_COMM_SELF, first, NULL);
  for (int i = 0; i < 4; ++i)
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, say, &keys[i], words[i]);
  MPI_Comm_set_attr(MPI_COMM_SELF, keys[2], NULL);
  MPI_Comm_free_keyval(&keys[2]);
  if (keys[2] != MPI_KEYVAL_INVALID) return 1;
  MPI_Comm_set_attr(MPI_COMM_SELF, keys[0], NULL);
  MPI_Comm_set_attr(MPI_COMM_SELF, keys[1], NULL);
  MPI_Comm_set_attr(MPI_COMM_SELF, keys[3], NULL);
  MPI_Comm_delete_attr(MPI_COMM_SELF, keys[3]);
  said[0] = 0;
  MPI_Finalize();
  return 0;
}
