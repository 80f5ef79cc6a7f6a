/* Text on its way between C and Fortran, whose text has a length and blanks at its end. */
#ifndef ATOLL_GA_FARG_H
#define ATOLL_GA_FARG_H

#ifdef __cplusplus
extern "C" {
#endif

/* `fstring` of `flength` characters becomes the text, without a newline at its end, cut off or
   filled with blanks. */
void ga_c2fstring(const char* cstring, char* fstring, int flength);
/* The other way, without the blanks at its end; cut off so that its end has a place among the
   `clength` characters of `cstring`. */
void ga_f2cstring(const char* fstring, int flength, char* cstring, int clength);

#ifdef __cplusplus
}
#endif

#endif
