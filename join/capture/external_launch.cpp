#include "join/capture/external_launch.h"

#include "core/base/saturated.h"
#include "core/base/text.h"
#include "join/capture/captured.h"

#include <algorithm>
#include <bit>
#include <sstream>

#include <nlohmann/json.hpp>

namespace phasebit::join::capture {

using launch::ExternalLaunch;
using launch::ExternalParameter;

using Kind = ExternalParameter::Kind;

namespace {

class FactReader {
 public:
  FactReader(const ptx::PtxFile& file, const ptx::PtxFunction& entry, const ExternalFacts& facts)
      : file_(file), entry_(entry), facts_(facts), list_(parameters_of(entry)) {}

  Result<ExternalLaunch> read(const fs::path& path) {
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
    launch::CapturedLaunch& found = *own;
    for (ExternalParameter& one : found.launch.parameters)
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
  bool put_in_place(ExternalParameter& one, const std::vector<int>& starts) const {
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
    ExternalParameter all;
    all.name = facts_.raw_parameters;
    all.kind = Kind::raw;
    all.bytes = list_.bytes;
    for (const char byte : bytes)
      all.raw += fmt::format("{:02x}", static_cast<unsigned char>(byte));
    if (!all.raw.empty()) whole_.parameters.push_back(std::move(all));
    return {};
  }

  Status take(Result<ExternalParameter> one) {
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
      const auto touches = [&](const ExternalParameter& one) {
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
    const auto is_items = [](const ExternalParameter& one) { return one.kind == Kind::items; };
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
        return missing(fmt::format("--{} {} is not a size", name, text),
                       "X[,Y[,Z]], each 1 or more");
      one = *number;
    }
    return {};
  }

  // Of block or cluster. `known`: whether it was said already.
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
      return missing("its grid is not given", "--grid X[,Y[,Z]]");
    if (!facts_.grid.empty()) PHASEBIT_TRY(read_size("grid", facts_.grid, whole_.grid));
    if (facts_.block.empty() && !has_captured_ && !stated.block)
      return missing("its block is not given", "--block X[,Y[,Z]]");
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
  const ExternalFacts& facts_;
  ParameterList list_;
  ExternalLaunch whole_;
  bool has_captured_ = false;
};

}  // namespace

bool ExternalFacts::empty() const {
  return parameters.empty() && tensor_maps.empty() && raw_parameters.empty() && captured.empty() &&
         grid.empty() && block.empty() && cluster.empty() && !shared_bytes && !no_figure;
}

Result<ExternalLaunch> external_launch(const ptx::PtxFile& file, const ptx::PtxFunction& entry,
                                       const fs::path& path, const ExternalFacts& facts) {
  return FactReader(file, entry, facts).read(path);
}

namespace {

constexpr const char* number_forms = "a whole number, 0x..., or a decimal number for .f32 and .f64";

// A type of PTX with its letter and bytes: "u32", "f64".
struct Type {
  bool is_float = false;
  int bytes = 0;
};
std::optional<Type> type_named(std::string_view word) {
  if (word.size() < 2 || std::string_view("busf").find(word[0]) == std::string_view::npos)
    return {};
  const auto bits = whole_number<int>(word.substr(1));
  const bool is_float = word[0] == 'f';
  if (!bits || (*bits != 8 && *bits != 16 && *bits != 32 && *bits != 64)) return {};
  if (is_float && *bits < 32) return {};
  return Type{is_float, *bits / 8};
}

// The bits of a number as a parameter of this type holds it.
std::optional<std::uint64_t> bits_of(const std::string& text, const Type& type) {
  if (type.is_float) {
    char* end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    if (end == text.c_str() || *end != 0 || (type.bytes != 4 && type.bytes != 8)) return {};
    return type.bytes == 4 ? std::bit_cast<std::uint32_t>(static_cast<float>(number))
                           : std::bit_cast<std::uint64_t>(number);
  }
  if (type.bytes > 8) return {};
  if (!text.starts_with('-')) return whole_number<std::uint64_t>(text);
  const auto number = whole_number<std::int64_t>(text);
  if (!number) return {};
  return static_cast<std::uint64_t>(*number);
}

std::vector<std::string> parts_of(const std::string& text, char mark) {
  std::vector<std::string> parts;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, mark);) parts.push_back(word);
  return parts;
}

class Assignment {
 public:
  Assignment(const Place& place, std::string value) : place_(place), value_(std::move(value)) {
    made_.name = place.name;
    made_.offset = place.offset;
    made_.bytes = place.bytes;
  }

