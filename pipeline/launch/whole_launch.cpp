#include "pipeline/launch/whole_launch.h"

#include "pipeline/launch/assignment.h"
#include "pipeline/launch/captured_launch.h"
#include "pipeline/launch/stated.h"

#include <algorithm>
#include <sstream>

namespace phasebit::pipeline::launch {

using image::WholeLaunch;
using image::WholeParameter;
using Kind = WholeParameter::Kind;

namespace {

class FactReader {
 public:
  FactReader(const ptx::PtxFile& file, const ptx::PtxFunction& entry, const WholeFacts& facts)
      : file_(file), entry_(entry), facts_(facts), list_(parameters_of(entry)) {}

  Result<WholeLaunch> read(const fs::path& path) {
    PHASEBIT_TRY(take_captured());
    PHASEBIT_TRY(take_raw());
    PHASEBIT_TRY(take_assignments());
    PHASEBIT_TRY(ask_for_rest());
    PHASEBIT_TRY_ASSIGN(stated, stated_launch(file_, entry_, path));
    PHASEBIT_TRY(take_shape(stated));
    whole_.parameter_bytes = list_.bytes;
    whole_.starts.clear();
    for (const Place& one : list_.places) whole_.starts.push_back(one.offset);
    whole_.no_figure = facts_.no_figure;
    if (const auto wrong = complaint_about(whole_))
      return missing(*wrong, "--param, --tensor-map, --grid, --block, --cluster");
    return std::move(whole_);
  }

 private:
  tl::unexpected<Error> missing(const std::string& what, std::string hint) const {
    const ptx::PlacedStatement& at = file_.statements[entry_.signature];
    return with_hint(fail(Step::usage, "{}:{}: {}: {}", file_.name, at.line, entry_.name, what),
                     std::move(hint));
  }

  Status take_captured() {
    if (facts_.captured.empty()) return {};
    auto own = captured_launch(facts_.captured, entry_.name);
    if (!own && own.error().step != Step::usage) return tl::unexpected<Error>(own.error());
    if (!own) return missing(own.error().message, own.error().hint);
    image::CapturedLaunch& found = *own;
    for (WholeParameter& one : found.launch.parameters)
      if (!put_in_place(one, found.launch.starts))
        return missing(fmt::format("its parameters are {}, and those of the captured launch {} "
                                   "that begin at {}",
                                   list_.places.size(), found.launch.starts.size(),
                                   fmt::join(found.launch.starts, ", ")),
                       "the captured program has another build of it");
    whole_ = std::move(found.launch);
    has_captured_ = true;
    return {};
  }

  // The driver's places are those of one GPU: where a parameter has an alignment of 64, it counts
  // from the window that they lie in. Ours are those of the PTX.
  bool put_in_place(WholeParameter& one, const std::vector<int>& starts) const {
    if (starts.size() != list_.places.size()) return false;
    const auto behind = std::upper_bound(starts.begin(), starts.end(), one.offset);
    if (behind == starts.begin()) return false;
    const auto number = static_cast<size_t>(behind - starts.begin() - 1);
    const int inside = one.offset - starts[number];
    one.offset = list_.places[number].offset + inside;
    return inside + one.bytes <= list_.places[number].bytes;
  }

  Status take_raw() {
    if (facts_.raw_parameters.empty()) return {};
    PHASEBIT_TRY_ASSIGN(bytes, base::read_file(facts_.raw_parameters));
    if (bytes.size() != static_cast<size_t>(list_.bytes))
      return missing(fmt::format("{} has {} bytes, and its parameters are {}",
                                 facts_.raw_parameters, bytes.size(), list_.bytes),
                     "--params FILE: the bytes of all parameters, as the kernel takes them");
    WholeParameter all;
    all.name = facts_.raw_parameters;
    all.kind = Kind::raw;
    all.bytes = list_.bytes;
    for (const char byte : bytes)
      all.raw += fmt::format("{:02x}", static_cast<unsigned char>(byte));
    if (!all.raw.empty()) whole_.parameters.push_back(std::move(all));
    return {};
  }

  Status take(Result<WholeParameter> one) {
    if (!one) return missing(one.error().message, one.error().hint);
    whole_.parameters.push_back(std::move(*one));
    return {};
  }

