// ga: algebra of whole arrays and of patches, element by element.
#include "ga_calls.hpp"

namespace bench {

namespace {

constexpr int extent = 1024;

/// The numbers in them stay of one size however often they are used.
struct Operands {
  Operands() {
    for (const GaArray* const operand : {&a, &b, &c}) GA_Fill(operand->handle, &half);
  }
  double half = 0.5, one = 1.0;
  GaArray a{{extent, extent}}, b{{extent, extent}}, c{{extent, extent}};
};

void time_whole(Calls& calls, Operands& x) {
  auto& [half, one, a, b, c] = x;
  const std::string size = " 1024x1024";
  calls.together("GA_Zero" + size, {way("GA_Zero", [&] { GA_Zero(c.handle); }),
                                    way("zero", [&] { atoll::zero(c.array); })});
  calls.together("GA_Fill" + size, {way("GA_Fill", [&] { GA_Fill(c.handle, &half); }),
                                    way("fill", [&] { atoll::fill(c.array, half); })});
  calls.together("GA_Scale" + size, {way("GA_Scale", [&] { GA_Scale(c.handle, &one); }),
                                     way("scale", [&] { atoll::scale(c.array, one); })});
  calls.together("GA_Copy" + size, {way("GA_Copy", [&] { GA_Copy(a.handle, c.handle); }),
                                    way("copy", [&] { atoll::copy(a.array, c.array); })});
  calls.together("GA_Add" + size,
                 {way("GA_Add", [&] { GA_Add(&half, a.handle, &half, b.handle, c.handle); }),
                  way("add", [&] { atoll::add(half, a.array, half, b.array, c.array); })});
  calls.together("GA_Elem_multiply" + size,
                 {way("GA_Elem_multiply", [&] { GA_Elem_multiply(a.handle, b.handle, c.handle); }),
                  way("multiply", [&] { atoll::multiply(a.array, b.array, c.array); })});
  calls.together("GA_Ddot" + size, {way("GA_Ddot", [&] { GA_Ddot(a.handle, b.handle); }),
                                    way("dot", [&] { atoll::dot(a.array, b.array); })});
  const atoll::Patch all = atoll::whole(a.array.shape());
  calls.together(
      "GA_Transpose" + size,
      {way("GA_Transpose", [&] { GA_Transpose(a.handle, c.handle); }), way("copy, transposed", [&] {
         atoll::copy({a.array, all, atoll::Form::transposed}, {c.array, all});
       })});
}

/// What is small costs its meetings: without them, each process's own part.
void time_masked(Calls& calls) {
  const GaArray a({64, 64}), c({64, 64});
  double half = 0.5;
  const auto masked = [](auto call) {
    return [call] {
      GA_Mask_sync(0, 0);
      call();
    };
  };
  const auto fill = [&] { GA_Fill(c.handle, &half); };
  const auto duplicate = [&] { GA_Copy(a.handle, c.handle); };
  calls.together("GA_Fill 64x64, masked",
                 {way("GA_Fill, masked", masked(fill)), way("GA_Fill", fill)});
  calls.together("GA_Copy 64x64, masked",
                 {way("GA_Copy, masked", masked(duplicate)), way("GA_Copy", duplicate)});
}

void time_patches(Calls& calls, Operands& x) {
  auto& [half, one, a, b, c] = x;
  int lo[] = {100, 100}, hi[] = {899, 899};
  const atoll::Patch patch{{100, 100}, {900, 900}};
  const std::string size = " 800x800";
  calls.together("NGA_Zero_patch" + size,
                 {way("NGA_Zero_patch", [&] { NGA_Zero_patch(c.handle, lo, hi); }),
                  way("zero", [&] { atoll::zero({c.array, patch}); })});
  calls.together("NGA_Scale_patch" + size,
                 {way("NGA_Scale_patch", [&] { NGA_Scale_patch(c.handle, lo, hi, &one); }),
                  way("scale", [&] { atoll::scale({c.array, patch}, one); })});
  calls.together(
      "NGA_Copy_patch" + size,
      {way("NGA_Copy_patch", [&] { NGA_Copy_patch('n', a.handle, lo, hi, c.handle, lo, hi); }),
       way("copy", [&] { atoll::copy({a.array, patch}, {c.array, patch}); })});
  calls.together(
      "NGA_Add_patch" + size,
      {way("NGA_Add_patch",
           [&] {
             NGA_Add_patch(&half, a.handle, lo, hi, &half, b.handle, lo, hi, c.handle, lo, hi);
           }),
       way("add",
           [&] { atoll::add(half, {a.array, patch}, half, {b.array, patch}, {c.array, patch}); })});
  calls.together(
      "NGA_Ddot_patch" + size,
      {way("NGA_Ddot_patch", [&] { NGA_Ddot_patch(a.handle, 'n', lo, hi, b.handle, 'n', lo, hi); }),
       way("dot", [&] { atoll::dot({a.array, patch}, {b.array, patch}); })});
}

/// Which element is the greatest.
void time_search(Calls& calls, Operands& x) {
  double value = 0.0;
  int position[2] = {};
  calls.together(
      "NGA_Select_elem 1024x1024",
      {way("NGA_Select_elem", [&] { NGA_Select_elem(x.a.handle, "max", &value, position); }),
       way("maximum_element", [&] { (void)atoll::maximum_element(x.a.array); })});
}

}  // namespace

void ga_algebra(Calls& calls) {
  Operands operands;
  time_whole(calls, operands);
  time_masked(calls);
  time_patches(calls, operands);
  time_search(calls, operands);
}

}  // namespace bench
