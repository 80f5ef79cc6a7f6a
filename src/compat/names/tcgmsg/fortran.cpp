// TCGMSG's Fortran names. Text in the place of a buffer has its length behind all other arguments,
// where nobody looks.
#include "compat/fortran.hpp"

#include <string>

#include "compat/failure.hpp"
#include "compat/ga/collective.hpp"
#include "compat/tcgmsg/session.hpp"
#include "ga/tcgmsg.h"
#include "ga/typesf2c.h"

using namespace lagoon::atoll;
using compat::text_of;
using compat::TextLength;

namespace {

Integer integer(long value) { return static_cast<Integer>(value); }

constexpr long integer_bytes = sizeof(Integer), double_bytes = sizeof(double);

/// How many of `unit` bytes hold so many.
Integer units(long bytes, long unit) { return integer((bytes + unit - 1) / unit); }

template <class T>
void reduce(const char* routine, T* x, Integer n, const char* op, TextLength length) {
  compat::guarded(routine, [&] {
    ga::reduce(tcgmsg::running_world(), element_type_of<T>(), x, n, text_of(op, length));
  });
}

}  // namespace

extern "C" {

void pbeginf_(void) { tcg_pbeginf(); }
void pbginf_(void) { tcg_pbeginf(); }
void pend_(void) { tcg_pend(); }
Integer tcgready_(void) { return integer(tcg_ready()); }

Integer nodeid_(void) { return integer(tcg_nodeid()); }
Integer nnodes_(void) { return integer(tcg_nnodes()); }

void snd_(const Integer* type, const void* buf, const Integer* lenbuf, const Integer* node,
          const Integer* sync) {
  tcg_snd(*type, buf, *lenbuf, *node, *sync);
}

void rcv_(const Integer* type, void* buf, const Integer* lenbuf, Integer* lenmes,
          const Integer* nodeselect, Integer* nodefrom, const Integer* sync) {
  long length = 0, node = 0;
  tcg_rcv(*type, buf, *lenbuf, &length, *nodeselect, &node, *sync);
  *lenmes = integer(length);
  *nodefrom = integer(node);
}

void waitcom_(const Integer* node) { tcg_waitcom(*node); }
Integer probe_(const Integer* type, const Integer* node) {
  return integer(tcg_probe(*type, *node));
}

void brdcst_(const Integer* type, void* buf, const Integer* lenbuf, const Integer* originator) {
  tcg_brdcst(*type, buf, *lenbuf, *originator);
}

void dgop_(const Integer*, double* x, const Integer* n, const char* op, TextLength length) {
  reduce("dgop", x, *n, op, length);
}
void igop_(const Integer*, Integer* x, const Integer* n, const char* op, TextLength length) {
  reduce("igop", x, *n, op, length);
}

void synch_(const Integer* type) { tcg_synch(*type); }
Integer nxtval_(const Integer* mproc) { return integer(tcg_nxtval(*mproc)); }

Integer mdtob_(const Integer* n) { return integer(*n * double_bytes); }
Integer mitob_(const Integer* n) { return integer(*n * integer_bytes); }
Integer mdtoi_(const Integer* n) { return units(*n * double_bytes, integer_bytes); }
Integer mitod_(const Integer* n) { return units(*n * integer_bytes, double_bytes); }

double tcgtime_(void) { return tcg_time(); }
Integer mtime_(void) { return integer(tcg_mtime()); }

double drand48_(void) { return tcg_drand48(); }
void srand48_(const Integer* seed) { tcg_srand48(*seed); }
Integer niceftn_(const Integer* ival) { return integer(tcg_niceftn(*ival)); }

void pfcopy_(const Integer* type, const Integer* node0, const char* fname, TextLength length) {
  tcg_pfcopy(*type, *node0, std::string(text_of(fname, length)).c_str());
}
void pfilecopy_(const Integer* type, const Integer* node0, const char* fname, TextLength length) {
  pfcopy_(type, node0, fname, length);
}

void setdbg_(const Integer* value) { tcg_setdbg(*value); }
void stats_(void) { tcg_stats(); }
void llog_(void) { tcg_llog(); }

// The log of events is none, as in GA's own build (evlog.h). Further arguments are not looked at.
void evon_(void) {}
void evoff_(void) {}
void evbgin_(const char* /*name*/) {}
void evend_(const char* /*name*/) {}
void event_(const char* /*name*/) {}
void evlog_(const Integer* /*key*/) {}

void parerr_(const Integer* code) { tcg_parerr(*code); }

}  // extern "C"
