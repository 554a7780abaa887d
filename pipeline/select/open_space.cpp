#include "pipeline/select/open_space.h"

#include "gen/fork/snippet.h"
#include "gen/ptxas/llvm_axes.h"
#include "gen/ptxas/toolchain.h"
#include "gen/space/typed_id.h"
#include "pipeline/select/choices.h"
#include "pipeline/select/given.h"
#include "pipeline/select/ptx_files.h"
#include "pipeline/select/snippets.h"

#include <iterator>

namespace phasebit::pipeline::select {

using image::VariantKey;
using ptxas::assembler_of;
using ptxas::AssemblerAxes;
using ptxas::AssemblerChoice;

Result<Space> open_space(const SpaceRequest& request, Forks forks) {
  if (!request.files.empty()) return open_files(request, request.files);
  if (!request.kernel.empty())
    return fail(Step::usage, "--kernel {}: it is for files, and there is none", request.kernel);
  if (!request.variants.empty() || !request.ids.empty()) return open_listed(request);
  return open_sweep(request, forks);
}

Result<Space> open_together(const SpaceRequest& request, Forks forks) {
  if (request.files.empty() || (request.spec.empty() && request.sweep.empty()))
    return open_space(request, forks);
  PHASEBIT_TRY(take_only(request, {"--spec", "--sweep", "-a", "--toolchain", "--filter"},
                         "files beside a sweep", "pack them apart to choose among them"));
  SpaceRequest sweep = request, files = request;
  sweep.files.clear();
  files.spec.clear();
  files.sweep.clear();
  // Who makes the sweep's PTX is no question of files, which are PTX already.
  std::erase_if(files.overrides, [](const std::string& one) {
    return ptxas::is_llvm_axis(std::string_view(one).substr(0, one.find('=')));
  });
  PHASEBIT_TRY_ASSIGN(space, open_space(sweep, forks));
  PHASEBIT_TRY_ASSIGN(read, open_files(files, files.files));
  append(space, std::move(read));
  return std::move(space);
}

void append(Space& space, Space more) {
  const auto move_behind = [](auto& to, auto& from) {
    to.insert(to.end(), std::move_iterator(from.begin()), std::move_iterator(from.end()));
  };
  move_behind(space.expansion.variants, more.expansion.variants);
  move_behind(space.files, more.files);
}

namespace {

Result<Space> open_text(const SpaceRequest& request, const space::TypedId& id) {
  PHASEBIT_TRY_ASSIGN(catalogue, load_catalogue(request));
  PHASEBIT_TRY_ASSIGN(snippets, read_snippets(request, catalogue, nullptr));
  Space space{templates_folder(request), std::move(catalogue), {}, {}};
  std::vector<VariantKey>& variants = space.expansion.variants;
  if (!id.fork.empty()) {
    PHASEBIT_TRY_ASSIGN(key, fork_by_id(request.home, space, id));
    if (!snippets.empty())
      return fail(Step::usage, "--snippet: fork '{}' is made by hand itself", id.fork);
    variants = {key};
    return space;
  }
  space::Expansion known;
  if (id.variant.find('/') == std::string::npos) {
    SpaceRequest plain = request;
    plain.snippets.clear();
    PHASEBIT_TRY_ASSIGN(all, open_sweep(plain));
    known = std::move(all.expansion);
  }
  PHASEBIT_TRY_ASSIGN(key, space::parse_variant(space.catalogue, id.variant, &known));
  variants = {fork::snippet_key(key, snippets)};
  if (id.snippets && variants.front().id != id.text)
    return with_hint(
        fail(Step::usage, "{}: the snippets given make {}", id.text, variants.front().id),
        "an id does not hold a snippet's text: give --snippet VERB=FILE");
  PHASEBIT_TRY(lay_snippets(space, snippets));
  return space;
}

// An id needs no sweep, and says itself which axes it has.
Status check_id(const SpaceRequest& request, const std::string& id,
                const std::vector<std::string>& axes) {
  PHASEBIT_TRY(take_only(request, {"-a", "--toolchain", "--snippet"}, id,
                         "an id names any variant, whatever the sweep; a hash is of a sweep"));
  return refuse_text_axes(axes, id, "beside an id");
}

// What is asked for beside an id that says otherwise would make another variant than it names.
template <typename Value>
Status refuse_other(const std::string& id, const char* axis, const std::vector<Value>& named,
                    const std::vector<Value>& asked, const Value& usual) {
  if (named.empty() || asked.empty() || named.front() == asked.front()) return {};
  const auto shown = [&](const Value& value) { return value == Value() ? usual : value; };
  const bool ptxas = std::string_view(axis) == "ptxas";
  return with_hint(fail(Step::usage, "{}: it is {}={}, and {}={} is asked for", id, axis,
                        shown(named.front()), axis, shown(asked.front())),
                   fmt::format("leave {}-a {} out, or give the id without it",
                               ptxas ? "--toolchain and " : "", axis));
}

Status refuse_others(const std::string& id, const AssemblerAxes& named,
                     const AssemblerAxes& asked) {
  PHASEBIT_TRY(
      refuse_other(id, "ptxas", named.ptxas, asked.ptxas, std::string(ptxas::pinned_toolchain)));
  PHASEBIT_TRY(refuse_other(id, "opt_level", named.opt_level, asked.opt_level, 0));
  PHASEBIT_TRY(refuse_other(id, "maxrregcount", named.maxrregcount, asked.maxrregcount, 0));
  PHASEBIT_TRY(refuse_other(id, "edit", named.edit, asked.edit, std::string("none")));
  PHASEBIT_TRY(refuse_other(id, "llvm", named.llvm, asked.llvm, std::string("none")));
  PHASEBIT_TRY(refuse_other(id, "llvm_opt", named.llvm_opt, asked.llvm_opt, 2));
  return refuse_other(id, "padding", named.padding, asked.padding, 0);
}

// What a key that a hash names says of its choice.
AssemblerAxes named_by(const VariantKey& key) {
  const AssemblerChoice choice = assembler_of(key), usual;
  AssemblerAxes named;
  if (choice.ptxas != usual.ptxas) named.ptxas = {choice.ptxas};
  if (choice.opt_level != usual.opt_level) named.opt_level = {choice.opt_level};
  if (choice.maxrregcount != usual.maxrregcount) named.maxrregcount = {choice.maxrregcount};
  if (choice.edit != usual.edit) named.edit = {choice.edit};
  if (choice.padding != usual.padding) named.padding = {choice.padding};
  if (choice.llvm != usual.llvm) named.llvm = {choice.llvm.version};
  return named;
}

}  // namespace

Result<Space> open_one(const SpaceRequest& request, const std::string& id_or_hash) {
  if (is_ptx_file(id_or_hash)) return open_one_file(request, id_or_hash);
  PHASEBIT_TRY_ASSIGN(id, space::read_typed_id(request.home, id_or_hash));
  std::vector<std::string> axes;
  PHASEBIT_TRY_ASSIGN(asked, assembler_axes(request, {}, axes));
  if (!is_hash(id_or_hash)) PHASEBIT_TRY(check_id(request, id_or_hash, axes));
  if (ptxas::combinations(asked).size() != 1)
    return fail(Step::usage, "{}: one variant has one ptxas", id_or_hash);
  PHASEBIT_TRY_ASSIGN(space, open_text(request, id));
  VariantKey& key = space.expansion.variants.front();
  // A hash may name a variant with a choice of its own.
  const bool by_hash = id.choice == AssemblerChoice() && assembler_of(key) != AssemblerChoice();
  AssemblerChoice choice = by_hash ? assembler_of(key) : id.choice;
  PHASEBIT_TRY(refuse_others(id_or_hash, by_hash ? named_by(key) : id.named, asked));
  if (!asked.ptxas.empty()) choice.ptxas = asked.ptxas.front();
  if (!asked.opt_level.empty()) choice.opt_level = asked.opt_level.front();
  if (!asked.maxrregcount.empty()) choice.maxrregcount = asked.maxrregcount.front();
  if (!asked.edit.empty()) choice.edit = asked.edit.front();
  if (!asked.padding.empty()) choice.padding = asked.padding.front();
  if (!asked.llvm.empty()) choice.llvm.version = asked.llvm.front();
  if (!asked.llvm_opt.empty()) choice.llvm.opt_level = asked.llvm_opt.front();
  if (!asked.short_ptr.empty()) choice.llvm.short_pointers = asked.short_ptr.front();
  key = ptxas::with_assembler(key, choice);
  return space;
}

SpaceRequest request_of_side(const SpaceRequest& request, const std::string& word,
                             const std::string& other) {
  SpaceRequest side = request;
  if (is_hash(word) || !is_hash(other)) return side;
  side.spec.clear();
  side.sweep.clear();
  std::erase_if(side.overrides, [](const std::string& text) {
    return !ptxas::is_assembler_axis(text.substr(0, text.find('=')));
  });
  return side;
}

}  // namespace phasebit::pipeline::select
