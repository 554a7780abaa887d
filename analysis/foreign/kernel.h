// Which kernel of a code file is meant.
#pragma once

#include "analysis/cubin/source/names.h"
#include "analysis/foreign/file.h"
#include "core/launch/source_map.h"

#include <string>
#include <vector>

namespace phasebit::foreign {

// What a kernel is called: by the compiler, and by people.

struct Names {
  std::string symbol;  // as it is
  std::string text;    // demangled; "" of what is not a C++ name
  std::string name;    // that without what it takes and gives back
};
Names names_of(const std::string& symbol);

// What patterns may call it: the symbol, and of a C++ name also its demangled form, that without
// what it takes and gives back ("ns::copy<float, 3>"), and without what its template was given
// ("ns::copy").
std::vector<std::string> kernel_names(const std::string& symbol);

// For messages: without what it takes and gives back, and with "<...>" for long arguments of
// templates.
std::string short_kernel_name(const std::string& symbol);

// As it is: demangled, or the symbol of what is not a C++ name.
std::string full_kernel_name(const std::string& symbol);

// A kernel of an image; both pointers point into what holds it.
struct CodeKernel {
  const CodeImage* image = nullptr;
  const cubin::CubinKernel* kernel = nullptr;
  // What its `.loc` lines are, where it was assembled of statements; null: lines of its sources.
  const launch::SourceMap* statements = nullptr;
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

// Names of kernels for a message: short.

// A name of up to `width` characters as it is. Of a longer one its beginning and what tells it
// apart from those that begin alike: "void gemm<cutlass::Very...64, 128>(Params)". One for each
// name, in their order.
std::vector<std::string> short_names(const std::vector<std::string>& names, std::size_t width = 72);

}  // namespace phasebit::foreign