  Result<ExternalParameter> read() {
    const size_t colon = value_.find(':');
    const std::string word = value_.substr(0, colon);
    const std::string rest = colon == std::string::npos ? "" : value_.substr(colon + 1);
    if (word == "items") return items(rest);
    if (word == "buffer") return buffer(rest);
    if (word == "bytes") return raw(rest);
    if (const auto type = type_named(word); type && colon != std::string::npos)
      return number(rest, *type);
    if (place_.is_array)
      return wrong("bytes of a struct or an array, and a value there needs a type",
                   "PLACE=u32:5, PLACE=f32:0.5, PLACE=buffer:BYTES, PLACE=bytes:DIGITS");
    return number(value_, {place_.is_float, place_.bytes});
  }

 private:
  tl::unexpected<Error> wrong(const char* what, std::string hint) const {
    return with_hint(
        fail(Step::usage, "parameter {} ({}): '{}' is {}", place_.name, place_.text, value_, what),
        std::move(hint));
  }

  Result<ExternalParameter> items(const std::string& word) {
    const auto type = word.empty() ? Type{place_.is_float, place_.is_array ? 4 : place_.bytes}
                                   : type_named(word).value_or(Type{});
    if (type.is_float || (type.bytes != 4 && type.bytes != 8) || type.bytes > place_.bytes)
      return wrong("for a whole number of 4 or 8 bytes", number_forms);
    made_.kind = Kind::items;
    made_.bytes = type.bytes;
    return std::move(made_);
  }

  Result<ExternalParameter> buffer(const std::string& rest) {
    made_.kind = Kind::buffer;
    if (place_.is_array ? place_.bytes < 8 : place_.bytes != 8)
      return wrong("an address, and those are 8 bytes", number_forms);
    made_.bytes = 8;
    const size_t colon = rest.find(':');  // "random:7" is one fill
    const auto bytes = whole_number<std::uint64_t>(rest.substr(0, colon));
    const auto known = launch::BufferFill::of_text(
        colon == std::string::npos ? std::string("zero") : rest.substr(colon + 1));
    if (!bytes || *bytes == 0 || !known)
      return wrong("not buffer:BYTES[:fill]",
                   fmt::format("the fill is {}", launch::BufferFill::forms));
    made_.buffer = {
        place_.is_array ? fmt::format("{}@{}", place_.name, place_.offset) : place_.name, *bytes,
        *known};
    return std::move(made_);
  }

  Result<ExternalParameter> raw(const std::string& digits) {
    const auto bytes = launch::bytes_of_hex(digits);
    if (!bytes || bytes->empty() || bytes->size() > static_cast<size_t>(place_.bytes))
      return wrong("no bytes of it",
                   fmt::format("two hexadecimal digits each, at most {} bytes", place_.bytes));
    made_.kind = Kind::raw;
    made_.bytes = static_cast<int>(bytes->size());
    made_.raw = digits;
    return std::move(made_);
  }

  Result<ExternalParameter> number(const std::string& text, const Type& type) {
    const auto bits = bits_of(text, type);
    const bool fits = bits && type.bytes <= place_.bytes;
    if (!fits) return wrong("no number of its type", number_forms);
    made_.value = *bits;
    made_.bytes = type.bytes;
    return std::move(made_);
  }

