// What is checked of a head, and how the parts of the check complain.
#pragma once

#include "core/ptx/file.h"
#include "core/ptx/head/head.h"

#include <string>
#include <utility>

namespace phasebit::ptx::head {

struct CheckedHead {
  const Head& head;
  const PtxFile& file;
  const PtxFunction& entry;

  // "file:line: key: what (what to write)": the line of what the head says of `key` (Head::where).
  template <typename... Args>
  tl::unexpected<Error> complain(const std::string& key, std::string hint,
                                 fmt::format_string<Args...> format, Args&&... args) const {
    auto at = head.where.find(key);
    if (at == head.where.end()) at = head.where.find("");
    const std::string where = at == head.where.end() ? file.name : at->second;
    return with_hint(fail(Step::spec, "{}: {}: {}", where, key,
                          fmt::format(format, std::forward<Args>(args)...)),
                     std::move(hint));
  }
};

// Step::spec, as check_head.
Status check_head_parameters(const CheckedHead& checked);
Status check_head_launch(const CheckedHead& checked);  // items, cluster
Status check_head_roles(const CheckedHead& checked);   // warps, lanes, idle threads, readings
Status check_head_memory(const CheckedHead& checked);  // barriers, phases, payload
Status check_head_tensor_maps(const CheckedHead& checked);
Status check_head_text(const CheckedHead& checked);  // what the text is known to do

}  // namespace phasebit::ptx::head
