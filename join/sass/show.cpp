#include "join/sass/show.h"

#include "analysis/disassembly/live.h"
#include "analysis/gate/gate.h"
#include "analysis/listing/listing.h"
#include "join/sass/subjects.h"
#include "join/select/choices.h"
#include "join/select/open_space.h"
#include "join/select/ptx_files.h"

#include <memory>

namespace phasebit::join::sass {

using base::Table;
using foreign::CodeKernel;
using images::SubjectPlace;
using images::Tools;
using listing::ListingFormat;

namespace {

// Of a variant there is no name to choose by, and its lines are those of templates.
Status check_variant(const SassShowRequest& options) {
  if (!options.kernel.empty() && !select::is_ptx_file(options.variant))
    return fail(Step::usage, "--kernel is for files; {} is none", options.variant);
  if (!options.source.empty())
    return fail(Step::usage, "--source is for code files; {} is none", options.variant);
  if (options.full_names)
    return fail(Step::usage, "--full-names is for code files; {} is none", options.variant);
  if (options.ptx)
    return with_hint(fail(Step::usage, "--ptx is for code files; {} is none", options.variant),
                     "`phasebit show` prints a variant's PTX, and the listing names its lines");
  return {};
}

// The graph is another picture of the code: what a listing shows has no place in it.
Status check_flow(const SassShowRequest& options) {
  if (!options.flow) return {};
  const char* with = options.json              ? "--json"
                     : options.live            ? "--live"
                     : options.waits           ? "--waits"
                     : options.ptx             ? "--ptx"
                     : !options.source.empty() ? "--source"
                                               : nullptr;
  if (with == nullptr) return {};
  return with_hint(fail(Step::usage, "--cfg: no {} with it", with),
                   "the graph has blocks, loops and key opcodes; the listing has the rest");
}

// One kernel on its way to its listing.
class Show {
 public:
  Show(const SassShowRequest& options, Tools& tools, const disassembly::Disassembler& disassembler)
      : options_(options), tools_(tools), disassembler_(disassembler) {}

  Status open() {
    PHASEBIT_TRY_ASSIGN(build, select::parse_build(options_.build));
    return is_code_file(options_.variant) ? open_file(build) : open_variant(build);
  }

  // With the functions that it calls, for their loops.
  Result<std::string> list() {
    const CodeKernel& code = *place_.code;
    foreign::ReadProgram program = foreign::read_with_callees(
        disassembler_, {code}, cubin::source::source_view(options_.source));
    PHASEBIT_TRY_ASSIGN(called, program.kernels.front());
    reading::CodeSubject& subject = *program.code.front();
    PHASEBIT_TRY(images::complete(tools_, place_, subject));
    if (place_.variant == nullptr)
      subject.name = foreign::title_of(code, options_.full_names || options_.json);
    if (options_.live) {
      PHASEBIT_TRY_ASSIGN(table, disassembly::live_registers(disassembler_, code.image->bytes,
                                                             {code.kernel->symbol}));
      PHASEBIT_TRY(disassembly::add_live_registers(subject.kernel, table));
    }
    PHASEBIT_TRY_ASSIGN(request, request_for(subject));
    const auto name = options_.full_names || options_.json ? foreign::full_kernel_name
                                                           : foreign::short_kernel_name;
    for (std::size_t i = 1; i < called.code.size(); ++i) {
      const reading::CodeSubject& callee = *program.code[called.code[i]];
      request.callees.push_back({name(callee.kernel.entry), &callee.loops});
    }
    return listing::list_subject(subject, request);
  }

 private:
  Status open_variant(launch::Build build) {
    PHASEBIT_TRY(check_variant(options_));
    const std::string target =
        options_.target.empty() ? select::default_target(options_.variant) : options_.target;
    PHASEBIT_TRY(ptxas::check_target(tools_.toolchain, target));
    select::SpaceRequest request = options_.space;
    request.kernel = options_.kernel;
    PHASEBIT_TRY_ASSIGN(space, select::open_one(request, options_.variant));
    PHASEBIT_TRY_ASSIGN(prepared, images::prepare(space, build, 1));
    prepared_ = std::move(prepared);
    opened_ = images::open_variants(tools_, prepared_, {{target, {}}}, true);
    place_ = opened_.places.front();
    if (!place_.code) return tl::unexpected<Error>(place_.code.error());
    PHASEBIT_TRY_ASSIGN(toolchain,
                        tools_.toolchain_of(images::choice_of(*place_.variant, place_.in).ptxas));
    made_by_ = "ptxas " + toolchain->version.text();
    return {};
  }

