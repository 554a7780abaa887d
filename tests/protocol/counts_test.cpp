// Executions of small kernels, counted by hand.
#include "analysis/protocol/counts.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using protocol::Counted;
using protocol::Counting;
using protocol::Equality;
using protocol::Window;

namespace {

// What may be put into the kernel.
struct Parts {
  std::string wait =
      "L_wait:\nmbarrier.try_wait.parity.shared.b64 done, [ring], parity;\n"
      "@!done bra L_wait;\n";
  std::string advance, after;
};

// 32 threads that arrive on one barrier and wait for it, item after item.
std::string kernel_of(const Parts& parts) {
  return ".version 8.0\n.target sm_90\n.address_size 64\n"
         ".visible .entry small(.param .u32 items, .param .u64 samples, .param .u64 sums)\n{\n"
         ".shared .align 128 .b8 ring[4352];\n.reg .b32 n, item, parity, turn, word;\n"
         ".reg .f32 a, b;\n.reg .b64 first, last, early, late, record;\n"
         ".reg .pred done, more, leads, odd;\nmov.f32 a, 0f3F800000;\nmov.f32 b, a;\n"
         "ld.param.u64 record, [samples];\n"
         "mov.u32 turn, %tid.x;\nsetp.eq.u32 leads, turn, 0;\n"
         "ld.param.u32 n, [items];\n@leads mbarrier.init.shared.b64 [ring], 32;\n"
         "bar.sync 0;\nmov.u32 item, 0;\nmov.u32 parity, 0;\n"
         "// [consumer clock_start] a.ptx:1\nmov.u64 first, %clock64;\n"
         "mov.u64 early, %globaltimer;\n"
         "// [consumer] a.ptx:1\nL_item:\n"
         "// [consumer commit] a.ptx:1\nmbarrier.arrive.shared.b64 _, [ring];\n"
         "// [consumer wait] a.ptx:1\n" +
         parts.wait + "// [consumer advance] a.ptx:1\n" + parts.advance +
         "xor.b32 parity, parity, 1;\nadd.u32 item, item, 1;\n"
         "// [consumer] a.ptx:2\nsetp.lt.u32 more, item, n;\n@more bra L_item;\n"
         "// [consumer clock_end] a.ptx:1\nmov.u64 last, %clock64;\n"
         "mov.u64 late, %globaltimer;\n"
         "// [consumer] a.ptx:3\n" +
         parts.after + "exit;\n}\n";
}

Counted counted(const Parts& parts, bool lies = false) {
  const auto file = ptx::read_ptx(kernel_of(parts), "small.ptx");
  EXPECT_TRUE(file) << file.error().text();
  const std::vector<ptx::head::HeadBarrier> barriers = {{"full", "mbarrier", 0, 8, 1, 32}};
  const auto launch = [](std::uint32_t items) -> Result<ptx::run::RunLaunch> {
    ptx::run::RunLaunch made;
    made.block = {32, 1, 1};
    made.buffers = {{"samples", 128, {}}, {"sums", 128, {}}};
    ptx::run::put_parameter(made, 0, items, 4);
    ptx::run::put_parameter(made, 8, ptx::run::address_of_buffer(0), 8);
    ptx::run::put_parameter(made, 16, ptx::run::address_of_buffer(1), 8);
    return made;
  };
  return protocol::count_executions({*file, *file->entries().front(), barriers, launch, 4, lies});
}

std::vector<std::string> differs(const Parts& parts, Equality equality) {
  const Counted own = counted(parts);
  EXPECT_EQ(own.why_not, "");
  return differences(own, counted({}), equality);
}

// 32 lanes and 4 items, then 8: of these each parity is waited for half of the time.
TEST(Counts, AreThoseOfTheLoop) {
  const Counted of = counted({});
  ASSERT_EQ(of.why_not, "");
  const auto count = [&](Counting counting, Window window, const char* verb, const char* what) {
    const auto found = of.counts.find({counting, window, verb, "consumer", what});
    return found == of.counts.end() ? std::pair<std::uint64_t, std::uint64_t>(0, 0)
                                    : std::pair(found->second.once, found->second.twice);
  };
  using Pair = std::pair<std::uint64_t, std::uint64_t>;
  for (const char* parity : {"0", "1"})
    EXPECT_EQ(
        count(Counting::synchronisation, Window::inside, "wait",
              fmt::format("mbarrier.try_wait full[0], parity {}, acquire.cta", parity).c_str()),
        Pair(64, 128));
  EXPECT_EQ(count(Counting::synchronisation, Window::inside, "commit",
                  "mbarrier.arrive full[0], count 1, release.cta"),
            Pair(128, 256));
  EXPECT_EQ(count(Counting::statements, Window::inside, "advance", "add.u32"), Pair(128, 256));
  EXPECT_EQ(count(Counting::statements, Window::inside, "", "bra"), Pair(128, 256));
  // The retry loop counts as one wait, whatever it took.
  EXPECT_EQ(count(Counting::statements, Window::inside, "wait", "bra"), Pair(0, 0));
  EXPECT_EQ(count(Counting::statements, Window::after, "", "exit"), Pair(32, 32));
}

// How often a loop tries is not known: what a try is made of counts, once for each wait.
TEST(Counts, OfTriesAreThoseOfTheirLoop) {
  const auto wait = [](const std::string& between) {
    return Parts{
        "L_wait:\nmbarrier.try_wait.parity.shared.b64 done, [ring], parity;\n"
        "@done bra L_done;\n" +
            between + "bra L_wait;\nL_done:\n",
        "", ""};
  };
  const auto found = [&](const std::string& between, Equality equality) {
    return differences(counted(wait(between)), counted(wait("")), equality);
  };
  EXPECT_TRUE(found("", Equality::all).empty());
  EXPECT_EQ(found("mad.lo.u32 turn, turn, turn, turn;\n", Equality::all),
            std::vector<std::string>{"wait (consumer): in its retry loop mad.lo.u32 is executed 32 "
                                     "times per item, in the template of its key 0"});
  const std::string three =
      "mul.lo.u32 turn, turn, 3;\nadd.u32 turn, turn, 1;\nadd.u32 turn, turn, 1;\n";
  EXPECT_TRUE(found(three, Equality::protocol).empty());
  EXPECT_EQ(found(three + "add.u32 turn, turn, 1;\n", Equality::protocol),
            std::vector<std::string>{
                "in retry loops 224 statements of lanes per item, in the template of its key 96: "
                "more than twice as many"});
  for (const Equality equality : {Equality::all, Equality::protocol})
    EXPECT_EQ(found("nanosleep.u32 100;\n", equality),
              std::vector<std::string>{"wait (consumer): in its retry loop nanosleep.u32 100 is "
                                       "executed 32 times per item, in the template of its key 0"});
}

// A wait whose loop another value ends is not one.
TEST(Counts, OfWaitsNeedATryThatDecides) {
  const auto wait = [](const std::string& between) {
    return Parts{"L_wait:\nmbarrier.try_wait.parity.shared.b64 done, [ring], parity;\n" + between +
                     "@!done bra L_wait;\n",
                 "", ""};
  };
  for (const char* between :
       {"or.pred done, done, odd;\n", "setp.eq.or.u32 done, parity, parity, done;\n",
        "selp.b32 turn, 1, 0, done;\nsetp.ne.u32 done, turn, 7;\n",
        "selp.b32 turn, 1, 1, done;\nsetp.eq.u32 done, turn, 1;\n",
        "setp.eq.u32 done, item, item;\n", "@done bra L_yes;\nbra L_out;\nL_yes:\n"}) {
    Parts parts = wait(between);
    parts.wait = "setp.eq.u32 odd, item, item;\n" + parts.wait + "L_out:\n";
    const auto found = differs(parts, Equality::protocol);
    ASSERT_FALSE(found.empty()) << between;
    EXPECT_EQ(found[0],
              "wait (consumer): mbarrier.try_wait full[0], parity 0, acquire.cta is executed 0 "
              "times per item, in the template of its key 16")
        << between;
  }
  for (const char* between : {"not.pred odd, done;\nnot.pred done, odd;\n",
                              "selp.b32 turn, 1, 0, done;\nsetp.ne.u32 done, turn, 0;\n",
                              "and.pred done, done, done;\n", "mov.pred odd, done;\n"})
    EXPECT_TRUE(differs(wait(between), Equality::protocol).empty()) << between;
}

// As many operations, of which fewer wait for another.
TEST(Counts, OfWorkHaveTheirChains) {
  const auto work = [](const std::string& first, const std::string& second) {
    const auto one = [](const std::string& to) {
      return fmt::format("fma.rn.f32 {0}, {0}, 0f3F000000, 0f3F000000;\n", to);
    };
    return counted({Parts().wait, one(first) + one(second), ""});
  };
  const Counted chain = work("a", "a");
  EXPECT_TRUE(differences(work("b", "b"), chain, Equality::all).empty());
  for (const Equality equality : {Equality::all, Equality::protocol})
    EXPECT_EQ(differences(work("a", "b"), chain, equality),
              std::vector<std::string>{
                  "advance (consumer): its longest chain of work grows by 32 steps of threads per "
                  "item, in the template of its key 64"});
}

const std::string record =
    "@leads st.global.v2.u64 [record], {first, last};\n"
    "@leads st.global.v2.u64 [record+16], {early, late};\n"
    "@leads st.global.v2.u32 [record+32], {item, turn};\n";

// 32 banks of 4 bytes. Of 8 bytes 16 lanes come at a time, of 16 bytes 8.
TEST(Counts, OfSharedMemoryHaveTheirWavefronts) {
  const struct {
    const char* what;
    const char *address, *load;
    std::uint64_t wavefronts;
  } rows[] = {
      {"word after word", "shl.b32 word, turn, 2;\n", "ld.shared.u32 item, [word];\n", 1},
      {"one word", "mov.u32 word, 0;\n", "ld.shared.u32 item, [word];\n", 1},
      {"two words of each bank", "shl.b32 word, turn, 3;\n", "ld.shared.u32 item, [word];\n", 2},
      {"one bank", "shl.b32 word, turn, 7;\n", "ld.shared.u32 item, [word];\n", 32},
      {"an offset", "shl.b32 word, turn, 2;\n", "ld.shared.u32 item, [word+64];\n", 1},
      {"8 bytes", "shl.b32 word, turn, 3;\n", "ld.shared.v2.u32 {item, n}, [word];\n", 2},
      {"16 bytes", "shl.b32 word, turn, 4;\n", "ld.shared.v4.u32 {item, n, item, n}, [word];\n", 4},
      {"16 bytes, eight lanes of four banks", "shl.b32 word, turn, 7;\n",
       "ld.shared.v4.u32 {item, n, item, n}, [word];\n", 32},
  };
  for (const auto& row : rows) {
    const std::string base = ".reg .b32 ring_at;\nmov.u32 ring_at, ring;\n";
    std::string load = row.load;
    Parts parts;
    parts.after =
        base + row.address + "add.u32 word, word, ring_at;\n" + "add.u32 word, word, 128;\n" + load;
    const Counted of = counted(parts);
    std::uint64_t found = 0;
    for (const auto& [key, pair] : of.counts)
      if (key.counting == Counting::wavefronts && key.what == "ld.shared") found += pair.once;
    EXPECT_EQ(found, row.wavefronts) << row.what << of.why_not;
  }
}

TEST(Counts, HoldTheRecordToTheClockReads) {
  EXPECT_TRUE(faults_of_records(counted({Parts().wait, "", record})).empty());
  const std::string late = "// [verify] a.ptx:9\n";
  const std::pair<std::string, std::string> rows[] = {
      {"mov.u64 last, 1000;\n" + record,
       "no verb (consumer), after its last clock read: '@leads st.global.v2.u64 [record], {first, "
       "last}' "
       "stores another clock_end than its verb has read"},
      {record + late + "@leads st.global.u32 [record+12], turn;\n",
       "verify (no role), after its last clock read: '@leads st.global.u32 [record+12], turn' "
       "stores to a "
       "record once more"},
      {record + late + "@leads red.global.add.u64 [record+8], 1;\n",
       "verify (no role), after its last clock read: '@leads red.global.add.u64 [record+8], 1' may "
       "change "
       "a record"},
      {record + "// [consumer clock_end] a.ptx:1\n@leads mov.u64 last, %clock64;\n",
       "clock_end (consumer), after its last clock read: '@leads mov.u64 last, %clock64' reads its "
       "clock "
       "once more"},
  };
  for (const auto& [after, said] : rows) {
    const auto found = faults_of_records(counted({Parts().wait, "", after}));
    ASSERT_FALSE(found.empty()) << after;
    EXPECT_EQ(found.back(), said);
  }
}

// The items are those of a counter, or of the launch.
TEST(Counts, HoldTheItemsToTheirCounter) {
  const Counted wanted = counted({Parts().wait, "", record});
  const Counted own = counted({Parts().wait, "", "mov.u32 item, n;\n" + record});
  for (const Equality equality : {Equality::all, Equality::protocol}) {
    const auto found = differences(own, wanted, equality);
    ASSERT_FALSE(found.empty());
    EXPECT_EQ(found[0].substr(0, found[0].find(" per item")),
              "no verb (no role), after its last clock read: the steps in which the items of the "
              "records are counted are 0");
  }
}

// What is read back and what is summed must decide what is recorded.
TEST(Counts, ShowWhatVerificationSees) {
  const auto verified = [](const std::string& sum, const std::string& errors) {
    return counted({Parts().wait, "ld.shared.u32 word, [ring+16];\n" + sum,
                    record +
                        "// [verify] a.ptx:9\n"
                        "mbarrier.test_wait.parity.shared.b64 odd, [ring], parity;\n"
                        "selp.b32 item, 1, 0, odd;\n" +
                        errors +
                        "@leads st.global.u32 [record+48], item;\n"
                        "mov.u32 word, %tid.x;\nmul.wide.u32 late, word, 4;\n"
                        "ld.param.u64 record, [sums];\nadd.u64 late, late, record;\n"
                        "st.global.u32 [late], turn;\n"},
                   true);
  };
  const std::string sums = "add.u32 turn, turn, word;\n";
  const Counted wanted = verified(sums, "");
  EXPECT_TRUE(
      differences(verified("add.u32 turn, word, turn;\n", ""), wanted, Equality::all).empty());
  EXPECT_EQ(differences(verified("add.u32 turn, turn, item;\n", ""), wanted, Equality::protocol),
            std::vector<std::string>{
                "no verb (no role), after its last clock read: words of the results that wrong "
                "payload changes are 0 in 4 items, in the template of its key 32"});
  const std::string unseen =
      "no verb (no role), after its last clock read: records that wrong answers of the barriers "
      "change";
  const std::string none = " are 0 in 4 items, in the template of its key 1";
  const std::vector<std::string> said{unseen + none, unseen + " where full is open" + none};
  EXPECT_EQ(differences(verified(sums, "and.b32 item, item, 0;\n"), wanted, Equality::protocol),
            said);
}

// After four phases the one of the next parity is open, the one before it complete. A text that
// asks for less than its template verifies less; one that asks for more may.
TEST(Counts, ShowEachAnswerThatVerificationAsksFor) {
  const auto verified = [](const std::string& asked) {
    return counted({Parts().wait, "",
                    record + "// [verify] a.ptx:9\nmov.u32 item, 0;\n" + asked +
                        "@leads st.global.u32 [record+48], item;\n"},
                   true);
  };
  const std::string test = "mbarrier.test_wait.parity.shared.b64 odd, [ring], parity;\n",
                    open = test + "@odd add.u32 item, item, 1;\n",
                    complete =
                        "xor.b32 parity, parity, 1;\n" + test + "@!odd add.u32 item, item, 1;\n";
  const Counted both = verified(open + complete);
  const auto missing = [](const std::string& is) {
    return std::vector<std::string>{
        "no verb (no role), after its last clock read: records that wrong answers of the barriers "
        "change where full is " +
        is + " are 0 in 4 items, in the template of its key 1"};
  };
  EXPECT_EQ(differences(verified(complete), both, Equality::protocol), missing("open"));
  EXPECT_EQ(differences(verified(open), both, Equality::protocol), missing("complete"));
  EXPECT_TRUE(differences(both, verified(open), Equality::protocol).empty());
}

TEST(Counts, NothingDiffersFromTheSame) {
  EXPECT_TRUE(differs({}, Equality::all).empty());
  EXPECT_TRUE(differs({}, Equality::protocol).empty());
  EXPECT_TRUE(growth_outside(counted({}), {launch::Role::consumer}).empty());
}

TEST(Counts, SayWhichOperationIsExecutedHowOften) {
  const Parts three = {"mov.u32 turn, 0;\nL_again:\n" + Parts().wait +
                           "add.u32 turn, turn, 1;\nsetp.lt.u32 more, turn, 3;\n"
                           "@more bra L_again;\n",
                       "", ""};
  for (const Equality equality : {Equality::all, Equality::protocol}) {
    const auto found = differs(three, equality);
    ASSERT_GE(found.size(), 2U);
    EXPECT_EQ(found[0],
              "wait (consumer): mbarrier.try_wait full[0], parity 0, acquire.cta is executed 48 "
              "times per item, in the template of its key 16");
  }
  const Parts skipped = {"and.b32 turn, item, 1;\nsetp.eq.u32 odd, turn, 1;\n@odd bra L_over;\n" +
                             Parts().wait + "L_over:\n",
                         "", ""};
  const auto found = differs(skipped, Equality::protocol);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0],
            "wait (consumer): mbarrier.try_wait full[0], parity 1, acquire.cta is executed 0 times "
            "per item, in the template of its key 16");
}

