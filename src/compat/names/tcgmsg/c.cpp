// TCGMSG's C names.
#include <unistd.h>

#include <cstdlib>

#include "compat/failure.hpp"
#include "compat/ga/collective.hpp"
#include "compat/tcgmsg/file_copy.hpp"
#include "compat/tcgmsg/session.hpp"
#include "ga/evlog.h"
#include "ga/tcgmsg.h"

using namespace lagoon::atoll;
using compat::guarded;
using tcgmsg::running_world;
using tcgmsg::Session;

extern "C" {

void tcg_pbeginf(void) { guarded("tcg_pbeginf", Session::begin_program); }
// The program's arguments are its own: MPI needs none of them.
void tcg_alt_pbegin(int*, char***) { tcg_pbeginf(); }
void tcg_pbegin(int, char**) { tcg_pbeginf(); }
void tcg_pbginf(void) { tcg_pbeginf(); }
void tcg_pend(void) { guarded("tcg_pend", Session::end_program); }
long tcg_ready(void) { return Session::running() ? 1 : 0; }

long tcg_nodeid(void) {
  return guarded("tcg_nodeid", [] { return tcgmsg::process_number(); });
}
long tcg_nnodes(void) {
  return guarded("tcg_nnodes", [] { return tcgmsg::process_count(); });
}

void tcg_snd(long type, const void* buf, long lenbuf, long node, long sync) {
  guarded("tcg_snd", [&] { Session::get().messages.send(type, buf, lenbuf, node, sync != 0); });
}

void tcg_rcv(long type, void* buf, long lenbuf, long* lenmes, long nodeselect, long* nodefrom,
             long sync) {
  guarded("tcg_rcv", [&] {
    const tcgmsg::Arrival arrival =
        Session::get().messages.receive(type, buf, lenbuf, nodeselect, sync != 0);
    *lenmes = arrival.bytes;
    *nodefrom = arrival.node;
  });
}

void tcg_waitcom(long node) {
  guarded("tcg_waitcom", [&] { Session::get().messages.wait(node); });
}

long tcg_probe(long type, long node) {
  return guarded("tcg_probe", [&] { return Session::get().messages.probe(type, node) ? 1L : 0L; });
}

void tcg_brdcst(long, void* buf, long lenbuf, long originator) {
  guarded("tcg_brdcst", [&] { ga::broadcast(running_world(), buf, lenbuf, originator); });
}

void tcg_dgop(long, double* x, long n, const char* op) {
  guarded("tcg_dgop", [&] { ga::reduce(running_world(), ElementType::float64, x, n, op); });
}
void tcg_igop(long, long* x, long n, const char* op) {
  guarded("tcg_igop", [&] { ga::reduce(running_world(), element_type_of<long>(), x, n, op); });
}

void tcg_synch(long) {
  guarded("tcg_synch", [] { running_world().sync(); });
}

long tcg_nxtval(long mproc) {
  return guarded("tcg_nxtval", [&] {
    Counter& counter = Session::get().counter;
    if (mproc > 0) return static_cast<long>(counter.next());
    if (mproc < 0) counter.reset();
    return 0L;
  });
}

long tcg_mdtob(long n) { return n * static_cast<long>(sizeof(double)); }
long tcg_mitob(long n) { return n * static_cast<long>(sizeof(long)); }
static_assert(sizeof(long) == sizeof(double));
long tcg_mdtoi(long n) { return n; }
long tcg_mitod(long n) { return n; }

double tcg_time(void) { return tcgmsg::seconds(); }
long tcg_mtime(void) { return static_cast<long>(100 * tcgmsg::seconds()); }

double tcg_drand48(void) { return drand48(); }
void tcg_srand48(long seed) { srand48(seed); }
long tcg_niceftn(long ival) { return nice(static_cast<int>(ival)); }

void tcg_pfcopy(long, long node0, const char* fname) {
  guarded("tcg_pfcopy", [&] { tcgmsg::copy_file(running_world(), node0, fname); });
}

void tcg_setdbg(long value) {
  guarded("tcg_setdbg", [&] { Session::get().messages.prints = value != 0; });
}
void tcg_stats(void) {
  guarded("tcg_stats", [] { tcgmsg::print_traffic(Session::get()); });
}
void tcg_llog(void) {
  guarded("tcg_llog", [] { tcgmsg::redirect_output(running_world().rank()); });
}

void evlog(int, ...) {}  // NOLINT(cert-dcl50-cpp): the interface is C's

void tcg_error(const char* msg, long code) { compat::fail(msg, code); }
void tcg_parerr(long code) { compat::fail("parerr: the program ends the job with code", code); }

}  // extern "C"