  Status open_file(launch::Build build) {
    const bool assembled = select::is_ptx_file(options_.variant);
    if (!assembled && build != launch::Build::timed)
      return fail(Step::usage, "--build {} is for variants, not for a file", options_.build);
    SubjectRequest request{
        options_.space, options_.tools, {options_.variant}, options_.kernel, {}, {},
        options_.source};
    if (!options_.target.empty()) request.targets = {options_.target};
    if (!assembled) PHASEBIT_TRY(refuse_variant_options(request));
    PHASEBIT_TRY(open_code_file(tools_, request, options_.variant, build, files_));
    if (files_.size() > 1)
      return fail(Step::usage, "{}: one kernel has one ptxas", options_.variant);
    const OpenedFile& file = *files_.front();
    PHASEBIT_TRY_ASSIGN(found, foreign::find_kernel(
                                   file.code, {options_.kernel, assembled ? "" : options_.target}));
    place_.code = found;
    made_by_ = file.ptxas ? "ptxas " + file.ptxas->text() : maker_of(found.image->cubin);
    return {};
  }

  Result<listing::ListingRequest> request_for(const reading::CodeSubject& subject) {
    listing::ListingRequest request;
    request.format = options_.json ? ListingFormat::json : ListingFormat::text;
    request.disassembler = disassembler_.version();
    request.made_by = made_by_;
    request.excerpt = options_.excerpt;
    request.waits = options_.waits;
    request.flow = options_.flow;
    const CodeKernel& code = *place_.code;
    request.table = &code.image->cubin.source;
    if (options_.ptx) {
      PHASEBIT_TRY_ASSIGN(ptx, reading::read_ptx_lines(code.image->bytes, code.kernel->entry));
      request.ptx = std::move(ptx);
    }
    if (subject.has_lines) return request;
    PHASEBIT_TRY_ASSIGN(target, tools_.targets.find(subject.target));
    PHASEBIT_TRY_ASSIGN(spec, images::gate_of(*place_.variant, tools_, place_.in));
    request.target = target;
    request.gate = gate::apply_gate(spec, subject.windows, subject.kernel, subject.source);
    return request;
  }

  const SassShowRequest& options_;
  Tools& tools_;
  const disassembly::Disassembler& disassembler_;
  std::vector<images::Prepared> prepared_;
  images::VariantPlaces opened_;
  OpenedFiles files_;
  SubjectPlace place_;
  std::string made_by_;
};

}  // namespace

Result<std::string> sass_show(const SassShowRequest& options) {
  PHASEBIT_TRY(check_flow(options));
  PHASEBIT_TRY_ASSIGN(tools, images::open_tools(options.tools));
  PHASEBIT_TRY_ASSIGN(disassembler, images::open_disassembler(tools));
  Show show(options, tools, disassembler);
  PHASEBIT_TRY(show.open());
  return show.list();
}

namespace {

void add_rows(const std::string& file, const std::vector<CodeKernel>& kernels,
              const SassListRequest& request, Table& table) {
  std::vector<std::string> names = foreign::list_names(kernels);
  if (!request.full_names) names = foreign::short_names(names);
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const CodeKernel& one = kernels[i];
    std::vector<base::Cell> row;
    if (request.files.size() > 1) row.emplace_back(file);
    if (request.with_images) row.emplace_back(one.image->name);
    row.emplace_back(i + 1);
    row.emplace_back(names[i]);
    if (request.with_symbols) row.emplace_back(one.kernel->entry);
    row.emplace_back(one.image->cubin.target);
    row.emplace_back(one.kernel->text.size());
    row.emplace_back(one.kernel->registers);
    row.emplace_back(one.kernel->static_shared_bytes);
    table.rows.push_back(std::move(row));
  }
}

Table head_of_list(const SassListRequest& request) {
  Table table;
  if (request.files.size() > 1) table.columns.push_back({"file"});
  if (request.with_images) table.columns.push_back({"image"});
  table.columns.push_back({"number", true});
  table.columns.push_back({"kernel"});
  if (request.with_symbols) table.columns.push_back({"symbol"});
  table.columns.push_back({"target"});
  for (const char* title : {"code bytes", "registers", "shared bytes"})
    table.columns.push_back({title, true});
  return table;
}

}  // namespace

Result<Table> sass_list(const SassListRequest& request) {
  PHASEBIT_TRY_ASSIGN(known, isa::TargetTable::load());
  const fs::path cuobjdump = ptxas::find_cuobjdump(request.home);
  Table table = head_of_list(request);
  for (const std::string& path : request.files) {
    SubjectRequest one;
    one.tools.home = one.space.home = request.home;
    one.targets = request.targets;
    OpenedFiles opened;
    if (select::is_ptx_file(path)) {
      PHASEBIT_TRY_ASSIGN(tools, images::open_tools(one.tools));
      PHASEBIT_TRY(open_code_file(tools, one, path, launch::Build::timed, opened));
    } else {
      PHASEBIT_TRY_ASSIGN(file, read_noted(cuobjdump, known, path, request.targets));
      opened.push_back(
          std::make_shared<const OpenedFile>(OpenedFile{std::move(file), path, std::nullopt}));
    }
    PHASEBIT_TRY_ASSIGN(kernels, kernels_in(*opened.front(), one));
    add_rows(path, kernels, request, table);
  }
  return table;
}

}  // namespace phasebit::join::sass
