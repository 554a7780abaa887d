#include "pipeline/reduce/reduce.h"

#include "analysis/compare/summary.h"
#include "core/base/interrupt.h"
#include "core/base/nearest.h"
#include "gen/reduce/reduce.h"
#include "pipeline/images/images.h"
#include "pipeline/reduce/sides.h"
#include "pipeline/reduce/text.h"

#include <algorithm>
#include <cstdlib>

namespace phasebit::pipeline::reduce {

using flow::CountIn;
using flow::OpcodeCensus;
using images::Prepared;
using phasebit::reduce::FlatKernel;
using phasebit::reduce::ReducedKernel;
using ptxas::Kernel;

namespace {

using Clock = std::chrono::steady_clock;
using Counts = std::map<std::string, int>;

// The opcode that differs most, of those that only one side has where there are any: these tell
// more than one move or add the less. "" when none differs.
std::string most_different(const Counts& a, const Counts& b) {
  Counts all = a;
  all.insert(b.begin(), b.end());
  std::string best;
  std::pair<bool, int> most{false, 0};
  for (const auto& [opcode, unused] : all) {
    const auto in_a = a.find(opcode), in_b = b.find(opcode);
    const int left = in_a == a.end() ? 0 : in_a->second, right = in_b == b.end() ? 0 : in_b->second;
    const std::pair<bool, int> how{left == 0 || right == 0, std::abs(left - right)};
    if (how.second == 0 || how <= most) continue;
    most = how;
    best = opcode;
  }
  return best;
}

Counts counts_of(const OpcodeCensus& census, CountIn where) {
  Counts counts;
  for (const auto& [opcode, count] : census.opcodes)
    if (count.of(where) > 0) counts[opcode] = count.of(where);
  return counts;
}

class DifferenceReducer {
 public:
  DifferenceReducer(const Prepared& prepared, ReduceSides sides, const ReduceRequest& request)
      : prepared_(prepared), sides_(std::move(sides)), request_(request) {
    reduction_.opcode = request.opcode;
    reduction_.where = request.where;
  }

  Result<Reduction> run() {
    PHASEBIT_TRY(read_first());
    PHASEBIT_TRY(choose_opcode());
    PHASEBIT_TRY(check_difference());
    PHASEBIT_TRY_ASSIGN(flat, phasebit::reduce::flatten(prepared_.kernel));
    if (!still_shows({flat}).front())
      return fail(Step::assemble,
                  "{}: without inner blocks its text does not show the difference any more",
                  variant_);
    return confirm(reduce_it(flat));
  }

 private:
  Clock::duration elapsed() const { return Clock::now() - began_; }

  Status read_first() {
    for (const std::size_t side : {0U, 1U}) {
      auto code = sides_.code_of(side, prepared_.kernel);
      if (!code) return named(code.error());
      auto census = flow::take_opcode_census(*code);
      if (!census) return named(census.error());
      first_[side] = std::move(*code);
      census_[side] = std::move(*census);
    }
    return {};
  }
  tl::unexpected<Error> named(Error error) const {
    error.message = fmt::format("{}: {}", variant_, error.message);
    return tl::unexpected<Error>(std::move(error));
  }

  Counts hot_opcodes(std::size_t side) const {
    const image::SourceMap& source = prepared_.kernel.source;
    return compare::hot_code(
               flow::take_features(first_[side], source, flow::find_windows(first_[side], source)))
        .opcodes;
  }

  // Where it was not asked for: of the hot path, else of all loops, else of the kernel.
  Status choose_opcode() {
    std::string& opcode = reduction_.opcode;
    if (opcode.empty()) {
      opcode = most_different(hot_opcodes(0), hot_opcodes(1));
      if (census_[0].count(opcode).of(request_.where) ==
          census_[1].count(opcode).of(request_.where))
        opcode.clear();
    }
    for (const CountIn where : {CountIn::loops, CountIn::kernel}) {
      if (!opcode.empty()) return {};
      opcode = most_different(counts_of(census_[0], where), counts_of(census_[1], where));
      reduction_.where = where;
    }
    if (!opcode.empty()) return {};
    return fail(Step::usage, "{}: {} and {} make as many of every opcode of it", variant_,
                sides_.name(0), sides_.name(1));
  }

  Status check_difference() {
    const std::string& opcode = reduction_.opcode;
    for (const std::size_t side : {0U, 1U}) {
      ReducedSide& out = reduction_.sides[side];
      out.name = sides_.name(side);
      out.arguments = sides_.arguments(side);
      out.first = census_[side].count(opcode);
      PHASEBIT_TRY_ASSIGN(banner, sides_.banner(side));
      out.banner = std::move(banner);
    }
    const flow::OpcodeTally a = reduction_.sides[0].first, b = reduction_.sides[1].first;
    if (a.kernel == 0 && b.kernel == 0) return no_such_opcode();
    const int left = a.of(reduction_.where), right = b.of(reduction_.where);
    if (left == right) {
      const bool elsewhere = reduction_.where == CountIn::loops && a.kernel != b.kernel;
      return with_hint(fail(Step::usage, "{}: {} {} {}: {} by {}, {} by {}", variant_, opcode,
                            flow::to_string(reduction_.where), "does not differ", left,
                            sides_.name(0), right, sides_.name(1)),
                       elsewhere ? fmt::format("in the kernel they are {} and {}: give --anywhere",
                                               a.kernel, b.kernel)
                                 : "");
    }
    more_ = left > right ? 0 : 1;
    in_kernel_too_ = (left > right) ? a.kernel > b.kernel : b.kernel > a.kernel;
    for (const std::size_t side : {0U, 1U})
      words_[side] = flow::OpcodeWords::learn({&first_[0], &first_[1]}, {&first_[side]}, opcode);
    return {};
  }

