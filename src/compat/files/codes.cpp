#include "compat/files/codes.hpp"

#include <cerrno>
#include <cstring>
#include <new>

#include "atoll/error.hpp"

namespace lagoon::atoll::files {

namespace {

struct LastFailure {
  int code = ok;
  std::string reason;
};

LastFailure& last_failure() {
  static LastFailure& instance = *new LastFailure;  // files may be used until the very end
  return instance;
}

const char* meaning(int code) {
  switch (code) {
    case ok: return "no error";
    case end_of_file: return "the file ends before";
    case too_many_files: return "too many files are open";
    case no_memory: return "no memory is left";
    case open_failed: return "cannot open the file";
    case close_failed: return "cannot close the file";
    case invalid_descriptor: return "no such file is open";
    case write_failed: return "cannot write";
    case asynchronous_write_failed: return "cannot write asynchronously";
    case read_failed: return "cannot read";
    case asynchronous_read_failed: return "cannot read asynchronously";
    case wait_failed: return "cannot wait";
    case probe_failed: return "cannot probe";
    case delete_failed: return "cannot delete the file";
    case stat_failed: return "cannot find the file system";
    case text_too_short: return "an argument for text is too short";
    case bad_offset: return "no whole number of bytes";
    case truncate_failed: return "cannot set the length";
    case length_failed: return "cannot find the length";
    case beyond_limit: return "the file would exceed its limit";
    case sync_failed: return "cannot bring the file to its device";
    default: return nullptr;
  }
}

Code code_of_system(int error_number, Code otherwise) {
  if (error_number == EMFILE || error_number == ENFILE) return too_many_files;
  if (error_number == EFBIG) return beyond_limit;
  return otherwise;
}

Code code_of_error(const Error& error, Code otherwise) {
  switch (error.kind()) {
    case ErrorKind::index: return end_of_file;
    case ErrorKind::memory: return no_memory;
    case ErrorKind::file: return code_of_system(error.error_number(), otherwise);
    default: return otherwise;
  }
}

}  // namespace

int code_of(const std::exception& error, Code otherwise) {
  LastFailure& last = last_failure();
  if (const auto* failure = dynamic_cast<const Failure*>(&error)) {
    last = {failure->code(), failure->what()};
  } else if (const auto* told = dynamic_cast<const Error*>(&error)) {
    // Callers have room for few words: the system's are those that help.
    last = {code_of_error(*told, otherwise),
            told->error_number() != 0 ? std::strerror(told->error_number()) : told->message()};
  } else {
    const bool memory = dynamic_cast<const std::bad_alloc*>(&error) != nullptr;
    last = {memory ? no_memory : otherwise, error.what()};
  }
  return last.code;
}

std::string message_of(int code) {
  const char* const words = meaning(code);
  if (words == nullptr) return "unknown code " + std::to_string(code);
  const LastFailure& last = last_failure();
  const bool explained = code != ok && code == last.code && !last.reason.empty();
  return explained ? words + (": " + last.reason) : words;
}

}  // namespace lagoon::atoll::files
