#include "compat/armci/transfers.hpp"

#include <algorithm>
#include <string>

#include "compat/armci/arguments.hpp"

namespace lagoon::atoll::armci {

namespace {

struct Transfer {
  Memory& memory;
  MemorySection section;
  void* buffer;
  Index strides;  // of the buffer, in bytes
};

/// With the elements' own dimension last, as Atoll has it. None where all lies close together:
/// Atoll then has less to look at.
Index strides_of(const int* strides, int levels, std::int64_t element_bytes) {
  if (levels == 0) return {};
  Index result;
  for (int level = levels - 1; level >= 0; --level) result.push_back(strides[level]);
  result.push_back(element_bytes);
  return result;
}

Index shape_of(const int* count, int levels, ElementType type) {
  const auto size = static_cast<std::int64_t>(size_of(type));
  Index result;
  for (int level = levels; level >= 0; --level)
    result.push_back(not_negative("a count", count[level]));
  if (count[0] % size != 0)
    refuse(std::to_string(count[0]) + " bytes are no whole number of " +
           std::string(name_of(type)));
  result[levels] /= size;
  return result;
}

/// Atoll's sections have so many dimensions that a level more makes several of them.
constexpr int most_levels = max_dimensions - 1;

template <class F>
void for_each_transfer(const Session& session, const Deed& deed, const Strided& strided,
                       int process, F&& f) {
  const int levels = not_negative("stride_levels", strided.levels);
  if (levels > most_levels) {
    Strided part = strided;
    part.levels = levels - 1;
    for (int i = 0; i < strided.count[levels]; ++i) {
      for_each_transfer(session, deed, part, process, f);
      part.source = static_cast<std::byte*>(part.source) + strided.source_strides[levels - 1];
      part.target = static_cast<std::byte*>(part.target) + strided.target_strides[levels - 1];
    }
    return;
  }
  Index shape = shape_of(strided.count, levels, deed.type);
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return;
  const auto size = static_cast<std::int64_t>(size_of(deed.type));
  Index source = strides_of(strided.source_strides, levels, size);
  Index target = strides_of(strided.target_strides, levels, size);
  const bool get = deed.kind == Deed::Kind::get;
  const Place place = session.allocations.at(get ? strided.source : strided.target, process);
  const MemorySection section{place.rank, place.offset, shape, get ? source : target, deed.type};
  f(Transfer{*place.memory, section, get ? strided.target : strided.source, get ? target : source});
}

void run_one(const Deed& deed, const Transfer& transfer) {
  switch (deed.kind) {
    case Deed::Kind::put:
      return transfer.memory.put(transfer.section, transfer.buffer, transfer.strides);
    case Deed::Kind::get:
      return transfer.memory.get(transfer.section, transfer.buffer, transfer.strides);
    case Deed::Kind::accumulate:
      return transfer.memory.accumulate(transfer.section, transfer.buffer, deed.scale,
                                        transfer.strides);
  }
}

Handle begin_one(const Deed& deed, const Transfer& transfer) {
  switch (deed.kind) {
    case Deed::Kind::put:
      return transfer.memory.put_async(transfer.section, transfer.buffer, transfer.strides);
    case Deed::Kind::get:
      return transfer.memory.get_async(transfer.section, transfer.buffer, transfer.strides);
    case Deed::Kind::accumulate: break;
  }
  return transfer.memory.accumulate_async(transfer.section, transfer.buffer, deed.scale,
                                          transfer.strides);
}

void begin_into(std::vector<Handle>& operations, const Session& session, const Deed& deed,
                const Strided& strided, int process) {
  for_each_transfer(session, deed, strided, process, [&](const Transfer& transfer) {
    Handle operation = begin_one(deed, transfer);
    if (!operation.done()) operations.push_back(std::move(operation));
  });
}

}  // namespace

Deed Deed::accumulate(int operation, const void* scale) {
  if (scale == nullptr) refuse("scale is a null pointer");
  const auto of = [&](ElementType element) { return Deed{Kind::accumulate, element, scale}; };
  switch (operation) {
    case ARMCI_ACC_INT: return of(ElementType::int32);
    case ARMCI_ACC_LNG: return of(ElementType::int64);
    case ARMCI_ACC_FLT: return of(ElementType::float32);
    case ARMCI_ACC_DBL: return of(ElementType::float64);
    case ARMCI_ACC_CPL: return of(ElementType::complex64);
    case ARMCI_ACC_DCP: return of(ElementType::complex128);
    default: break;
  }
  refuse("the operation " + std::to_string(operation) +
         " is none of ARMCI_ACC_INT, _LNG, _FLT, _DBL, _CPL and _DCP");
}

void run(const Deed& deed, const Strided& strided, int process) {
  const Session& session = Session::get();
  (void)session.process(process);
  for_each_transfer(session, deed, strided, process,
                    [&](const Transfer& transfer) { run_one(deed, transfer); });
}

std::vector<Handle> begin(const Deed& deed, const Strided& strided, int process) {
  const Session& session = Session::get();
  (void)session.process(process);
  std::vector<Handle> operations;
  begin_into(operations, session, deed, strided, process);
  return operations;
}

std::vector<Handle> begin(const Deed& deed, const armci_giov_t* vectors, int count, int process) {
  const Session& session = Session::get();
  (void)session.process(process);
  std::vector<Handle> operations;
  for (int v = 0; v < not_negative("len", count); ++v) {
    const armci_giov_t& vector = vectors[v];
    for (int i = 0; i < not_negative("ptr_array_len", vector.ptr_array_len); ++i)
      begin_into(operations, session, deed,
                 contiguous(vector.src_ptr_array[i], vector.dst_ptr_array[i], vector.bytes),
                 process);
  }
  return operations;
}

void run(const Deed& deed, const armci_giov_t* vectors, int count, int process) {
  std::vector<Handle> operations = begin(deed, vectors, count, process);
  wait_all(operations);
}

}  // namespace lagoon::atoll::armci
