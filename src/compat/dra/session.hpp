// GA's disk arrays between DRA_Init and DRA_Terminate: numbers for Atoll's disk arrays and for the
// requests under way. Every function is collective over the disk array's group, that is GA's
// default group when it was created or opened.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "atoll/disk_array.hpp"
#include "compat/ga/arrays.hpp"
#include "compat/handle_table.hpp"
#include "ga/dra.h"

namespace lagoon::atoll::dra {

inline constexpr int first_handle = -5000;
inline constexpr std::size_t longest_name = 72;
inline constexpr std::size_t longest_path = 248;

/// What a program asks for. Indices are Atoll's.
struct Plan {
  int type;
  Index shape;
  std::string name;  ///< what is longer than `longest_name` is cut off
  std::string path;
  int mode;
  Index request;
};

struct OpenArray {
  int handle;
  int type;  ///< GA's
  int mode;
  std::string name;
  Group group;
  DiskArray disk;
};

enum class Direction : std::uint8_t { write, read };

/// A section of a global array and one of a disk array.
struct Sections {
  Patch array;
  Patch disk;
  Transpose transpose = Transpose::no;
};

class Session {
 public:
  /// Error(state) before DRA_Init.
  static Session& get();
  /// Does nothing when there is one. It ends with GA at the latest.
  static void start();
  /// Ends requests and closes all arrays.
  static void stop();

  /// A new one, in place of the disk array or the plain file that had its path. Where processes
  /// differ about names and hints the group's first one counts.
  OpenArray& create(const Plan& wish);
  /// None where there is no such file. The path is that of the group's first process.
  OpenArray* open(std::string path, int mode);
  /// Error(value) for a number that is none.
  OpenArray& at(int handle);
  void close(int handle);
  void remove(int handle);

  /// The number of the request. All of both arrays, or sections.
  int begin(Direction direction, ga::GlobalArray& array, OpenArray& disk);
  int begin(Direction direction, ga::GlobalArray& array, OpenArray& disk, const Sections& sections);
  /// Harmless for a number of no request: it has ended.
  void wait(int request);
  /// Whether it has ended on all ranks; the same on all.
  bool probe(int request);
  /// Moves on what is under way. Not collective.
  void advance();

  bool debugging = false;

 private:
  struct Request {
    int array, disk;  // their handles
    Group group;
    DiskRequest moving;
  };
  OpenArray& keep(int type, int mode, std::string name, const Group& group, DiskArray disk);
  void check_not_open(const std::string& path, bool writes) const;
  template <class Which, class Run>
  void end_requests(Which which, Run run);
  /// `run` calls each step that may fail.
  template <class Run>
  void close_by(int handle, Run run);
  Request* find(int request) const;
  void tell(const Group& group, const std::string& what) const;
  compat::HandleTable<OpenArray> arrays_{first_handle};
  compat::HandleTable<Request> requests_;
};

}  // namespace lagoon::atoll::dra
