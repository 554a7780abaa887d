// From a variant to the PTX of one kernel.
#pragma once

#include "core/base/file.h"
#include "core/launch/guard_sites.h"
#include "core/ptx/head/head.h"
#include "gen/kernel/plan.h"
#include "gen/ptxas/assembler.h"
#include "gen/space/template_set.h"

#include <memory>
#include <string>
#include <vector>

namespace phasebit::kernel {

// One line of the text as a reader wants it: with its comments.
struct ListingLine {
  std::string text;
  launch::SourceLine source;
};

struct Rendered {
  ptxas::Kernel kernel;
  std::vector<ListingLine> listing;  // comments and statements, in order; none of a file's
  ptx::head::Head head;              // filled in by what knows the variant's rules
  bool has_head = false;
  std::vector<launch::WaitSite> sites = {};  // of a guarded build
  fs::path path;  // of the file that it was read from; "" where it was rendered
};

// Reads and parses each combination of templates once. One object a thread.
class Renderer {
 public:
  // The catalogue must outlive it.
  explicit Renderer(const space::Catalogue& catalogue, fs::path templates);
  Renderer(Renderer&&) noexcept;
  ~Renderer();

  // The variant's LLVM IR, a line a statement, with the source of each. It has no debug locations
  // yet (gen/kernel/lower.h), and verbs that no component lists are called and not defined.
  // Step::render as render(), and where a template has PTX alone.
  Result<Rendered> render_ir(const launch::VariantKey& variant, const Plan& plan);

  // `ptx_version` and `ptx_target` are what the variant's forms need. Step::render names the
  // template and line of a syntax error or of a name that the contract does not have.
  Result<Rendered> render(const launch::VariantKey& variant, const Plan& plan, launch::Build build,
                          const std::string& ptx_version, const std::string& ptx_target);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// A line without its comment (`//`, in IR `;`) and the blanks before it.
std::string without_comment(std::string line, space::Language language = space::Language::ptx);

// "pb_0123456789ab_t": what both builds of a variant are called in a module.
std::string entry_name(const launch::VariantKey& variant, launch::Build build);

// Version, target, preamble and statements without the entry's name make the hash.
std::string kernel_hash(const ptxas::Kernel& kernel);

}  // namespace phasebit::kernel
