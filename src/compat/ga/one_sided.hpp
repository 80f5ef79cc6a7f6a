// One-sided access to patches and elements, blocking and not, written once for both languages.
#pragma once

#include <string>
#include <vector>

#include "atoll/error.hpp"
#include "atoll/fields.hpp"
#include "compat/ga/language.hpp"
#include "compat/ga/pending.hpp"
#include "compat/ga/runtime.hpp"

namespace lagoon::atoll::ga {

/// A patch of an array and a buffer with leading dimensions, as Atoll takes them.
struct BufferedPatch {
  GlobalArray& global;
  Patch patch;
  Index strides;
};

template <Language language, class I>
BufferedPatch section(std::int64_t g_a, const I* lo, const I* hi, const I* leading) {
  GlobalArray& a = array_of(g_a);
  const int n = a.dimensions();
  BufferedPatch s{a, patch<language>(lo, hi, n),
                  strides<language>(leading, n)};  // the costly part of 8 bytes
  bool rows = false;  // of a single one programs need not tell the length
  for (int d = 1; d < n; ++d) {
    rows = rows || s.patch.hi[d - 1] - s.patch.lo[d - 1] > 1;
    const std::int64_t room = leading[language == Language::c ? d - 1 : n - 1 - d];
    if (rows && room < s.patch.hi[d] - s.patch.lo[d]) [[unlikely]]
      throw Error(ErrorKind::value, "ld holds " + std::to_string(room) + " for patch " +
                                        s.patch.to_string() + ": less than it is wide");
  }
  if (a.opaque()) [[unlikely]] {
    s.patch = a.stored(s.patch);
    s.strides = a.stored_strides(s.strides);
  }
  return s;
}

template <Language language, class I>
void get(const char* routine, std::int64_t g_a, const I* lo, const I* hi, void* buffer,
         const I* leading) {
  compat::guarded(routine, [&] {
    const BufferedPatch s = section<language>(g_a, lo, hi, leading);
    s.global.array().get(s.patch, buffer, s.strides);
  });
}

template <Language language, class I>
void put(const char* routine, std::int64_t g_a, const I* lo, const I* hi, const void* buffer,
         const I* leading) {
  compat::guarded(routine, [&] {
    const BufferedPatch s = section<language>(g_a, lo, hi, leading);
    s.global.array().put(s.patch, buffer, s.strides);
  });
}

template <Language language, class I>
void accumulate(const char* routine, std::int64_t g_a, const I* lo, const I* hi, const void* buffer,
                const I* leading, const void* alpha) {
  compat::guarded(routine, [&] {
    const BufferedPatch s = section<language>(g_a, lo, hi, leading);
    (void)element_of(s.global.type());
    s.global.array().accumulate(s.patch, buffer, alpha, s.strides);
  });
}

/// What a nonblocking call leaves in the caller's handle: never 0, by which programs tell that they
/// have begun nothing. Without a handle the next sync completes it.
template <class N>
void begun(Handle handle, N* nbhandle) {
  const std::int64_t number = Runtime::get().pending->add(std::move(handle));
  if (nbhandle != nullptr) *nbhandle = static_cast<N>(number);
}

/// The same for what is over when the call returns.
template <class N>
void begun_and_done(N* nbhandle) {
  if (nbhandle != nullptr) *nbhandle = static_cast<N>(Runtime::get().pending->done());
}

template <Language language, class I, class N>
void get_begin(const char* routine, std::int64_t g_a, const I* lo, const I* hi, void* buffer,
               const I* leading, N* nbhandle) {
  compat::guarded(routine, [&] {
    const BufferedPatch s = section<language>(g_a, lo, hi, leading);
    begun(s.global.array().get_async(s.patch, buffer, s.strides), nbhandle);
  });
}

template <Language language, class I, class N>
void put_begin(const char* routine, std::int64_t g_a, const I* lo, const I* hi, const void* buffer,
               const I* leading, N* nbhandle) {
  compat::guarded(routine, [&] {
    const BufferedPatch s = section<language>(g_a, lo, hi, leading);
    begun(s.global.array().put_async(s.patch, buffer, s.strides), nbhandle);
  });
}

template <Language language, class I, class N>
void accumulate_begin(const char* routine, std::int64_t g_a, const I* lo, const I* hi,
                      const void* buffer, const I* leading, const void* alpha, N* nbhandle) {
  compat::guarded(routine, [&] {
    const BufferedPatch s = section<language>(g_a, lo, hi, leading);
    (void)element_of(s.global.type());
    begun(s.global.array().accumulate_async(s.patch, buffer, alpha, s.strides), nbhandle);
  });
}

/// Every `skip`-th element of a patch; the buffer holds these only.
template <Language language, class I>
BufferedPatch strided_section(std::int64_t g_a, const I* lo, const I* hi, const I* skip,
                              const I* leading) {
  GlobalArray& a = array_of(g_a);
  const int n = a.dimensions();
  Patch wanted = patch<language>(lo, hi, n);
  wanted.step = extents<language>(skip, n);
  return {a, a.stored(wanted), a.stored_strides(strides<language>(leading, n))};
}

template <Language language, class I>
void strided_get(const char* routine, std::int64_t g_a, const I* lo, const I* hi, const I* skip,
                 void* buffer, const I* leading) {
  compat::guarded(routine, [&] {
    const BufferedPatch s = strided_section<language>(g_a, lo, hi, skip, leading);
    s.global.array().get(s.patch, buffer, s.strides);
  });
}

template <Language language, class I>
void strided_put(const char* routine, std::int64_t g_a, const I* lo, const I* hi, const I* skip,
                 const void* buffer, const I* leading) {
  compat::guarded(routine, [&] {
    const BufferedPatch s = strided_section<language>(g_a, lo, hi, skip, leading);
    s.global.array().put(s.patch, buffer, s.strides);
  });
}

template <Language language, class I>
void strided_accumulate(const char* routine, std::int64_t g_a, const I* lo, const I* hi,
                        const I* skip, const void* buffer, const I* leading, const void* alpha) {
  compat::guarded(routine, [&] {
    const BufferedPatch s = strided_section<language>(g_a, lo, hi, skip, leading);
    (void)element_of(s.global.type());
    s.global.array().accumulate(s.patch, buffer, alpha, s.strides);
  });
}

/// A field of each element of a patch and a buffer of such fields.
struct FieldPatch {
  GlobalArray& global;
  Patch patch;
  Field field;
  Index strides;
};

template <Language language, class I>
FieldPatch field_patch(std::int64_t g_a, const I* lo, const I* hi, std::int64_t offset,
                       std::int64_t size, const I* leading) {
  GlobalArray& a = array_of(g_a);
  const int n = a.dimensions();
  return {a, patch<language>(lo, hi, n), {offset, size}, strides<language>(leading, n)};
}

/// Of elements of any type. Error(value) for a field that is not inside an element.
Handle begin_get(const FieldPatch& of, void* buffer);
Handle begin_put(const FieldPatch& of, const void* buffer);

template <Language language, class I>
void get_field(const char* routine, std::int64_t g_a, const I* lo, const I* hi, std::int64_t offset,
               std::int64_t size, void* buffer, const I* leading) {
  compat::guarded(routine, [&] {
    begin_get(field_patch<language>(g_a, lo, hi, offset, size, leading), buffer).wait();
  });
}

template <Language language, class I>
void put_field(const char* routine, std::int64_t g_a, const I* lo, const I* hi, std::int64_t offset,
               std::int64_t size, const void* buffer, const I* leading) {
  compat::guarded(routine, [&] {
    begin_put(field_patch<language>(g_a, lo, hi, offset, size, leading), buffer).wait();
  });
}

template <Language language, class I, class N>
void get_field_begin(const char* routine, std::int64_t g_a, const I* lo, const I* hi,
                     std::int64_t offset, std::int64_t size, void* buffer, const I* leading,
                     N* nbhandle) {
  compat::guarded(routine, [&] {
    begun(begin_get(field_patch<language>(g_a, lo, hi, offset, size, leading), buffer), nbhandle);
  });
}

template <Language language, class I, class N>
void put_field_begin(const char* routine, std::int64_t g_a, const I* lo, const I* hi,
                     std::int64_t offset, std::int64_t size, const void* buffer, const I* leading,
                     N* nbhandle) {
  compat::guarded(routine, [&] {
    begun(begin_put(field_patch<language>(g_a, lo, hi, offset, size, leading), buffer), nbhandle);
  });
}

/// Subscripts one element after the other as Atoll's positions. `subscript(i)` gives the i-th.
template <Language language, class F>
std::vector<std::int64_t> positions(const GlobalArray& a, std::int64_t count, F&& subscript) {
  const int n = a.dimensions();
  std::vector<std::int64_t> result;
  result.reserve(static_cast<std::size_t>(count * n));
  for (std::int64_t i = 0; i < count; ++i) {
    const Index at = position<language>(subscript(i), n);
    result.insert(result.end(), at.begin(), at.end());
  }
  return result;
}

/// An opaque element is as many of the stored ones as it has bytes.
std::vector<std::int64_t> stored_positions(const GlobalArray& a,
                                           std::vector<std::int64_t> positions);

template <Language language, class F>
void gather(const char* routine, std::int64_t g_a, void* values, std::int64_t count,
            F&& subscript) {
  compat::guarded(routine, [&] {
    GlobalArray& a = array_of(g_a);
    a.array().gather(stored_positions(a, positions<language>(a, count, subscript)), values);
  });
}

template <Language language, class F>
void scatter(const char* routine, std::int64_t g_a, const void* values, std::int64_t count,
             F&& subscript) {
  compat::guarded(routine, [&] {
    GlobalArray& a = array_of(g_a);
    a.array().scatter(stored_positions(a, positions<language>(a, count, subscript)), values);
  });
}

template <Language language, class F>
void scatter_accumulate(const char* routine, std::int64_t g_a, const void* values,
                        std::int64_t count, const void* alpha, F&& subscript) {
  compat::guarded(routine, [&] {
    GlobalArray& a = array_of(g_a);
    (void)element_of(a.type());
    a.array().scatter_accumulate(positions<language>(a, count, subscript), values, alpha);
  });
}

template <Language language, class I>
std::int64_t read_increment(const char* routine, std::int64_t g_a, const I* subscript,
                            std::int64_t increment) {
  return compat::guarded(routine, [&] {
    GlobalArray& a = array_of(g_a);
    return a.array().fetch_add(position<language>(subscript, a.dimensions()), increment);
  });
}

}  // namespace lagoon::atoll::ga