  Status no_such_opcode() const {
    std::set<std::string> opcodes;
    for (const OpcodeCensus& census : census_)
      for (const auto& [opcode, count] : census.opcodes) opcodes.insert(opcode);
    return with_hint(
        fail(Step::usage, "--opcode {}: neither side has one in {}", reduction_.opcode, variant_),
        base::nearest_word_hint(reduction_.opcode, {opcodes.begin(), opcodes.end()}));
  }

  // Of OpcodeTally or WordCount. Where the first text has more in the kernel too, so has every
  // other, so that counting the lines of a listing shows it.
  template <typename Tally>
  bool differs(const Tally& a, const Tally& b) const {
    const Tally &more = more_ == 0 ? a : b, &less = more_ == 0 ? b : a;
    return more.of(reduction_.where) > less.of(reduction_.where) &&
           (!in_kernel_too_ || more.kernel > less.kernel);
  }
  bool differs(const std::array<OpcodeCensus, 2>& both) const {
    return differs(both[0].count(reduction_.opcode), both[1].count(reduction_.opcode));
  }

  std::vector<Kernel> kernels_of(const std::vector<FlatKernel>& candidates) const {
    std::vector<Kernel> kernels;
    for (std::size_t i = 0; i < candidates.size(); ++i)
      kernels.push_back(
          phasebit::reduce::as_kernel(candidates[i], fmt::format("pb_candidate_{}", i)));
    return kernels;
  }

  // A loop that nothing leaves shows little, unless the first text has one. Of OpcodeCensus or
  // WordCount.
  template <typename Counts>
  bool gains_endless_loop(const Counts& both) const {
    return (both[0].has_endless_loop && !census_[0].has_endless_loop) ||
           (both[1].has_endless_loop && !census_[1].has_endless_loop);
  }

  // By nvdisasm.
  std::vector<bool> still_shows(const std::vector<FlatKernel>& candidates) {
    std::vector<bool> shows;
    for (const ReduceSides::Both& both : sides_.census(kernels_of(candidates)))
      shows.push_back(both && differs(*both) && !gains_endless_loop(*both));
    return shows;
  }
  // By the words.
  std::vector<bool> seems_to_show(const std::vector<FlatKernel>& candidates) const {
    std::vector<bool> shows;
    for (const ReduceSides::Estimates& both : sides_.estimate(kernels_of(candidates), words_))
      shows.push_back(both && differs((*both)[0], (*both)[1]) && !gains_endless_loop(*both));
    return shows;
  }

  // By the words as long as nvdisasm says the same of the result; from the start by nvdisasm where
  // it does not, or where the words show nothing.
  ReducedKernel reduce_it(const FlatKernel& flat) {
    const Clock::time_point until = Clock::now() + request_.seconds;
    const phasebit::reduce::ReduceLimits limits{
        [until] { return base::interrupted() || Clock::now() > until; }};
    std::size_t tried = 0;
    if (seems_to_show({flat}).front()) {
      ReducedKernel reduced = phasebit::reduce::reduce(
          flat, [&](const auto& candidates) { return seems_to_show(candidates); }, limits);
      if (still_shows({reduced.kernel}).front()) return reduced;
      tried = reduced.tried;
    }
    ReducedKernel reduced = phasebit::reduce::reduce(
        flat, [&](const auto& candidates) { return still_shows(candidates); }, limits);
    reduced.tried += tried;
    return reduced;
  }

  Result<Reduction> confirm(const ReducedKernel& reduced) {
    const Kernel kernel = phasebit::reduce::as_kernel(reduced.kernel, "reduced");
    const std::string text = reduced_module(kernel);
    std::array<OpcodeCensus, 2> last;
    for (const std::size_t side : {0U, 1U}) {
      PHASEBIT_TRY_ASSIGN(code, sides_.code_of_text(side, text));
      PHASEBIT_TRY_ASSIGN(census, flow::take_opcode_census(code));
      reduction_.sides[side].last = census.count(reduction_.opcode);
      last[side] = std::move(census);
    }
    if (!differs(last))
      return fail(Step::assemble, "{}: the reduced text does not show it by itself", variant_);
    reduction_.finished = reduced.finished;
    reduction_.candidates = reduced.tried;
    reduction_.first_statements = prepared_.kernel.statements.size();
    reduction_.last_statements = kernel.statements.size();
    reduction_.first_bytes = reduced_module(prepared_.kernel).size();
    reduction_.last_bytes = text.size();
    reduction_.seconds = std::chrono::duration<double>(elapsed()).count();
    reduction_.text = reduction_header(reduction_, variant_, request_.file) + text;
    return std::move(reduction_);
  }

  const Clock::time_point began_ = Clock::now();
  const Prepared& prepared_;
  const std::string variant_ = ptxas::text_key(prepared_.key).id;  // without its choice of ptxas
  ReduceSides sides_;
  const ReduceRequest& request_;
  Reduction reduction_;
  std::array<cubin::SassKernel, 2> first_;
  std::array<OpcodeCensus, 2> census_;  // of first_
  std::size_t more_ = 0;                // the side that has more
  bool in_kernel_too_ = false;          // not in loops alone
  std::array<flow::OpcodeWords, 2> words_;
};

}  // namespace

Result<Reduction> reduce_difference(images::Tools& tools, const Prepared& prepared,
                                    const std::array<ReduceSide, 2>& sides,
                                    const ReduceRequest& request) {
  PHASEBIT_TRY_ASSIGN(opened, ReduceSides::open(tools, sides));
  return DifferenceReducer(prepared, std::move(opened), request).run();
}

}  // namespace phasebit::pipeline::reduce
