/* Headers that installations have and programs include, each before all that it may need; and what
   the first ones bring with them. 0, or the line of the check that failed. */
#include "gp.h"

static void* from_stdlib(void) { return malloc(RAND_MAX > 0 ? 8 : 1); }

#include <string.h>

#include "armci.h"
#include "elio.h"
#include "farg.h"
#include "ga-papi.h"
#include "ga-wapi.h"
#include "maf2c.fh"

int headers_program_in_c(void);

#define CHECK(condition) \
  if (!(condition)) return __LINE__

int headers_program_in_c(void) {
  char text[8] = "xxxxxxx", back[4] = "yyy";
  void (*set)(Integer, const char*) = wnga_set_property;
  void (*unset)(Integer) = wnga_unset_property;
  void* memory = from_stdlib();
  CHECK(memory != NULL && set != NULL && unset != NULL);
  free(memory);
  CHECK(ELIO_OK == 0 && ELIO_RW == -1);
  ga_c2fstring("ab\n", text, 5);
  CHECK(memcmp(text, "ab   xx", 8) == 0);
  ga_c2fstring("abcdefgh", text, 7);
  CHECK(memcmp(text, "abcdefg", 8) == 0);
  ga_f2cstring("ab   c   zz", 9, text, 8);
  CHECK(strcmp(text, "ab   c") == 0);
  ga_f2cstring("abcdef", 6, back, 4);
  CHECK(strcmp(back, "abc") == 0);
  ga_f2cstring("   ", 3, back, 4);
  CHECK(strcmp(back, "") == 0);
  return 0;
}