  Status take_assignments() {
    for (const std::string& text : facts_.parameters)
      PHASEBIT_TRY(take(read_assignment(list_, text)));
    for (const std::string& text : facts_.tensor_maps)
      PHASEBIT_TRY(take(read_tensor_map(list_, text)));
    return {};
  }

  Status ask_for_rest() const {
    const auto& said = whole_.parameters;
    for (size_t n = 0; n < list_.places.size(); ++n) {
      const Place& place = list_.places[n];
      const auto touches = [&](const WholeParameter& one) {
        return one.offset < place.offset + place.bytes && place.offset < one.offset + one.bytes;
      };
      if (!has_captured_ && std::none_of(said.begin(), said.end(), touches))
        return missing(
            fmt::format("parameter {} ({}) has no value", n, place.text),
            place.is_array
                ? fmt::format("--param {0}=bytes:DIGITS, --param {0}+BYTES=TYPE:VALUE, "
                              "--tensor-map {0}=..., or --params FILE for all",
                              n)
                : fmt::format("--param {0}=VALUE, {0}=buffer:BYTES[:fill] or {0}=items", n));
    }
    const auto is_items = [](const WholeParameter& one) { return one.kind == Kind::items; };
    if (facts_.no_figure || std::any_of(said.begin(), said.end(), is_items)) return {};
    return missing("no parameter is the number of items, and its figure is a slope over them",
                   "--param NAME=items, or --no-figure for a guarded run alone");
  }

  Status read_size(const char* name, const std::string& text, Size& into) const {
    into = {1, 1, 1};
    std::istringstream words(text);
    std::string word;
    for (int& one : into) {
      if (!std::getline(words, word, ',')) break;
      const auto number = whole_number<int>(word);
      if (!number || *number < 1)
        return missing(fmt::format("--{} {} is no size", name, text), "X[,Y[,Z]], each 1 or more");
      one = *number;
    }
    return {};
  }

  // Of block or cluster. `known`: whether somebody has said it already.
  Status take_size(const char* name, const std::string& text, bool known,
                   const std::optional<Size>& stated, bool required, Size& into) const {
    if (!text.empty())
      PHASEBIT_TRY(read_size(name, text, into));
    else if (!known && stated)
      into = *stated;
    if (required && into != *stated)
      return missing(fmt::format("a {} of {}, and the file says it must be {}", name,
                                 fmt::join(into, ","), fmt::join(*stated, ",")),
                     fmt::format("leave --{} out", name));
    return {};
  }

  Status take_shape(const Stated& stated) {
    if (facts_.grid.empty() && !has_captured_)
      return missing("nobody says its grid", "--grid X[,Y[,Z]]");
    if (!facts_.grid.empty()) PHASEBIT_TRY(read_size("grid", facts_.grid, whole_.grid));
    if (facts_.block.empty() && !has_captured_ && !stated.block)
      return missing("nobody says its block", "--block X[,Y[,Z]]");
    PHASEBIT_TRY(take_size("block", facts_.block, has_captured_, stated.block,
                           stated.block_is_required, whole_.block));
    PHASEBIT_TRY(take_size("cluster", facts_.cluster, has_captured_, stated.cluster,
                           stated.cluster_is_required, whole_.cluster));
    if (stated.most_threads && whole_.threads() > *stated.most_threads)
      return missing(fmt::format("a block of {} threads, and the file says {} at most",
                                 whole_.threads(), *stated.most_threads),
                     "--block: fewer, or change .maxntid");
    if (!has_captured_) whole_.shared_bytes = stated.shared_bytes.value_or(0);
    if (facts_.shared_bytes) whole_.shared_bytes = *facts_.shared_bytes;
    return {};
  }

  const ptx::PtxFile& file_;
  const ptx::PtxFunction& entry_;
  const WholeFacts& facts_;
  ParameterList list_;
  WholeLaunch whole_;
  bool has_captured_ = false;
};

}  // namespace

bool WholeFacts::empty() const {
  return parameters.empty() && tensor_maps.empty() && raw_parameters.empty() && captured.empty() &&
         grid.empty() && block.empty() && cluster.empty() && !shared_bytes && !no_figure;
}

Result<WholeLaunch> whole_launch(const ptx::PtxFile& file, const ptx::PtxFunction& entry,
                                 const fs::path& path, const WholeFacts& facts) {
  return FactReader(file, entry, facts).read(path);
}

}  // namespace phasebit::pipeline::launch
