#include "analysis/protocol/check.h"
#include "core/ptx/flow/stuck.h"

#include <optional>

#include <fmt/format.h>

namespace phasebit::protocol {

using ptx::PtxStatement;
using ptx::flow::literal_number;
using ptx::run::FindingKind;
using ptx::run::Grade;

namespace {

class TextChecker {
 public:
  TextChecker(const ptx::PtxFile& file, const ptx::PtxFunction& entry, int threads)
      : file_(file), entry_(entry), threads_(threads) {}

  std::vector<Checked::Found> check() {
    for (at_ = entry_.open; at_ < entry_.close; ++at_) {
      const PtxStatement& one = file_.statements[at_].parsed;
      if (one.part != PtxStatement::Part::instruction) continue;
      check_registers(one);
      check_numbered(one);
      check_mbarrier(one);
      check_tensor_memory(one);
    }
    check_pairs();
    return std::move(found_);
  }

 private:
  void complain(std::size_t at, FindingKind kind, std::string what) {
    const ptx::PlacedStatement& statement = file_.statements[at];
    std::string text = ptx::plain_text(statement.text);
    while (text.ends_with(';')) text.pop_back();
    found_.push_back(
        {kind, Grade::error, {file_.place(statement), text, "", "", std::move(what)}, {}});
  }

  void check_registers(const PtxStatement& one) {
    if (!one.name.starts_with("setmaxnreg")) return;
    const auto wanted = literal_number(one.operand(0));
    if (!wanted) return;
    if (*wanted < 24 || *wanted > 256 || *wanted % 8 != 0)
      complain(at_, FindingKind::range,
               fmt::format("{} registers: a multiple of 8 from 24 to 256 is possible", *wanted));
  }

  void check_numbered(const PtxStatement& one) {
    const bool is_numbered =
        one.name.starts_with("bar.sync") || one.name.starts_with("bar.arrive") ||
        one.name.starts_with("barrier.sync") || one.name.starts_with("barrier.arrive") ||
        one.name.starts_with("bar.cta") || one.name.starts_with("barrier.cta");
    if (!is_numbered) return;
    if (const auto number = literal_number(one.operand(0)); number && *number > 15)
      complain(at_, FindingKind::range,
               fmt::format("barrier {}: numbers go from 0 to 15", *number));
    const auto count = literal_number(one.operand(1));
    if (!count) return;
    if (*count % 32 != 0 || *count == 0)
      complain(at_, FindingKind::range,
               fmt::format("{} threads at a barrier: a multiple of 32 is possible", *count));
    else if (*count > (threads_ + 31) / 32 * 32)
      complain(at_, FindingKind::named,
               fmt::format("a barrier for {} threads, of a CTA that has {}", *count, threads_));
  }

  void check_mbarrier(const PtxStatement& one) {
    constexpr long most = (1L << 20) - 1;
    if (one.name.starts_with("mbarrier.init")) {
      if (const auto count = literal_number(one.operand(1)); count && (*count < 1 || *count > most))
        complain(at_, FindingKind::range,
                 fmt::format("an mbarrier for {} arrivals: 1 to {} are possible", *count, most));
    }
    const bool expects = one.name.find("expect_tx") != std::string::npos;
    if (expects && !expects_) expects_ = at_;
    if (one.name.find("_wait") != std::string::npos) waits_ = true;
    if (one.name.starts_with("mbarrier.arrive") || one.name.find(".commit") != std::string::npos ||
        one.name.starts_with("cp.async.mbarrier.arrive") || one.name.starts_with("call"))
      arrives_ = true;
  }

  void check_tensor_memory(const PtxStatement& one) {
    if (one.name.starts_with("tcgen05.dealloc") || one.name.starts_with("call")) gives_back_ = true;
    if (!one.name.starts_with("tcgen05.alloc")) return;
    if (!allocates_) allocates_ = at_;
    const auto columns = literal_number(one.operand(1));
    if (columns && (*columns < 32 || *columns > 512 || (*columns & (*columns - 1)) != 0))
      complain(at_, FindingKind::range,
               fmt::format("{} columns of Tensor Memory: 32, 64, 128, 256 and 512 are possible",
                           *columns));
  }

  void check_pairs() {
    if (expects_ && waits_ && !arrives_)
      complain(
          *expects_, FindingKind::counts,
          "bytes are expected, and nothing in the kernel arrives on a barrier: its phase never "
          "completes");
    if (allocates_ && !gives_back_)
      complain(*allocates_, FindingKind::range, "Tensor Memory that no tcgen05.dealloc gives back");
  }

  const ptx::PtxFile& file_;
  const ptx::PtxFunction& entry_;
  int threads_;
  std::size_t at_ = 0;
  std::optional<std::size_t> expects_, allocates_;
  bool waits_ = false, arrives_ = false, gives_back_ = false;
  std::vector<Checked::Found> found_;
};

}  // namespace

std::vector<Checked::Found> check_text(const ptx::PtxFile& file, const ptx::PtxFunction& entry,
                                       int threads) {
  return TextChecker(file, entry, threads).check();
}

}  // namespace phasebit::protocol