// A fork may have other arithmetic; a loop that takes time is more than twice as much.
TEST(Counts, OfOtherWordsHaveABound) {
  const Parts little = {Parts().wait, "add.u32 turn, item, 0;\n", ""};
  EXPECT_FALSE(differs(little, Equality::all).empty());
  EXPECT_TRUE(differs(little, Equality::protocol).empty());
  const Parts busy = {Parts().wait,
                      "mov.u32 turn, 0;\nL_busy:\nadd.u32 turn, turn, 1;\n"
                      "setp.lt.u32 odd, turn, 10;\n@odd bra L_busy;\n",
                      ""};
  const auto found = differs(busy, Equality::protocol);
  ASSERT_EQ(found.size(), 1U);
  // xor, add, setp, bra and the arrival are 5 of 32 lanes; mov and 10 times 3 are 31 more.
  EXPECT_EQ(found[0],
            "between the clock reads 1152 statements of lanes per item, in the template of its key "
            "160: more than twice as many");
  const Parts loads = {Parts().wait, "ld.shared.u32 word, [ring+16];\n", ""};
  EXPECT_EQ(differs(loads, Equality::protocol).front(),
            "no verb (consumer): ld.shared moves 128 bytes per item, in the template "
            "of its key 0");
}

TEST(Counts, GrowOutsideOfTheClockReads) {
  const Parts late = {Parts().wait, "",
                      "mov.u32 item, 0;\nL_late:\nadd.u32 item, item, 1;\n"
                      "setp.lt.u32 more, item, n;\n@more bra L_late;\n"};
  const auto found = growth_outside(counted(late), {launch::Role::consumer});
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0],
            "no verb (consumer), after its last clock read: add.u32 is executed 32 times per item");
  EXPECT_TRUE(growth_outside(counted(late), {launch::Role::producer}).empty());
}

