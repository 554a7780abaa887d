// Which kernel of a code file is meant.
#pragma once

#include "analysis/foreign/file.h"
#include "analysis/foreign/kernel_names.h"

#include <string>
#include <vector>

namespace phasebit::foreign {

// A kernel of a file; both pointers point into it.
struct CodeKernel {
  const CodeImage* image = nullptr;
  const cubin::CubinKernel* kernel = nullptr;
};

// "app: 2: k.sm_90a.cubin: void ns::copy(int*)"; of a long name what brackets hold is left out,
// unless it is asked for.
std::string title_of(const CodeKernel& kernel, bool full_name);

struct KernelQuery {
  // The symbol, or its demangled form, with or without what it takes and gives back ("ns::copy"),
  // or a part of either, or its number in the list of those of the target, from 1. Empty: whatever
  // there is.
  std::string kernel;
  std::string target;  // "sm_90a" or "sm_90", which sm_90a answers too; empty: any
};

// The kernels of a target (empty: of any), as they are numbered: in the order of the file.
std::vector<CodeKernel> list_kernels(const CodeFile& file, const std::string& target);

// What to call each: demangled, where no other is called so, else the symbol.
std::vector<std::string> list_names(const std::vector<CodeKernel>& kernels);

// Those that match, in the order of the file. A closer match of the name (the whole symbol, the
// whole demangled form, its name, a part) leaves out the others. Of equal code by one name and
// target the first stands for all, and linked code for relocatable code. Step::usage, with the
// nearest names or what there is, when none does.
Result<std::vector<CodeKernel>> find_kernels(const CodeFile& file, const KernelQuery& query);

// The only one. Step::usage, with what to say, when there are several.
Result<CodeKernel> find_kernel(const CodeFile& file, const KernelQuery& query);

}  // namespace phasebit::foreign
