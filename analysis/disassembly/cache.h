// What nvdisasm printed of raw code once, by content: a file for each code.
// docs/decisions/disassembly-cache.md says why.
#pragma once

#include "analysis/disassembly/nvdisasm_json.h"
#include "core/base/error.h"
#include "core/base/file.h"

#include <map>
#include <optional>
#include <string>

namespace phasebit::disassembly {

// Safe for several threads, and for several processes on one folder.
class DisassemblyCache {
 public:
  // Entries of another version of nvdisasm are never found. Step::io when the folder cannot be
  // made.
  static Result<DisassemblyCache> open(const fs::path& folder, const std::string& nvdisasm_version);

  // The listing of that code on that SM, without a name. Nothing where there is none, or where the
  // file is torn.
  std::optional<DisassembledFunction> find(int sm, std::string_view code) const;

  // Keeps a listing, in the place of a torn one too. Step::io when it cannot be written: the cache
  // then costs time, not the result.
  Status add(int sm, std::string_view code, const DisassembledFunction& function) const;

  // Where the listing of that code is kept.
  fs::path file_of(int sm, std::string_view code) const;

 private:
  explicit DisassemblyCache(fs::path folder) : folder_(std::move(folder)) {}
  fs::path folder_;
};

// What was found out about a module once: a file for each module, of keys and values.
// docs/decisions/disassembly-cache.md says why.

// Safe for several threads, and for several processes on one folder.
class DerivedCache {
 public:
  using Entries = std::map<std::string, std::string, std::less<>>;  // without tabs and line ends

  // Entries of another `program` (program_hash) are never found: what is derived depends on all of
  // its code. Nothing is kept for a program without a hash.
  DerivedCache(fs::path folder, std::string program);

  // All that is known of the module with that content hash; nothing where the file is torn.
  Entries find(const std::string& module) const;

  // Adds to what is known. Where two add at once one may win: the other is derived again. Step::io
  // when it cannot be written: the cache then costs time, not the result.
  Status add(const std::string& module, const Entries& entries) const;

  fs::path file_of(const std::string& module) const;

 private:
  fs::path folder_;
  std::string program_;
};

}  // namespace phasebit::disassembly