TEST(Counts, NeedSitesInMachineCode) {
  const Counted of = counted({});
  launch::Census census = {{"commit", "consumer", {{"SYNCS.ARRIVE.TRANS64", 1}}, {}, {}},
                           {"wait", "consumer", {{"SYNCS.PHASECHK.TRANS64.TRYWAIT", 1}}, {}, {}}};
  EXPECT_TRUE(unmatched_sites(of, census).empty());
  census[1].hot.clear();
  EXPECT_EQ(unmatched_sites(of, census),
            std::vector<std::string>{
                "wait (consumer): it is executed, and has no *SYNCS* in the window"});
  census[1].hot = {{"SYNCS.PHASECHK.TRANS64.TRYWAIT", 1}, {"BAR.SYNC.DEFER_BLOCKING", 1}};
  EXPECT_EQ(unmatched_sites(of, census),
            std::vector<std::string>{
                "wait (consumer): it has BAR.* in the window, and no such is executed"});
}

TEST(Counts, SayWhyThereAreNone) {
  const Parts parts = {Parts().wait, "multimem.red.add.u32 [r1], r2;\n", ""};
  EXPECT_EQ(counted(parts).why_not,
            "small.ptx:33:1: multimem.red.add.u32: this instruction is not modelled");
  const Parts endless = {Parts().wait, "L_end:\nadd.u32 turn, turn, 1;\nbra L_end;\n", ""};
  EXPECT_EQ(counted(endless).why_not.substr(0, 9), "small.ptx");
}

TEST(Counts, AreKeptAsText) {
  const Counted of = counted({});
  const auto read = protocol::counted_from_text(counted_as_text(of));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->items, of.items);
  EXPECT_EQ(read->counts, of.counts);
  EXPECT_FALSE(protocol::counted_from_text(""));
  EXPECT_FALSE(protocol::counted_from_text("4\t0\t\n0\t1\twait\n"));
  EXPECT_FALSE(protocol::counted_from_text("four\t\n"));
}

}  // namespace
}  // namespace phasebit::test
