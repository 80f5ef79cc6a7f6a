// What a program sees of its world, as text: rank after rank, line by line. Run with the library
// and without it, the text is the same. What differs between runs (times, addresses) is not
// printed.
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;
static char text[1 << 16];
static size_t length = 0;

__attribute__((format(printf, 1, 2))) static void say(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int written = vsnprintf(text + length, sizeof text - length, format, arguments);
  va_end(arguments);
  length += (size_t)written;
  if (length + 200 > sizeof text) abort();
}

static const char* likeness(int result) {
  if (result == MPI_IDENT) return "identical";
  if (result == MPI_CONGRUENT) return "congruent";
  return result == MPI_SIMILAR ? "similar" : "unequal";
}

// Members by their place in MPI_COMM_WORLD.
static void say_group(const char* what, MPI_Group group) {
  int count = 0, mine = 0;
  MPI_Group world;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_size(group, &count);
  MPI_Group_rank(group, &mine);
  say("%s: rank %d of %d:", what, mine == MPI_UNDEFINED ? -1 : mine, count);
  for (int i = 0; i < count; ++i) {
    int place = -1;
    MPI_Group_translate_ranks(group, 1, &i, world, &place);
    say(" %d", place);
  }
  say("\n");
  MPI_Group_free(&world);
}

static void say_comm(const char* what, MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) {
    say("%s: none\n", what);
    return;
  }
  int result = 0, total = 0, inter = 0, name_length = 0;
  char name[MPI_MAX_OBJECT_NAME];
  MPI_Group group;
  MPI_Comm_group(comm, &group);
  say_group(what, group);
  MPI_Group_free(&group);
  MPI_Comm_test_inter(comm, &inter);
  if (!inter) {
    MPI_Comm_compare(comm, MPI_COMM_WORLD, &result);
    MPI_Allreduce(&rank, &total, 1, MPI_INT, MPI_SUM, comm);
    MPI_Comm_get_name(comm, name, &name_length);
    say("  %s to the world, sum of ranks %d\n", likeness(result), total);
  }
}

static void itself(void) {
  char name[MPI_MAX_OBJECT_NAME] = "";
  int chars = 0, flag = 0, result = 0, inter = 7;
  void* value = NULL;
  say_comm("world", MPI_COMM_WORLD);
  say_comm("self", MPI_COMM_SELF);
  MPI_Comm_get_name(MPI_COMM_WORLD, name, &chars);
  say("name %s\n", name);
  MPI_Comm_get_name(MPI_COMM_SELF, name, &chars);
  say("name %s\n", name);
  MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_WORLD, &result);
  say("compared with itself %s\n", likeness(result));
  MPI_Comm_test_inter(MPI_COMM_WORLD, &inter);
  MPI_Comm_remote_size(MPI_COMM_SELF, &flag);  // an error, which is told (main sets the handler)
  say("intercommunicator %d\n", inter);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag);
  say("tags up to %d\n", flag ? *(int*)value : -1);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_HOST, &value, &flag);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &value, &flag);
  say("universe large enough %d\n", !flag || *(int*)value >= size);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &value, &flag);
  say("application %d\n", flag ? *(int*)value : -1);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, &value, &flag);
  say("global time %d\n", flag ? *(int*)value : -1);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &value, &flag);
  say("last code %d\n", flag ? *(int*)value : -1);
  MPI_Comm parent = MPI_COMM_SELF;
  MPI_Comm_get_parent(&parent);
  say("parent %d\n", parent != MPI_COMM_NULL);
  MPI_Comm_set_name(MPI_COMM_WORLD, "ocean");
  MPI_Comm_get_name(MPI_COMM_WORLD, name, &chars);
  say("name %s\n", name);
  MPI_Comm_set_name(MPI_COMM_WORLD, "MPI_COMM_WORLD");
}

static int deleted = 0;
static int copied(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag) {
  (void)key, (void)extra;
  say("copied from the world %d\n", comm == MPI_COMM_WORLD);
  *(void**)out = in;
  *flag = 1;
  return MPI_SUCCESS;
}
static int gone(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)value, (void)extra;
  ++deleted;
  return MPI_SUCCESS;
}