  const Place& place_;
  std::string value_;
  ExternalParameter made_;
};

// "PLACE=REST" in two.
Result<std::pair<std::string, std::string>> halves_of(const char* option, const std::string& text,
                                                      const char* forms) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals + 1 == text.size())
    return with_hint(fail(Step::usage, "{} {} is not an assignment", option, text), forms);
  return std::pair(text.substr(0, equals), text.substr(equals + 1));
}

constexpr const char* map_forms =
    "PLACE=ELEMENT,SIZES,STRIDES,BOX,SWIZZLE,INTERLEAVE: for example "
    "64=f16,4096x512,8192,64x128,128B,none";

// "4096x512"
template <typename Number>
bool read_list(const std::string& text, std::vector<Number>& into) {
  for (const std::string& one : parts_of(text, 'x')) {
    const auto number = whole_number<Number>(one);
    if (!number) return false;
    into.push_back(*number);
  }
  return true;
}

template <typename Word>
Status read_word(const std::string& text, const char* what, Word& into) {
  const auto value = base::value_of_word<Word>(text);
  if (value) return void(into = *value), Status{};
  return with_hint(fail(Step::usage, "no {} '{}'", what, text),
                   base::nearest_word_hint(text, words_of(into)));
}

Result<launch::tensor::TensorMap> map_of(const std::vector<std::string>& parts) {
  launch::tensor::TensorMap map;
  PHASEBIT_TRY(read_word(parts[0], "element", map.element));
  if (!read_list(parts[1], map.sizes) || !read_list(parts[2], map.strides) ||
      !read_list(parts[3], map.box))
    return with_hint(fail(Step::usage, "'{},{},{}' are not whole numbers with an x between them",
                          parts[1], parts[2], parts[3]),
                     map_forms);
  PHASEBIT_TRY(read_word(parts[4], "swizzle", map.swizzle));
  PHASEBIT_TRY(read_word(parts[5], "interleave", map.interleave));
  return map;
}

// Of a number all parameters' bytes are counted, unless a parameter has that name.
Result<Place> place_of_map(const ParameterList& list, const std::string& words) {
  const auto offset = whole_number<int>(words);
  if (!offset) return list.find(words);
  for (const Place& one : list.places)
    if (one.offset <= *offset && *offset < one.offset + one.bytes) {
      Place place = one;
      place.bytes -= *offset - one.offset;
      place.offset = *offset;
      return place;
    }
  return fail(Step::usage, "no parameter has byte {} of the {} of all", *offset, list.bytes);
}

}  // namespace

Result<ExternalParameter> read_assignment(const ParameterList& list, const std::string& text) {
  PHASEBIT_TRY_ASSIGN(
      halves, halves_of("--param", text, "NAME=VALUE, NAME=buffer:BYTES[:fill] or NAME=items"));
  PHASEBIT_TRY_ASSIGN(place, list.find(halves.first));
  return Assignment(place, halves.second).read();
}

Result<ExternalParameter> read_tensor_map(const ParameterList& list, const std::string& text) {
  PHASEBIT_TRY_ASSIGN(halves, halves_of("--tensor-map", text, map_forms));
  const std::vector<std::string> parts = parts_of(halves.second, ',');
  constexpr size_t most_parts = 6;
  if (parts.size() != most_parts)
    return with_hint(
        fail(Step::usage, "--tensor-map {} has {} parts, not {}", text, parts.size(), most_parts),
        map_forms);
  PHASEBIT_TRY_ASSIGN(place, place_of_map(list, halves.first));
  auto map = map_of(parts);
  if (!map)
    return with_hint(fail(Step::usage, "--tensor-map {}: {}", text, map.error().message),
                     map.error().hint);
  ExternalParameter made;
  made.name = place.name;
  made.kind = Kind::tensor_map;
  made.offset = place.offset;
  made.bytes = static_cast<int>(launch::MapBytes{}.size());
  if (place.bytes < made.bytes)
    return fail(Step::usage, "--tensor-map {}: {} bytes are left of parameter {} ({}), not {}",
                text, place.bytes, place.name, place.text, made.bytes);
  constexpr int map_alignment = 64;
  if (place.alignment % map_alignment != 0)
    return with_hint(fail(Step::usage, "--tensor-map {}: parameter {} ({}) is aligned to {} bytes",
                          text, place.name, place.text, place.alignment),
                     "a kernel takes a map at a multiple of 64: __grid_constant__ CUtensorMap");
  map->name = map->buffer = fmt::format("{}@{}", place.name, place.offset);
  if (const auto wrong = launch::tensor::complaint_about(*map, INT64_MAX))
    return with_hint(fail(Step::usage, "--tensor-map {}: {}: {}", text, wrong->key, wrong->what),
                     wrong->hint);
  made.buffer = {map->buffer, static_cast<std::uint64_t>(tensor_bytes(*map)), {}};
  made.map = std::move(*map);
  return made;
}

