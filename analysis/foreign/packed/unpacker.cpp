#include "analysis/foreign/packed/unpacker.h"

#include "core/base/process.h"

#include <string_view>

namespace phasebit::foreign::packed {
namespace {

// The file name of "Extracting ELF file    1: k.sm_90a.cubin"; "" when there is none.
std::string_view name_in(std::string_view output) {
  const std::size_t begin = output.find("Extracting ELF file");
  const std::size_t colon = begin == std::string_view::npos ? begin : output.find(": ", begin);
  if (colon == std::string_view::npos) return "";
  const std::string_view rest = output.substr(colon + 2);
  return rest.substr(0, rest.find('\n'));
}

std::string first_line(const base::ProcessOutput& output) {
  const std::string& text = output.err.empty() ? output.out : output.err;
  return text.substr(0, text.find('\n'));
}

}  // namespace

Result<std::string> Unpacker::unpack(const FatbinMember& member) const {
  auto bytes = packed::unpack(member);
  if (bytes || member.packing != FatbinMember::Packing::other) return bytes;
  if (program_.empty())
    return fail(Step::toolchain,
                "packed in a way that phasebit does not know, and there is no cuobjdump");
  return run(member);
}

Result<std::string> Unpacker::run(const FatbinMember& member) const {
  PHASEBIT_TRY_ASSIGN(folder, base::TempDir::create());
  const fs::path file = folder.path() / "in.fatbin", out = folder.path() / "out";
  PHASEBIT_TRY(base::write_file(file, alone(member)));
  fs::create_directory(out);
  base::ProcessOptions options;
  options.working_directory = out.string();
  options.timeout = std::chrono::minutes(2);
  PHASEBIT_TRY_ASSIGN(
      output, base::run_process({program_.string(), "-xelf", "all", file.string()}, options));
  if (!output.ok())
    return fail(Step::toolchain, "cuobjdump {}: {}", output.how_it_ended(), first_line(output));
  const std::string_view name = name_in(output.out);
  if (name.empty()) return fail(Step::toolchain, "cuobjdump finds no image in it");
  auto bytes = base::read_file(out / name);
  if (!bytes)
    return fail(Step::toolchain, "cuobjdump said {}, but: {}", name, bytes.error().message);
  return bytes;
}

}  // namespace phasebit::foreign::packed
