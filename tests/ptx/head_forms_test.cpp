// A kernel's statements against the forms that its rules say, and what may become of its clocks.
#include "core/ptx/head/clocks.h"
#include "core/ptx/head/forms.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace phasebit::test {

using ptx::head::FigureBy;
using ptx::head::find_clock_changes;

namespace {

TEST(Statements, AreOfTheFormThatTheRuleSays) {
  isa::VerbRule rule{"wait", "", {}, {}};
  rule.ptx = {{"nanosleep*", "nanosleep.u32 100"}};
  const launch::SourceMap source = {{"wait.ptx", 3, "wait", "consumer"},
                                    {"wait.ptx", 4, "wait", "consumer"},
                                    {"acquire.ptx", 9, "acquire", "producer"}};
  const auto found = [&](const char* first, const char* second) {
    isa::GateSpec spec;
    spec.verbs = {rule};
    return ptx::head::find_misstated(spec, ptx::take_all_apart({first, second, "nanosleep.u32 7;"}),
                                     source);
  };
  EXPECT_EQ(found("@p  nanosleep.u32\t100 ;", "bra L;"), std::vector<std::string>());
  EXPECT_EQ(found("nanosleep.u32 100;", "@q nanosleep.u32 r;"),
            std::vector<std::string>{"wait (consumer): 'nanosleep.u32 r' at templates/wait.ptx:4, "
                                     "expected 'nanosleep.u32 100'"});
  EXPECT_EQ(found("bra L;", "ret;"),
            std::vector<std::string>{"wait (consumer): no 'nanosleep*', expected "
                                     "'nanosleep.u32 100'"});
  rule.role = "producer";  // which waits for nothing
  EXPECT_EQ(found("nanosleep.u32 100;", "bra L;"),
            std::vector<std::string>{"wait (producer): no 'nanosleep*', expected "
                                     "'nanosleep.u32 100'"});
  rule.role = "both";
  EXPECT_EQ(found("nanosleep.u32 100;", "bra L;"), std::vector<std::string>());
}

// Lines "role.verb| statement"; the prefix may be empty.
struct Lines {
  std::vector<std::string> statements;
  launch::SourceMap source;
  explicit Lines(const std::vector<std::string>& lines) {
    for (const std::string& line : lines) {
      const std::size_t bar = line.find("| "), dot = line.find('.');
      const bool verb = dot < bar;
      source.push_back({"k.ptx", static_cast<int>(source.size()) + 1,
                        verb ? line.substr(dot + 1, bar - dot - 1) : "",
                        line.substr(0, verb ? dot : bar)});
      statements.push_back(line.substr(bar + 2));
    }
  }
};

std::vector<std::string> misstated(const std::vector<std::string>& lines, const std::string& verb,
                                   const isa::StatementRule& form) {
  isa::GateSpec spec;
  spec.verbs = {{verb, "", {}, {}}};
  spec.verbs.front().ptx = {form};
  const Lines read(lines);
  return ptx::head::find_misstated(spec, ptx::take_all_apart(read.statements), read.source);
}

TEST(Statements, OfOneOpcodeAreToldApartByOperandAndPredicate) {
  const std::vector<std::string> lines = {"c.wait| @other bra L_done;",
                                          "c.wait| @!done bra L_wait;", "c.wait| bra L_wait;"};
  EXPECT_EQ(misstated(lines, "wait", {"bra L_wait", "bra L_wait"}), std::vector<std::string>());
  EXPECT_EQ(misstated(lines, "wait", {"@other bra *", "@other bra L_done"}),
            std::vector<std::string>());
  EXPECT_EQ(misstated(lines, "wait", {"@!done bra *", "@!done bra L_done"}),
            std::vector<std::string>{"wait (c): '@!done bra L_wait' at templates/k.ptx:2, expected "
                                     "'@!done bra L_done'"});
  EXPECT_EQ(misstated(lines, "wait", {"@done bra *", "@done bra L_done"}),
            std::vector<std::string>{"wait (c): no '@done bra *', expected '@done bra L_done'"});
}

TEST(Statements, AreAsManyAsTheFormSays) {
  const std::vector<std::string> lines = {"c.wait| wait [b], 0;", "c.wait| wait [b], 1;",
                                          "c.wait| wait [b], 0;"};
  EXPECT_EQ(misstated(lines, "wait", {"wait *, 0", "x2 *"}), std::vector<std::string>());
  EXPECT_EQ(misstated(lines, "wait", {"wait *, 1", "x2 *"}),
            std::vector<std::string>{"wait (c): 1 of 'wait *, 1', expected x2"});
  EXPECT_EQ(misstated(lines, "wait", {"wait *, 1", "x1 *, 2"}),
            std::vector<std::string>{"wait (c): 'wait [b], 1' at templates/k.ptx:2, expected "
                                     "'*, 2'"});
}

TEST(Statements, AreNotThereWhereNoneIsAskedFor) {
  const std::vector<std::string> lines = {"c.wait| @p wait [b], 0;", "c.wait| bra L;"};
  EXPECT_EQ(misstated(lines, "wait", {"wait *, 1", "x0 *"}), std::vector<std::string>());
  EXPECT_EQ(misstated(lines, "wait", {"@* bra *", "x0 *"}), std::vector<std::string>());
  EXPECT_EQ(misstated(lines, "wait", {"@* wait *", "x0 *"}),
            std::vector<std::string>{"wait (c): 1 of '@* wait *', expected x0"});
}

TEST(Statements, ComeAfterThoseThatTheFormNames) {
  const isa::StatementRule by_verb{"*", "after fill: *"};
  const isa::StatementRule by_text{"arrive", "after st.*: arrive*"};
  const std::vector<std::string> sync = {"p.commit| sync 1;", "p.commit| arrive [b];"};
  const std::vector<std::string> fill = {"p.fill| st.shared [a], w;"};
  const auto join = [](const std::vector<std::vector<std::string>>& parts) {
    std::vector<std::string> all;
    for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
    return all;
  };
  for (const isa::StatementRule& form : {by_verb, by_text}) {
    EXPECT_EQ(misstated(join({fill, sync}), "commit", form), std::vector<std::string>());
    EXPECT_EQ(misstated(join({fill, sync, fill, sync}), "commit", form),
              std::vector<std::string>());
    for (const auto& lines : {join({sync, fill}), join({fill, sync, {"c.wait| w;"}, sync}),
                              join({{"c.fill| st.shared [a], w;"}, sync})})
      EXPECT_EQ(misstated(lines, "commit", form).size(), 1U);
  }
  EXPECT_EQ(
      misstated(join({sync, fill}), "commit", by_text),
      std::vector<std::string>{"commit (p): 'arrive [b]' at templates/k.ptx:2 does not come after "
                               "'st.*'"});
}

TEST(Statements, OfAVerbThatARoleMustHave) {
  isa::GateSpec spec;
  spec.verbs = {{"commit", "c", {}, {}}};
  spec.verbs.front().ptx = {{"bar.warp.sync", "bar.warp.sync *"}};
  const auto found = [&](const std::string& line) {
    const Lines read({line});
    return ptx::head::find_misstated(spec, ptx::take_all_apart(read.statements), read.source);
  };
  EXPECT_EQ(found("c.commit| bar.warp.sync 1;"), std::vector<std::string>());
  EXPECT_EQ(found("c.wait| bar.warp.sync 1;"),
            std::vector<std::string>{"commit (c): no 'bar.warp.sync', expected "
                                     "'bar.warp.sync *'"});
  EXPECT_EQ(found("p.wait| bar.warp.sync 1;"), std::vector<std::string>());  // no such role
}

TEST(Statements, AreBetweenTheClockReadsOfTheirRole) {
  const auto lines = [](std::size_t place, const std::string& line) {
    std::vector<std::string> all = {"c.clock_start| mov.u64 c0, %clock64;",
                                    "c.advance| add.u32 i, i, 1;",
                                    "c.clock_end| mov.u64 c1, %clock64;"};
    all.insert(all.begin() + static_cast<std::ptrdiff_t>(place), line);
    return all;
  };
  const isa::StatementRule form{"bar.warp.sync", "bar.warp.sync *"};
  const std::string arrives = "c.release| bar.warp.sync 1;";
  EXPECT_EQ(misstated(lines(1, arrives), "release", form), std::vector<std::string>());
  for (const auto& [place, line] : {std::pair(0U, 1), std::pair(3U, 4)})
    EXPECT_EQ(misstated(lines(place, arrives), "release", form),
              std::vector<std::string>{fmt::format("release (c): 'bar.warp.sync 1' at "
                                                   "templates/k.ptx:{} is not between the role's "
                                                   "clock reads",
                                                   line)});
  // What prepares a role, what has no clocks, and what is asked of all that a role does.
  EXPECT_EQ(misstated(lines(0, "c.prime| bar.warp.sync 1;"), "prime", form),
            std::vector<std::string>());
  EXPECT_EQ(misstated(lines(0, "init.init| bar.warp.sync 1;"), "init", form),
            std::vector<std::string>());
  EXPECT_EQ(misstated(lines(0, arrives), "*", form), std::vector<std::string>());
}

std::vector<std::string> changes(const std::vector<std::string>& lines, FigureBy by) {
  const Lines read(lines);
  return find_clock_changes(ptx::take_all_apart(read.statements), read.source, by);
}

const std::vector<std::string> sound = {
    "c.clock_start| mov.u64 t0, %globaltimer;",
    "c.clock_start| mov.u64 c0, %clock64;",
    "c.clock_start| cvt.u32.u64 low, c0;",
    "c.wait| mov.u64 now, %clock64;",
    "c.wait| sub.u64 now, now, since;",
    "c.clock_end| mov.u64 c1, %clock64;",
    "c.clock_end| mov.u64 t1, %globaltimer;",
    "p| mov.u64 c0, 0;",
    "| mov.u64 kept, c0;",
    "| st.global.v2.u64 [samples], {kept, c1};",
    "| st.global.v2.u64 [samples+16], {t0, t1};",
};

TEST(Clocks, AreReadOnceAndStored) {
  EXPECT_EQ(changes(sound, FigureBy::timer), std::vector<std::string>());
}

TEST(Clocks, AreNotChanged) {
  const std::pair<const char*, const char*> rows[] = {
      {"c.advance| mov.u64 c0, %clock64;",
       "'mov.u64 c0, %clock64' at templates/k.ptx:4 changes "
       "what the clock verbs have read"},
      {"c.advance| add.u64 c0, c0, 40;",
       "'add.u64 c0, c0, 40' at templates/k.ptx:4 changes what "
       "the clock verbs have read"},
      {"c.tail| mov.u64 t1, %globaltimer;",
       "'mov.u64 t1, %globaltimer' at templates/k.ptx:4 "
       "changes what the clock verbs have read"},
      {"| add.u64 more, kept, 40;",
       "'add.u64 more, kept, 40' at templates/k.ptx:4 counts with "
       "what the clock verbs have read"},
  };
  for (const auto& [line, said] : rows) {
    std::vector<std::string> lines = sound;
    lines.insert(lines.begin() + 3, line);
    EXPECT_EQ(changes(lines, FigureBy::clock), std::vector<std::string>{said}) << line;
  }
}

TEST(Clocks, AreNotWrittenOverInTheRecord) {
  const auto behind = [](const std::string& line) {
    std::vector<std::string> lines = sound;
    lines.push_back(line);
    // LLVM puts what other warps do after the exit.
    lines.insert(lines.end(), {"| exit;", "| st.volatile.global.u32 [busy], a;"});
    return changes(lines, FigureBy::clock);
  };
  for (const char* line :
       {"| st.global.v4.u32 [samples+32], {a, b, c, d};", "c.wait| st.shared.u32 [samples], a;",
        "| ld.global.u64 a, [samples];", "verify.verify| ld.global.u64 a, [samples];"})
    EXPECT_EQ(behind(line), std::vector<std::string>()) << line;
  for (const char* line :
       {"| red.global.add.u64 [samples+8], minus;", "| st.global.u32 [samples+12], handled;",
        "| @early st.global.u64 [samples+24], middle;", "| st.global.u64 [elsewhere], middle;",
        "| atom.global.add.u64 old, [samples+8], minus;",
        "| st.global.v2.u64 [samples], {kept, c1};", "c.work| st.global.u64 [samples+8], middle;",
        "init.init| st.global.u64 [elsewhere], middle;",
        "c.leave| cp.async.bulk.global.shared::cta.bulk_group [samples], [ring], 16;"}) {
    ASSERT_EQ(behind(line).size(), 1U) << line;
    EXPECT_NE(behind(line).front().find("at templates/k.ptx:12 may write where the clocks are"),
              std::string::npos);
  }
}

// Whoever makes an address of the parameter that has the records', wherever it is.
TEST(Clocks, AreStoredByTheRecordAlone) {
  const auto before = [](const std::vector<std::string>& more) {
    std::vector<std::string> lines = sound;
    lines.insert(lines.begin(), more.begin(), more.end());
    return changes(lines, FigureBy::clock);
  };
  const std::string parameter = "| ld.param.v2.u64 {place, status}, [pb+8];";
  const std::string store = "c.work| st.global.u64 [there+8], middle;";
  ASSERT_EQ(before({parameter, "| add.u64 there, place, 64;", store}).size(), 1U);
  EXPECT_EQ(before({parameter, "| add.u64 there, place, 64;", store}).front(),
            "'st.global.u64 [there+8], middle' at templates/k.ptx:3 may write where the clocks are "
            "stored");
  const std::vector<std::string> around = {store, parameter,
                                           "c.init| mad.wide.u32 there, i, 64, place;"};
  EXPECT_EQ(before(around).size(), 1U);
  EXPECT_EQ(
      before({"| ld.param.u64 there, [somewhere];", "| add.u64 somewhere, base, 8;", store}).size(),
      1U);
  // LLVM's way to a parameter.
  EXPECT_EQ(before({"| mov.b64 place, pb;", "| ld.param.u64 there, [place+16];", store}),
            std::vector<std::string>());
  EXPECT_EQ(before({"| mov.b64 place, pb;", "| ld.param.u64 there, [place+8];", store}).size(), 1U);
  EXPECT_EQ(before({"| mov.b64 place, pb+8;", "| ld.param.u64 there, [place];", store}).size(), 1U);
  EXPECT_EQ(before({parameter, "| add.u64 there, status, 64;", store}), std::vector<std::string>());
  EXPECT_EQ(
      before({parameter, "| {", "| .reg .b64 there;", "| add.u64 there, place, 64;", "| }", store}),
      std::vector<std::string>());
}

TEST(Clocks, AreWhatTheRecordIsMadeOf) {
  std::vector<std::string> lines = sound;
  for (const auto& [stored, bytes] : {std::pair("{t0, 0}", 24), std::pair("{a, b}", 16)}) {
    lines.back() = fmt::format("| st.global.v2.u64 [samples+16], {};", stored);
    EXPECT_EQ(changes(lines, FigureBy::clock),
              std::vector<std::string>{fmt::format(
                  "the record is not made of the clock reads: {} of their 32 bytes", bytes)});
  }
}

TEST(Clocks, StandBesideTheTimerThatTheFigureIsMadeOf) {
  std::vector<std::string> lines = sound;
  lines.insert(lines.begin() + 1,
               {"c.clock_start| // the clock", "c.clock_start| ", "c.clock_start| .loc 1 7 0"});
  EXPECT_EQ(changes(lines, FigureBy::timer), std::vector<std::string>());  // a file's lines between
  lines = sound;
  std::swap(lines[0], lines[2]);
  std::swap(lines[1], lines[2]);
  EXPECT_EQ(changes(lines, FigureBy::timer), std::vector<std::string>());  // after it
  std::swap(lines[2], lines[3]);
  EXPECT_EQ(changes(lines, FigureBy::clock),
            std::vector<std::string>{"'mov.u64 t0, %globaltimer' at templates/k.ptx:2 is not "
                                     "next to the clock read of its verb"});
  lines = sound;
  lines.erase(lines.begin() + 6);
  EXPECT_EQ(changes(lines, FigureBy::clock), std::vector<std::string>());
  EXPECT_EQ(changes(lines, FigureBy::timer),
            std::vector<std::string>{"clock_end (c): 0 reads of %globaltimer, which the figure is "
                                     "made of, not 1"});
}

}  // namespace
}  // namespace phasebit::test
