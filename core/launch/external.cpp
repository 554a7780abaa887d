#include "core/launch/external.h"

#include "core/base/fields_toml.h"
#include "core/base/file.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace phasebit::launch {

using ParameterKind = ExternalParameter::Kind;

namespace {

using Complaint = std::optional<std::string>;

constexpr int map_bytes = static_cast<int>(MapBytes{}.size());
constexpr int address_bytes = 8;

std::optional<int> digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return {};
}

bool has_buffer(const ExternalParameter& one) {
  return one.kind == ParameterKind::buffer || one.kind == ParameterKind::tensor_map;
}

Complaint complaint_about_buffer(const ExternalParameter& one) {
  if (one.buffer.bytes == 0) return fmt::format("buffer {} of 0 bytes", one.buffer.name);
  if (one.at < one.buffer.bytes) return {};
  return fmt::format("parameter {} points to byte {} of buffer {}, which has {}", one.name, one.at,
                     one.buffer.name, one.buffer.bytes);
}

Complaint complaint_about_map(const ExternalParameter& one) {
  if (!one.map || one.bytes != map_bytes)
    return fmt::format("parameter {} is not a tensor map: {} bytes, not {}", one.name, one.bytes,
                       map_bytes);
  if (const Complaint wrong = complaint_about_buffer(one)) return wrong;
  const auto room = static_cast<std::int64_t>(one.buffer.bytes - one.at);
  if (const auto wrong = tensor::complaint_about(*one.map, room))
    return fmt::format("tensor map {}: {}: {} ({})", one.name, wrong->key, wrong->what,
                       wrong->hint);
  return {};
}

Complaint complaint_about(const ExternalParameter& one, int parameter_bytes) {
  if (one.bytes < 1 || one.offset < 0 || one.bytes > parameter_bytes ||
      one.offset > parameter_bytes - one.bytes)
    return fmt::format("parameter {} of {} bytes at {}, past the {} bytes of all", one.name,
                       one.bytes, one.offset, parameter_bytes);
  const auto wrong_size = [&](const char* what) {
    return fmt::format("parameter {} of {} bytes is not a {}", one.name, one.bytes, what);
  };
  switch (one.kind) {
    case ParameterKind::value:
      if (one.bytes > address_bytes) return wrong_size("value");
      return {};
    case ParameterKind::items:
      if (one.bytes != 4 && one.bytes != 8) return wrong_size("number of items");
      return {};
    case ParameterKind::buffer:
      if (one.bytes != address_bytes) return wrong_size("address");
      return complaint_about_buffer(one);
    case ParameterKind::raw:
      if (const auto bytes = bytes_of_hex(one.raw);
          bytes && bytes->size() == static_cast<std::size_t>(one.bytes))
        return {};
      return wrong_size("place for its raw bytes");
    case ParameterKind::tensor_map: return complaint_about_map(one);
  }
  bug("unknown kind of parameter");
}

Complaint complaint_about(const ExternalContents& one, const std::vector<Buffer>& buffers) {
  const auto buffer = std::find_if(buffers.begin(), buffers.end(),
                                   [&](const Buffer& known) { return known.name == one.buffer; });
  if (buffer == buffers.end())
    return fmt::format("contents of buffer {}, which no parameter points to", one.buffer);
  if (one.bytes == 0 || one.at > buffer->bytes || one.bytes > buffer->bytes - one.at)
    return fmt::format("contents of {} bytes at {} of buffer {}, which has {}", one.bytes, one.at,
                       one.buffer, buffer->bytes);
  const fs::path file(one.file);
  const bool leaves =
      std::any_of(file.begin(), file.end(), [](const fs::path& part) { return part == ".."; });
  if (file.filename().empty() || file.is_absolute() || leaves)
    return fmt::format("contents of buffer {} in '{}', which is not a file in the same folder",
                       one.buffer, one.file);
  return {};
}

}  // namespace

const std::vector<std::string>& words_of(ExternalParameter::Kind /*kind*/) {
  static const std::vector<std::string> words = {"value", "buffer", "items", "raw", "tensor_map"};
  return words;
}

std::optional<std::string> complaint_about(const ExternalLaunch& external) {
  for (const auto& size : {external.grid, external.block, external.cluster})
    if (*std::min_element(size.begin(), size.end()) < 1)
      return fmt::format("a size of {}", fmt::join(size, ","));
  if (external.ctas() > std::numeric_limits<int>::max())
    return fmt::format("a grid of {} CTAs", external.ctas());
  if (external.threads() > most_threads_of_cta)
    return fmt::format("a block of {} threads, {} at most", external.threads(),
                       most_threads_of_cta);
  if (external.ctas_of_cluster() > most_ctas_of_cluster)
    return fmt::format("a cluster of {} CTAs, {} at most", external.ctas_of_cluster(),
                       most_ctas_of_cluster);
  for (std::size_t n = 0; n < external.grid.size(); ++n)
    if (external.grid[n] % external.cluster[n] != 0)
      return fmt::format("a grid of {} is not made of clusters of {}",
                         fmt::join(external.grid, ","), fmt::join(external.cluster, ","));
  if (external.parameter_bytes < 0 || external.parameter_bytes > most_parameter_bytes)
    return fmt::format("{} bytes of parameters, {} at most", external.parameter_bytes,
                       most_parameter_bytes);
  const std::vector<int>& starts = external.starts;
  if (!std::is_sorted(starts.begin(), starts.end()) ||
      (starts.empty() ? external.parameter_bytes > 0
                      : starts.front() < 0 || starts.back() >= external.parameter_bytes))
    return fmt::format("parameters that begin at {} of {} bytes", fmt::join(starts, ", "),
                       external.parameter_bytes);
  std::vector<Buffer> buffers;
  for (const ExternalParameter& one : external.parameters) {
    if (auto wrong = complaint_about(one, external.parameter_bytes)) return wrong;
    if (!has_buffer(one)) continue;
    for (const Buffer& other : buffers)
      if (other.name == one.buffer.name && !(other == one.buffer))
        return fmt::format("two buffers of the name {}", other.name);
    buffers.push_back(one.buffer);
  }
  for (const ExternalContents& one : external.contents)
    if (auto wrong = complaint_about(one, buffers)) return wrong;
  return {};
}