static void attributes(void) {
  int key = 0, flag = 0, mine = 3;
  void* value = NULL;
  MPI_Comm other;
  MPI_Comm_create_keyval(copied, gone, &key, NULL);
  MPI_Comm_get_attr(MPI_COMM_WORLD, key, &value, &flag);
  say("attribute before %d\n", flag);
  MPI_Comm_set_attr(MPI_COMM_WORLD, key, &mine);
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  MPI_Comm_get_attr(other, key, &value, &flag);
  say("attribute of the copy %d\n", flag && value == &mine);
  MPI_Comm_free(&other);
  MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
  say("deleted %d\n", deleted);
  MPI_Comm_free_keyval(&key);
}

static MPI_Comm told = MPI_COMM_NULL;
static int told_class = 0;
static void tell(MPI_Comm* comm, int* code, ...) {
  told = *comm;
  MPI_Error_class(*code, &told_class);
}

static void errors(void) {
  MPI_Errhandler handler, found;
  int value = 0;
  MPI_Comm_create_errhandler(tell, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &found);
  say("handler kept %d\n", found == handler);
  MPI_Errhandler_free(&found);
  MPI_Send(&value, 1, MPI_INT, size, 0, MPI_COMM_WORLD);
  say("wrong rank: class right %d, of the world %d\n", told_class == MPI_ERR_RANK,
      told == MPI_COMM_WORLD);
  told = MPI_COMM_NULL;
  MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_TAG);
  say("called: class right %d, of the world %d\n", told_class == MPI_ERR_TAG,
      told == MPI_COMM_WORLD);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Errhandler_free(&handler);
}

static void made_of_it(void) {
  MPI_Comm comm, node;
  MPI_Request request;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  say_comm("dup", comm);
  MPI_Comm_free(&comm);
  MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  say_comm("idup", comm);
  MPI_Comm_free(&comm);
  MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &comm);
  say_comm("dup_with_info", comm);
  MPI_Comm_free(&comm);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &comm);
  say_comm("split", comm);
  MPI_Comm_free(&comm);
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 1, rank, &comm);
  say_comm("split without the first", comm);
  if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
  say_comm("split_type", node);
  MPI_Comm_free(&node);
  MPI_Group world, part;
  const int range[1][3] = {{0, size - 1, 2}};
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_range_incl(world, 1, (int (*)[3])range, &part);
  say_group("every other", part);
  MPI_Comm_create(MPI_COMM_WORLD, part, &comm);
  say_comm("create", comm);
  if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
  if (rank % 2 == 0) {
    MPI_Comm_create_group(MPI_COMM_WORLD, part, 3, &comm);
    say_comm("create_group", comm);
    MPI_Comm_free(&comm);
  }
#if MPI_VERSION >= 4
  if (rank % 2 == 0) {
    MPI_Comm_create_from_group(part, "org.atoll.view", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
    say_comm("create_from_group", comm);
    MPI_Comm_free(&comm);
  }
  MPI_Comm_idup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  say_comm("idup_with_info", comm);
  MPI_Comm_free(&comm);
#endif
  MPI_Group_free(&part);
  MPI_Group_free(&world);
}

static void topologies(void) {
  MPI_Comm comm, row;
  int dims[2] = {0, 0}, periods[2] = {1, 0}, place[2], from = 0, to = 0, keep[2] = {0, 1}, kind = 0;
  MPI_Dims_create(size, 2, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &comm);
  say_comm("cart", comm);
  MPI_Topo_test(comm, &kind);
  MPI_Cart_coords(comm, rank, 2, place);
  MPI_Cart_shift(comm, 0, 1, &from, &to);
  say("cartesian %d, at %d %d of %d %d, from %d to %d\n", kind == MPI_CART, place[0], place[1],
      dims[0], dims[1], from, to);
  MPI_Cart_sub(comm, keep, &row);
  say_comm("row", row);
  MPI_Comm_free(&row);
  MPI_Cart_map(MPI_COMM_WORLD, 2, dims, periods, &to);
  say("mapped %d\n", to);
  int mine[4] = {rank, rank, rank, rank}, theirs[4] = {-1, -1, -1, -1};
  MPI_Neighbor_alltoall(mine, 1, MPI_INT, theirs, 1, MPI_INT, comm);
  say("neighbours %d %d %d %d\n", theirs[0], theirs[1], theirs[2], theirs[3]);
  MPI_Comm_free(&comm);

  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  const int sources[1] = {left}, targets[1] = {right}, weights[1] = {1};
  int degrees[3] = {0, 0, 0}, heard = -1;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, sources, weights, 1, targets, weights,
                                 MPI_INFO_NULL, 0, &comm);
  MPI_Dist_graph_neighbors_count(comm, &degrees[0], &degrees[1], &degrees[2]);
  MPI_Neighbor_allgather(&rank, 1, MPI_INT, &heard, 1, MPI_INT, comm);
  say("graph: %d in, %d out, heard %d\n", degrees[0], degrees[1], heard);
  MPI_Comm_free(&comm);
  const int degree = 1;
  MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &degree, targets, weights, MPI_INFO_NULL, 0,
                        &comm);
  say_comm("dist_graph", comm);
  MPI_Comm_free(&comm);
  int* index = malloc((size_t)size * sizeof(int));
  int* edges = malloc((size_t)size * sizeof(int));
  for (int i = 0; i < size; ++i) index[i] = i + 1, edges[i] = (i + 1) % size;
  MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 0, &comm);
  say_comm("graph", comm);
  MPI_Graph_neighbors_count(comm, rank, &to);
  say("graph neighbours %d\n", to);
  MPI_Comm_free(&comm);
  free(index);
  free(edges);
}

