#include "pipeline/launch/assignment.h"

#include "core/base/nearest.h"

#include <algorithm>
#include <bit>
#include <sstream>

namespace phasebit::pipeline::launch {

using image::WholeParameter;
using Kind = WholeParameter::Kind;

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

  Result<WholeParameter> read() {
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

  Result<WholeParameter> items(const std::string& word) {
    const auto type = word.empty() ? Type{place_.is_float, place_.is_array ? 4 : place_.bytes}
                                   : type_named(word).value_or(Type{});
    if (type.is_float || (type.bytes != 4 && type.bytes != 8) || type.bytes > place_.bytes)
      return wrong("for a whole number of 4 or 8 bytes", number_forms);
    made_.kind = Kind::items;
    made_.bytes = type.bytes;
    return std::move(made_);
  }

  Result<WholeParameter> buffer(const std::string& rest) {
    made_.kind = Kind::buffer;
    if (place_.is_array ? place_.bytes < 8 : place_.bytes != 8)
      return wrong("an address, and those are 8 bytes", number_forms);
    made_.bytes = 8;
    const size_t colon = rest.find(':');  // "random:7" is one fill
    const auto bytes = whole_number<std::uint64_t>(rest.substr(0, colon));
    const auto known = image::BufferFill::of_text(
        colon == std::string::npos ? std::string("zero") : rest.substr(colon + 1));
    if (!bytes || *bytes == 0 || !known)
      return wrong("not buffer:BYTES[:fill]",
                   fmt::format("the fill is {}", image::BufferFill::forms));
    made_.buffer = {
        place_.is_array ? fmt::format("{}@{}", place_.name, place_.offset) : place_.name, *bytes,
        *known};
    return std::move(made_);
  }

  Result<WholeParameter> raw(const std::string& digits) {
    const auto bytes = image::bytes_of_hex(digits);
    if (!bytes || bytes->empty() || bytes->size() > static_cast<size_t>(place_.bytes))
      return wrong("no bytes of it",
                   fmt::format("two hexadecimal digits each, at most {} bytes", place_.bytes));
    made_.kind = Kind::raw;
    made_.bytes = static_cast<int>(bytes->size());
    made_.raw = digits;
    return std::move(made_);
  }

  Result<WholeParameter> number(const std::string& text, const Type& type) {
    const auto bits = bits_of(text, type);
    const bool fits = bits && type.bytes <= place_.bytes;
    if (!fits) return wrong("no number of its type", number_forms);
    made_.value = *bits;
    made_.bytes = type.bytes;
    return std::move(made_);
  }

  const Place& place_;
  std::string value_;
  WholeParameter made_;
};

// "PLACE=REST" in two.
Result<std::pair<std::string, std::string>> halves_of(const char* option, const std::string& text,
                                                      const char* forms) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals + 1 == text.size())
    return with_hint(fail(Step::usage, "{} {} is no assignment", option, text), forms);
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

Result<image::tensor::TensorMap> map_of(const std::vector<std::string>& parts) {
  image::tensor::TensorMap map;
  PHASEBIT_TRY(read_word(parts[0], "element", map.element));
  if (!read_list(parts[1], map.sizes) || !read_list(parts[2], map.strides) ||
      !read_list(parts[3], map.box))
    return with_hint(fail(Step::usage, "'{},{},{}' are no whole numbers with an x between them",
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

Result<WholeParameter> read_assignment(const ParameterList& list, const std::string& text) {
  PHASEBIT_TRY_ASSIGN(
      halves, halves_of("--param", text, "NAME=VALUE, NAME=buffer:BYTES[:fill] or NAME=items"));
  PHASEBIT_TRY_ASSIGN(place, list.find(halves.first));
  return Assignment(place, halves.second).read();
}

Result<WholeParameter> read_tensor_map(const ParameterList& list, const std::string& text) {
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
  WholeParameter made;
  made.name = place.name;
  made.kind = Kind::tensor_map;
  made.offset = place.offset;
  made.bytes = static_cast<int>(image::MapBytes{}.size());
  if (place.bytes < made.bytes)
    return fail(Step::usage, "--tensor-map {}: {} bytes are left of parameter {} ({}), not {}",
                text, place.bytes, place.name, place.text, made.bytes);
  constexpr int map_alignment = 64;
  if (place.alignment % map_alignment != 0)
    return with_hint(fail(Step::usage, "--tensor-map {}: parameter {} ({}) is aligned to {} bytes",
                          text, place.name, place.text, place.alignment),
                     "a kernel takes a map at a multiple of 64: __grid_constant__ CUtensorMap");
  map->name = map->buffer = fmt::format("{}@{}", place.name, place.offset);
  if (const auto wrong = image::tensor::complaint_about(*map, INT64_MAX))
    return with_hint(fail(Step::usage, "--tensor-map {}: {}: {}", text, wrong->key, wrong->what),
                     wrong->hint);
  made.buffer = {map->buffer, static_cast<std::uint64_t>(tensor_bytes(*map)), {}};
  made.map = std::move(*map);
  return made;
}

}  // namespace phasebit::pipeline::launch