std::vector<Buffer> buffers_of(const ExternalLaunch& external) {
  std::vector<Buffer> buffers;
  for (const ExternalParameter& one : external.parameters) {
    if (has_buffer(one) && place_of(one, buffers) == buffers.size()) buffers.push_back(one.buffer);
  }
  return buffers;
}

std::size_t place_of(const ExternalParameter& one, const std::vector<Buffer>& buffers) {
  const auto same = [&](const Buffer& other) { return other.name == one.buffer.name; };
  return static_cast<std::size_t>(std::find_if(buffers.begin(), buffers.end(), same) -
                                  buffers.begin());
}

std::optional<std::vector<std::byte>> bytes_of_hex(std::string_view digits) {
  if (digits.size() % 2 != 0) return {};
  std::vector<std::byte> bytes;
  for (std::size_t n = 0; n < digits.size(); n += 2) {
    const auto high = digit_of(digits[n]), low = digit_of(digits[n + 1]);
    if (!high || !low) return {};
    bytes.push_back(static_cast<std::byte>(16 * *high + *low));
  }
  return bytes;
}

std::vector<std::byte> parameter_block(const ExternalLaunch& external, std::uint32_t items,
                                       const std::vector<std::uint64_t>& addresses,
                                       const std::vector<MapBytes>& maps) {
  std::vector<std::byte> block(static_cast<std::size_t>(external.parameter_bytes));
  const std::vector<Buffer> buffers = buffers_of(external);
  std::size_t map = 0;
  const auto put = [&](const ExternalParameter& one, const void* from) {
    std::memcpy(&block[static_cast<std::size_t>(one.offset)], from,
                static_cast<std::size_t>(one.bytes));
  };
  for (const ExternalParameter& one : external.parameters) {
    std::uint64_t bits = one.value;  // little-endian, as the GPU is
    switch (one.kind) {
      case ParameterKind::value: break;
      case ParameterKind::items: bits = items; break;
      case ParameterKind::buffer: bits = addresses[place_of(one, buffers)] + one.at; break;
      case ParameterKind::raw: put(one, bytes_of_hex(one.raw)->data()); continue;
      case ParameterKind::tensor_map: put(one, maps[map++].data()); continue;
    }
    put(one, &bits);
  }
  return block;
}

namespace {

constexpr const char* table = "launch";

CapturedLaunch read_launch(base::TomlReader& reader) {
  CapturedLaunch made;
  base::must_have(reader, "kernel", "write `kernel = \"NAME\"`: the entry's name");
  made.kernel = reader.text_or("kernel", {});
  made.times = base::toml_number(reader, "times", 1, 1);
  made.registers = base::toml_number(reader, "registers", 0, 0);
  base::read_fields(reader, made.launch);
  if (!reader.status()) return made;
  if (const auto wrong = complaint_about(made.launch)) reader.refuse("kernel", *wrong);
  return made;
}

}  // namespace

Result<std::vector<CapturedLaunch>> read_launch_file(const fs::path& path) {
  PHASEBIT_TRY_ASSIGN(toml, base::read_toml(path));
  return read_launches(toml, path.string());
}

Result<std::vector<CapturedLaunch>> read_launches(const base::TomlValue& toml,
                                                  const std::string& file) {
  Status status;
  base::TomlReader top(file, toml, "the file", {table}, status);
  std::vector<std::string> keys = base::toml_keys<ExternalLaunch>();
  keys.insert(keys.begin(), {"kernel", "times", "registers"});
  std::vector<CapturedLaunch> launches;
  for (const base::TomlValue* one : top.tables(table)) {
    base::TomlReader reader(file, *one, table, keys, status);
    launches.push_back(read_launch(reader));
  }
  PHASEBIT_TRY(status);
  if (launches.empty()) return with_hint(fail(Step::spec, "{}: no launch", file), "[[launch]]");
  return launches;
}

std::string launch_file_text(const std::vector<CapturedLaunch>& launches,
                             const std::string& made_by) {
  std::string text = fmt::format("# {}\n", made_by);
  for (const CapturedLaunch& one : launches) {
    text += fmt::format("\n[[{}]]\nkernel = {}\ntimes = {}\n", table, base::in_quotes(one.kernel),
                        one.times);
    if (one.registers > 0) text += fmt::format("registers = {}\n", one.registers);
    base::write_fields(one.launch, "", [&](const char* key, const auto& value) {
      if constexpr (base::is_list_of_tables<std::remove_cvref_t<decltype(value)>>) {
        text += fmt::format("{} = [\n", key);
        for (const auto& each : value) text += fmt::format("  {},\n", base::toml_of(each));
        text += "]\n";
      } else {
        text += fmt::format("{} = {}\n", key, base::toml_of(value));
      }
    });
  }
  return text;
}

}  // namespace phasebit::launch
