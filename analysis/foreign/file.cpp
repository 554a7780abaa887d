#include "analysis/foreign/file.h"

#include "analysis/foreign/fatbin.h"
#include "core/base/process.h"

#include <algorithm>
#include <cstring>
#include <sstream>

#include <elf.h>

namespace phasebit {
namespace {

bool is_cubin(std::string_view bytes) {
  std::uint16_t machine = 0;
  if (!bytes.starts_with(ELFMAG) || bytes.size() < 20) return false;
  std::memcpy(&machine, bytes.data() + 18, sizeof machine);  // e_machine
  return machine == EM_CUDA;
}

// The file names of "Extracting ELF file    1: k.sm_90a.cubin".
std::vector<std::string> names_in(const std::string& output) {
  std::vector<std::string> names;
  std::istringstream in(output);
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("Extracting ELF file"))
      if (const std::size_t colon = line.find(": "); colon != std::string::npos)
        names.push_back(line.substr(colon + 2));
  return names;
}

std::string first_line(const ProcessOutput& output) {
  const std::string& text = output.err.empty() ? output.out : output.err;
  return text.substr(0, text.find('\n'));
}

class Unpacker {
 public:
  Unpacker(std::string path, fs::path cuobjdump)
      : path_(std::move(path)), program_(std::move(cuobjdump)) {}

  // Adds the cubins of one fatbin.
  Status unpack(std::string_view fatbin, CodeFile& into) {
    PHASEBIT_TRY_ASSIGN(folder, TempDir::create());
    const fs::path file = folder.path() / "in.fatbin", out = folder.path() / "out";
    PHASEBIT_TRY(write_file(file, fatbin));
    fs::create_directory(out);
    PHASEBIT_TRY_ASSIGN(output, run({"-xelf", "all", file.string()}, out));
    const std::vector<std::string> names = names_in(output);
    if (names.empty()) return note_ptx(file, out);
    for (const std::string& name : names) {
      ++count_;
      if (std::count(names.begin(), names.end(), name) > 1) {
        into.notes.push_back(fmt::format(
            "{}: {}: {}: one of several images of this name in one fatbin", path_, count_, name));
        continue;
      }
      auto bytes = read_file(out / name);
      if (!bytes)
        return fail(Step::toolchain, "{}: cuobjdump said {}, but: {}", path_, name,
                    bytes.error().message);
      into.images.push_back(
          {fmt::format("{}: {}: {}", path_, count_, name), std::move(*bytes), {}});
    }
    return {};
  }
  bool saw_ptx() const { return saw_ptx_; }

 private:
  Result<std::string> run(std::vector<std::string> arguments, const fs::path& folder) const {
    arguments.insert(arguments.begin(), program_.string());
    ProcessOptions options;
    options.working_directory = folder.string();
    options.timeout = std::chrono::minutes(2);
    auto output = run_process(arguments, options);
    if (!output)
      return with_hint(fail(Step::toolchain, "{}: {}", path_, output.error().message),
                       "tools/toolchain installs cuobjdump");
    if (!output->ok())
      return fail(Step::toolchain, "{}: cuobjdump {}: {}", path_, output->how_it_ended(),
                  first_line(*output));
    return output->out;
  }
  Status note_ptx(const fs::path& file, const fs::path& out) {
    PHASEBIT_TRY_ASSIGN(listed, run({"-lptx", file.string()}, out));
    saw_ptx_ = saw_ptx_ || listed.find("PTX file") != std::string::npos;
    return {};
  }

  std::string path_;
  fs::path program_;
  int count_ = 0;
  bool saw_ptx_ = false;
};

// Whether the code of this SM can be read.
Status check_sm(const CodeImage& image, const TargetTable& targets) {
  const std::string name = fmt::format("sm_{}", image.cubin.sm);
  const auto target = targets.find(name);
  if (target && !target->family.empty()) return {};
  constexpr int oldest = 75;
  if (image.cubin.sm < oldest)
    return fail(Step::disassemble, "{}: code for {}; sm_{} is the oldest that can be read",
                image.name, name, oldest);
  return fail(Step::disassemble,
              "{}: code for {}, an architecture that phasebit does not know: not in "
              "core/isa/targets.toml",
              image.name, name);
}

Status read_image(CodeImage& image, const TargetTable& targets) {
  PHASEBIT_TRY_ASSIGN(cubin, read_cubin_or_stub(image.bytes, image.name));
  image.cubin = std::move(cubin);
  return check_sm(image, targets);
}

// Reads the images; what cannot be read becomes a note, what has no kernel is dropped.
void read_images(CodeFile& file, const TargetTable& targets) {
  std::vector<CodeImage> readable;
  for (CodeImage& image : file.images)
    if (const Status read = read_image(image, targets); !read)
      file.notes.push_back(read.error().message);
    else if (!image.cubin.kernels.empty())
      readable.push_back(std::move(image));
  file.images = std::move(readable);
}

Result<CodeFile> read_cubin_file(const std::string& path, std::string&& bytes,
                                 const TargetTable& targets) {
  CodeFile file{path, {{path, std::move(bytes), {}}}, {}};
  PHASEBIT_TRY(read_image(file.images.front(), targets));
  if (file.images.front().cubin.kernels.empty())
    return fail(Step::disassemble, "{}: no kernel in it", path);
  return file;
}

}  // namespace

Result<CodeFile> read_code_file(const fs::path& path, const fs::path& cuobjdump,
                                const TargetTable& targets) {
  PHASEBIT_TRY_ASSIGN(bytes, read_file(path));
  const std::string name = path.string();
  if (is_cubin(bytes)) return read_cubin_file(name, std::move(bytes), targets);
  PHASEBIT_TRY_ASSIGN(fatbins, find_fatbins(bytes, name));
  if (cuobjdump.empty())
    return with_hint(fail(Step::toolchain, "{}: there is no cuobjdump to unpack it", name),
                     "tools/toolchain installs cuobjdump");
  CodeFile file{name, {}, {}};
  Unpacker unpacker(file.path, cuobjdump);
  for (const std::string_view fatbin : fatbins) PHASEBIT_TRY(unpacker.unpack(fatbin, file));
  read_images(file, targets);
  if (!file.images.empty()) return file;
  if (!file.notes.empty()) return fail(Step::disassemble, "{}", file.notes.front());
  if (unpacker.saw_ptx())
    return with_hint(
        fail(Step::disassemble, "{}: PTX only: no machine code to read", file.path),
        fmt::format("cuobjdump -xptx all {} takes it out, ptxas assembles it", file.path));
  return fail(Step::disassemble, "{}: no kernel in it", file.path);
}

}  // namespace phasebit
