#include "analysis/foreign/file.h"

#include "analysis/foreign/packed/fatbin.h"
#include "analysis/foreign/packed/images.h"
#include "core/base/parallel.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>

#include <elf.h>
#include <fmt/format.h>

namespace phasebit::foreign {

using isa::TargetTable;
using packed::ImageList;
using packed::MappedFile;
using packed::PackedImage;

namespace {

// Whether the code of this SM can be read.
Status check_sm(const cubin::Cubin& cubin, const TargetTable& targets) {
  const std::string name = fmt::format("sm_{}", cubin.sm);
  const auto target = targets.find(name);
  if (target && !target->family.empty()) return {};
  constexpr int oldest = 75;
  if (cubin.sm < oldest)
    return fail(Step::disassemble,
                "code for {}; sm_{} is the oldest that can be read (nvdisasm 12.9 is the last that "
                "prints it)",
                name, oldest);
  return fail(Step::disassemble,
              "code for {}, an architecture that phasebit does not know: not in "
              "core/isa/targets.toml{}",
              name,
              cubin.tool_version.empty()
                  ? ""
                  : fmt::format(" (nvdisasm {} or newer prints it)", cubin.tool_version));
}

bool is_relocatable(std::string_view bytes) {
  std::uint16_t type = 0;
  if (bytes.size() >= 18) std::memcpy(&type, bytes.data() + 16, sizeof type);  // e_type
  return type == ET_REL;
}

// -G leaves no stall count in any instruction.
bool is_debug_build(const cubin::Cubin& cubin) {
  constexpr std::size_t least = 16;  // fewer may happen to have no such bits
  std::size_t instructions = 0;
  for (const cubin::CubinKernel& kernel : cubin.kernels)
    for (std::size_t i = 0; i < kernel.size(); ++i, ++instructions)
      if (cubin::decode_control(kernel.word(i)).stall_cycles != 0) return false;
  return instructions >= least;
}

std::string without(const std::string& message, const std::string& name) {
  return message.starts_with(name + ": ") ? message.substr(name.size() + 2) : message;
}

struct ReadImage {
  std::optional<CodeImage> image;
  std::string problem;
};

ReadImage read_image(CodeImage image, const TargetTable& targets) {
  auto cubin = cubin::read_cubin_outline(image.bytes, image.name);
  if (!cubin) return {std::nullopt, without(cubin.error().message, image.name)};
  image.cubin = std::move(*cubin);
  if (const Status known = check_sm(image.cubin, targets); !known)
    return {std::nullopt, known.error().message};
  image.relocatable = is_relocatable(image.bytes);
  return {std::move(image), ""};
}

class FileReader {
 public:
  FileReader(std::shared_ptr<const MappedFile> file, std::string path, fs::path cuobjdump,
             const TargetTable& targets)
      : file_(std::move(file)), unpacker_(std::move(cuobjdump)), targets_(targets) {
    result_.path = std::move(path);
  }

  Result<CodeFile> read_cubin() {
    ReadImage read = read_image({result_.path, file_->bytes(), {}, false, file_}, targets_);
    if (!read.image) return fail(Step::disassemble, "{}: {}", result_.path, read.problem);
    if (read.image->cubin.kernels.empty())
      return fail(Step::disassemble, "{}: no kernel in it", result_.path);
    add_remark(*read.image);
    result_.images.push_back(std::move(*read.image));
    finish();
    return std::move(result_);
  }

  Result<CodeFile> read_packed(const ImageList& list, const std::vector<std::string>& only) {
    for (const std::string& problem : list.problems)
      notes_.push_back({result_.path, without(problem, result_.path)});
    const std::vector<const PackedImage*> chosen = choose(list, only);
    std::vector<ReadImage> read(chosen.size());
    base::parallel_for(chosen.size(), 0, [&](std::size_t i) { read[i] = open(*chosen[i]); });
    for (std::size_t i = 0; i < read.size(); ++i) {
      if (!read[i].problem.empty()) notes_.push_back({chosen[i]->name, read[i].problem});
      if (!read[i].image || read[i].image->cubin.kernels.empty()) continue;
      add_remark(*read[i].image);
      result_.images.push_back(std::move(*read[i].image));
    }
    finish();
    if (result_.images.empty() && result_.unopened.empty()) PHASEBIT_TRY(say_why(list));
    return std::move(result_);
  }