namespace {

using nlohmann::json;

Size size_of(const ptx::PtxStatement& directive) {
  Size size{1, 1, 1};
  const std::vector<int> numbers = ptx::numbers_of(directive);
  for (size_t n = 0; n < size.size() && n < numbers.size(); ++n) size[n] = numbers[n];
  return size;
}

void read_directives(const ptx::PtxFile& file, const ptx::PtxFunction& entry, Stated& stated) {
  for (const size_t index : entry.directives) {
    const ptx::PtxStatement& directive = file.statements[index].parsed;
    const Size size = size_of(directive);
    if (directive.name == ".reqntid") {
      stated.block = size;
      stated.block_is_required = true;
    } else if (directive.name == ".maxntid") {
      stated.most_threads = base::saturated_product(size);
    } else if (directive.name == ".reqnctapercluster") {
      stated.cluster = size;
      stated.cluster_is_required = true;
    }
  }
}

// A size: a whole number that a launch may have somewhere.
std::optional<int> size_in(const json& value) {
  constexpr std::int64_t most = 1 << 24;
  if (!value.is_number_integer()) return {};
  const auto number = value.get<std::int64_t>();
  if (number < 0 || number > most) return {};
  return static_cast<int>(number);
}

// Of a key of Triton's; nothing where there is none.
std::optional<int> number_of(const json& facts, const char* key) {
  const auto found = facts.find(key);
  return found == facts.end() ? std::nullopt : size_in(*found);
}

// Triton counts warps, the bytes of shared memory, and the CTAs of a cluster. Older ones say the
// cluster as cluster_dims.
void read_triton(const json& facts, Stated& stated) {
  const auto warps = number_of(facts, "num_warps"), shared = number_of(facts, "shared");
  if (!warps || !shared) return;
  constexpr int warp_threads = 32;
  if (!stated.block) stated.block = Size{warp_threads * *warps, 1, 1};
  stated.shared_bytes = shared;
  if (stated.cluster) return;
  if (const auto dims = facts.find("cluster_dims"); dims != facts.end() && dims->is_array()) {
    Size size{1, 1, 1};
    for (size_t n = 0; n < size.size() && n < dims->size(); ++n)
      size[n] = size_in((*dims)[n]).value_or(1);
    stated.cluster = size;
  } else if (const auto ctas = number_of(facts, "num_ctas")) {
    stated.cluster = Size{*ctas, 1, 1};
  }
}

}  // namespace

Result<Stated> stated_launch(const ptx::PtxFile& file, const ptx::PtxFunction& entry,
                             const fs::path& path) {
  Stated stated;
  read_directives(file, entry, stated);
  fs::path beside = path;
  beside.replace_extension(".json");
  std::error_code ignored;
  if (!fs::is_regular_file(beside, ignored)) return stated;
  PHASEBIT_TRY_ASSIGN(text, base::read_file(beside));
  const json facts = json::parse(text, nullptr, false);
  if (facts.is_discarded())
    return with_hint(fail(Step::spec, "{} is not JSON", beside.string()),
                     "Triton's facts of the kernel are taken from it: move it away, or mend it");
  if (facts.is_object() && facts.value("name", json()) == entry.name) read_triton(facts, stated);
  return stated;
}

}  // namespace phasebit::join::capture