static void between_two(void) {
  if (size < 2) return;
  MPI_Comm half, both, merged;
  const int upper = rank >= (size + 1) / 2;
  int remote = 0, flag = 0, heard = -1;
  MPI_Comm_split(MPI_COMM_WORLD, upper, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, upper ? 0 : (size + 1) / 2, 9, &both);
  MPI_Comm_remote_size(both, &remote);
  MPI_Comm_test_inter(both, &flag);
  MPI_Allreduce(&rank, &heard, 1, MPI_INT, MPI_SUM, both);
  say("intercommunicator %d, remote %d, their sum %d\n", flag, remote, heard);
  MPI_Group group;
  MPI_Comm_remote_group(both, &group);
  say_group("remote", group);
  MPI_Group_free(&group);
  MPI_Intercomm_merge(both, upper, &merged);
  say_comm("merged", merged);
  MPI_Comm_free(&merged);
  MPI_Comm_free(&both);
  MPI_Comm_free(&half);
}

static void collectives(void) {
  int *all = malloc((size_t)size * sizeof(int)), *other = malloc((size_t)size * sizeof(int));
  int *counts = malloc((size_t)size * sizeof(int)), *places = malloc((size_t)size * sizeof(int));
  int value = rank == size - 1 ? 77 : 0, sum = 0, scan = 0, exscan = 0, part = 0;
  MPI_Request request;
  MPI_Bcast(&value, 1, MPI_INT, size - 1, MPI_COMM_WORLD);
  MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < size; ++i) say("%d ", all[i]), counts[i] = 1, places[i] = size - 1 - i;
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Scan(&rank, &scan, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Exscan(&rank, &exscan, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Reduce_scatter_block(all, &part, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  say("bcast %d sum %d scan %d exscan %d part %d\n", value, sum, scan, exscan, part);
  MPI_Alltoall(all, 1, MPI_INT, other, 1, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < size; ++i) say("%d ", other[i]);
  MPI_Allgatherv(&rank, 1, MPI_INT, all, counts, places, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < size; ++i) say("%d ", all[i]);
  MPI_Gather(&rank, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Scatter(all, 1, MPI_INT, &part, 1, MPI_INT, 0, MPI_COMM_WORLD);
  say("scattered %d\n", part);
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  say("largest %d\n", sum);
#if MPI_VERSION >= 4
  MPI_Allreduce_c(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Bcast_c(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Allreduce_init(&rank, &part, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  MPI_Start(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
  say("large counts %d, persistent %d\n", sum, part);
#endif
  free(all), free(other), free(counts), free(places);
}

static void messages(void) {
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  int out = 10 + rank, in = -1, count = 0, flag = 0;
  MPI_Status status;
  MPI_Request requests[2];
  MPI_Sendrecv(&out, 1, MPI_INT, right, 1, &in, 1, MPI_INT, left, 1, MPI_COMM_WORLD, &status);
  say("from %d: %d\n", status.MPI_SOURCE, in);
  MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(&out, 1, MPI_INT, left, 2, MPI_COMM_WORLD, &requests[1]);
  MPI_Wait(&requests[0], &status);
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  say("from any: %d sent %d\n", status.MPI_SOURCE, in);
  MPI_Isend(&out, 1, MPI_INT, right, 3, MPI_COMM_WORLD, &requests[1]);
  MPI_Probe(MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &status);
  MPI_Get_count(&status, MPI_INT, &count);
  MPI_Iprobe(status.MPI_SOURCE, 3, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  MPI_Recv(&in, 1, MPI_INT, status.MPI_SOURCE, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  say("probed %d of %d, %d: %d\n", count, status.MPI_SOURCE, flag, in);
  MPI_Message message;
  MPI_Isend(&out, 1, MPI_INT, right, 4, MPI_COMM_WORLD, &requests[1]);
  MPI_Mprobe(left, 4, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  MPI_Mrecv(&in, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  MPI_Send_init(&out, 1, MPI_INT, right, 5, MPI_COMM_WORLD, &requests[0]);
  MPI_Recv_init(&in, 1, MPI_INT, left, 5, MPI_COMM_WORLD, &requests[1]);
  MPI_Startall(2, requests);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  say("persistent: %d\n", in);
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  int packed[4] = {0}, at = 0;
  MPI_Pack(&out, 1, MPI_INT, packed, sizeof packed, &at, MPI_COMM_WORLD);
  at = 0;
  MPI_Unpack(packed, sizeof packed, &at, &in, 1, MPI_INT, MPI_COMM_WORLD);
  say("packed: %d\n", in);
}

static void sessions(void) {
#if MPI_VERSION >= 4
  MPI_Session session;
  MPI_Group group;
  MPI_Comm comm;
  int sets = 0, found = 0;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
  MPI_Session_get_num_psets(session, MPI_INFO_NULL, &sets);
  for (int i = 0; i < sets; ++i) {
    char name[200] = "";
    int room = sizeof name;
    MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &room, name);
    found += strcmp(name, "mpi://WORLD") == 0 || strcmp(name, "mpi://SELF") == 0;
  }
  say("process sets %d\n", found);
  MPI_Info info;
  char value[20] = "";
  int length_of_value = sizeof value, flag = 0;
  MPI_Session_get_pset_info(session, "mpi://WORLD", &info);
  MPI_Info_get_string(info, "mpi_size", &length_of_value, value, &flag);
  say("mpi_size %s\n", flag ? value : "unknown");
  MPI_Info_free(&info);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  int count = 0, place = 0;
  MPI_Group_size(group, &count);
  MPI_Group_rank(group, &place);
  say("of the session: %d of %d\n", place, count);
  MPI_Comm_create_from_group(group, "org.atoll.session", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
  MPI_Allreduce(&rank, &count, 1, MPI_INT, MPI_SUM, comm);
  say("sum %d\n", count);
  MPI_Comm_free(&comm);
  MPI_Group_free(&group);
  MPI_Session_finalize(&session);
#endif
}

static void print_all(void) {
  int mine = (int)length;
  if (rank != 0) {
    MPI_Send(text, mine, MPI_CHAR, 0, 99, MPI_COMM_WORLD);
    return;
  }
  printf("rank 0 of %d\n%s", size, text);
  for (int from = 1; from < size; ++from) {
    MPI_Status status;
    MPI_Recv(text, sizeof text, MPI_CHAR, from, 99, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_CHAR, &mine);
    printf("rank %d\n%.*s", from, mine, text);
  }
  fflush(stdout);
}

int main(int argc, char** argv) {
  int before = -1, after = -1, main_thread = 0;
  MPI_Initialized(&before);
  MPI_Init(&argc, &argv);
  MPI_Initialized(&after);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Errhandler handler;
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler);
  say("initialized %d, then %d; errors fatal %d\n", before, after, handler == MPI_ERRORS_ARE_FATAL);
  MPI_Errhandler_free(&handler);
  MPI_Is_thread_main(&main_thread);
  MPI_Finalized(&after);
  say("main thread %d, finalized %d, arguments %d\n", main_thread, after, argc);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  itself();
  attributes();
  errors();
  made_of_it();
  topologies();
  between_two();
  collectives();
  messages();
  sessions();
  print_all();
  MPI_Finalize();
  MPI_Finalized(&after);
  if (rank == 0) printf("finalized %d\n", after);
  return 0;
}