 private:
  std::vector<const PackedImage*> choose(const ImageList& list,
                                         const std::vector<std::string>& only) {
    std::set<int> wanted, linked;
    for (const std::string& target : only)
      if (const auto parsed = isa::parse_target(target)) wanted.insert(parsed->sm);
    for (const PackedImage& image : list.images)
      if (list.linked && !image.relocatable) linked.insert(image.member.sm);
    std::vector<const PackedImage*> chosen;
    std::set<std::string> unopened;
    for (const PackedImage& image : list.images) {
      const int sm = image.member.sm;  // 0 of a cubin, which says so inside
      if (sm != 0 && !wanted.empty() && wanted.count(sm) == 0)
        unopened.insert(image.member.target);
      else if (image.relocatable && linked.count(sm) != 0)
        notes_.push_back(
            {image.name, "relocatable; linked images of the same architecture hold the code"});
      else
        chosen.push_back(&image);
    }
    result_.unopened.assign(unopened.begin(), unopened.end());
    return chosen;
  }

  ReadImage open(const PackedImage& packed) const {
    if (packed.member.packing == packed::FatbinMember::Packing::none)
      return read_image({packed.name, packed.member.payload, {}, false, file_}, targets_);
    auto bytes = unpacker_.unpack(packed.member);
    if (!bytes) return {std::nullopt, bytes.error().message};
    const auto kept = std::make_shared<const std::string>(std::move(*bytes));
    return read_image({packed.name, *kept, {}, false, kept}, targets_);
  }

  void add_remark(const CodeImage& image) {
    if (is_debug_build(image.cubin))
      remarks_.push_back(
          {image.name, "built with -G: every stall count is 0, so issue cycles say nothing"});
  }

  void finish() {
    result_.notes = fold_notes(result_.path, notes_);
    result_.remarks = fold_notes(result_.path, remarks_);
  }

  Status say_why(const ImageList& list) const {
    const std::string& path = result_.path;
    if (!result_.notes.empty()) return fail(Step::disassemble, "{}", result_.notes.front());
    if (list.lto > 0)
      return with_hint(fail(Step::disassemble,
                            "{}: code for the linker (LTO) only: no machine code to read", path),
                       "link it, nvcc -dlto -arch=sm_90a ..., and name what that makes");
    if (list.ptx > 0)
      return with_hint(
          fail(Step::disassemble, "{}: PTX only: no machine code to read", path),
          fmt::format("cuobjdump -xptx all {} takes it out, ptxas assembles it", path));
    return fail(Step::disassemble, "{}: no kernel in it", path);
  }

  std::shared_ptr<const MappedFile> file_;
  packed::Unpacker unpacker_;
  const TargetTable& targets_;
  std::vector<ImageNote> notes_, remarks_;
  CodeFile result_;
};

}  // namespace

Result<CodeFile> read_code_file(const fs::path& path, const fs::path& cuobjdump,
                                const TargetTable& targets, const std::vector<std::string>& only) {
  PHASEBIT_TRY_ASSIGN(file, MappedFile::open(path));
  const std::string name = path.string();
  FileReader reader(file, name, cuobjdump, targets);
  if (packed::is_cubin(file->bytes())) return reader.read_cubin();
  PHASEBIT_TRY_ASSIGN(list, packed::list_images(file->bytes(), name));
  return reader.read_packed(list, only);
}

std::vector<std::string> fold_notes(const std::string& file, const std::vector<ImageNote>& notes,
                                    const std::string& what) {
  struct SameNote {
    const ImageNote* first = nullptr;
    std::size_t count = 0;
  };
  std::vector<SameNote> groups;
  for (const ImageNote& note : notes) {
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const SameNote& group) {
      return group.first->text == note.text;
    });
    if (same == groups.end())
      groups.push_back({&note, 1});
    else
      ++same->count;
  }
  std::vector<std::string> all;
  for (const auto& [first, count] : groups)
    all.push_back(count == 1 ? fmt::format("{}: {}", first->image, first->text)
                             : fmt::format("{}: {} {}: {} (the first: {})", file, count, what,
                                           first->text, first->image));
  return all;
}

}  // namespace phasebit::foreign
