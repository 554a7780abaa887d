// `phasebit claims` as a user calls it.
#include "core/base/file.h"
#include "tests/app/program.h"
#include "tests/home.h"

#include <nlohmann/json.hpp>

namespace phasebit::test {

using base::ProcessOutput;

namespace {

ProcessOutput claims(const std::vector<std::string>& arguments) {
  return test::run_phasebit({"claims"}, arguments, {"PHASEBIT_HOME=" + test::home().data.string()});
}

class Claims : public testing::Test {
 protected:
  base::TempDir folder_ = base::TempDir::create().value();
  fs::path file_ = folder_.path() / "mine.toml";

  // About the warps of a fan-in; one of the published results is of it.
  void write(const std::string& name, const std::string& relation, const std::string& more = "") {
    ASSERT_TRUE(base::write_file(
        file_, "[[claim]]\nname = \"" + name +
                   "\"\nsays = \"{axis.producers} warps take {a} cycles.\"\n"
                   "kind = \"observation\"\nquestion = { probe = \"fanin\", protocol = "
                   "\"cta_barrier\" }\n"
                   "where = { probe = \"fanin\", protocol = \"cta_barrier\" }\nrelation = \"" +
                   relation + "\"\nbound = \"1000\"\n" + more));
  }
  std::vector<std::string> mine(std::vector<std::string> more = {}) const {
    more.insert(more.end(), {"--claims", file_.string()});
    return more;
  }
};

TEST_F(Claims, ThatHoldExitWith0AndOneThatIsRefutedWith1) {
  write("below", "less");
  ProcessOutput output = claims(mine());
  EXPECT_EQ(output.exit_status, 0) << output.err;
  EXPECT_NE(output.out.find("below  holds    NVIDIA "), std::string::npos) << output.out;
  EXPECT_NE(output.out.find("1 to 32 warps take "), std::string::npos) << output.out;
  write("above", "greater");
  output = claims(mine({"above"}));
  EXPECT_EQ(output.exit_status, 1) << output.err;
  // By default what a reader asks; with --rows each row.
  EXPECT_TRUE(output.out.starts_with("above: refuted (mine.toml:1)\n1 to 32 warps take "))
      << output.out;
  for (const char* part :
       {"\nrelation  cycles greater 1000\n", "\nnearest to refuting it\n  refutes: ",
        "phasebit export --id fanin/cta_barrier/", "phasebit claims above --rows   # all rows\n"})
    EXPECT_NE(output.out.find(part), std::string::npos) << part << output.out;
  EXPECT_NE(claims(mine({"above", "--rows"})).out.find("above  refutes"), std::string::npos);
}

TEST_F(Claims, WithoutARowAreAnError) {
  write("none", "less", "a = { producers = 77 }\n");
  const ProcessOutput output = claims(mine());
  EXPECT_EQ(output.exit_status, 22);
  EXPECT_EQ(output.err,
            "phasebit: store: no row to judge by: none (its selection matches none, or all that it "
            "matches are left out: `phasebit claims NAME` says why)\n");
  EXPECT_EQ(claims(mine({"--measured"})).exit_status, 0);
}

// ptxas makes the relaxed one of a remote arrive without semantics.
TEST_F(Claims, OfEqualCodeAloneAreAnErrorWithTheirRows) {
  ASSERT_TRUE(base::write_file(
      file_,
      "[[claim]]\nname = \"same\"\nsays = \"{difference}\"\nkind = \"observation\"\n"
      "question = { probe = \"cluster\", protocol = \"mbarrier_cluster\" }\n"
      "where = { probe = \"cluster\", protocol = \"mbarrier_cluster\", mover = \"none\" }\n"
      "a = { arrive_semantics = \"default\" }\nb = { arrive_semantics = \"relaxed_cluster\" }\n"
      "relation = \"within\"\nwithin = 1\n"));
  const ProcessOutput output = claims(mine({"same"}));
  EXPECT_EQ(output.exit_status, 22);
  EXPECT_TRUE(
      output.err.starts_with("phasebit: store: equal code on both sides of every pair: same ("))
      << output.err;
  EXPECT_TRUE(output.out.starts_with("same: equal code (mine.toml:1)\n")) << output.out;
  EXPECT_NE(output.out.find("\nof equal code\n  equal code: "), std::string::npos) << output.out;
  EXPECT_NE(claims(mine({"same", "--rows"})).out.find("same   equal code  one SASS class"),
            std::string::npos);
}

TEST_F(Claims, ANameThatIsNoneIsAnError) {
  write("below", "less");
  const ProcessOutput output = claims(mine({"bellow"}));
  EXPECT_EQ(output.err, "phasebit: usage: no claim 'bellow' (did you mean 'below'?)\n");
  EXPECT_EQ(output.exit_status, 2);
  EXPECT_EQ(claims(mine({"none.csv.zst"})).err,
            "phasebit: io: cannot read none.csv.zst: No such file or directory\n");
}

// From a claim to a row, from the row to samples, PTX and SASS, by the commands that are there.
TEST_F(Claims, CommandsLeadFromARowToItsSamplesAndCode) {
  write("below", "less");
  const ProcessOutput output = claims(mine({"below", "--json"}));
  ASSERT_TRUE(output.ok()) << output.err;
  const auto rows = nlohmann::json::parse(output.out, nullptr, false);
  ASSERT_FALSE(rows.is_discarded()) << output.out.substr(0, 200);
  const auto& list = rows.is_array() ? rows : rows["rows"];
  ASSERT_FALSE(list.empty());
  for (const char* column : {"samples", "PTX", "SASS"}) {
    std::string command = list[0][column].get<std::string>();
    ASSERT_TRUE(command.starts_with("phasebit ")) << command;
    command.insert(0, "PHASEBIT_HOME=" + test::home().data.string() + " ");
    const auto ran = base::run_process(
        {"sh", "-c",
         "PATH=" + fs::path(std::getenv("PHASEBIT_PROGRAM")).parent_path().string() + ":$PATH; " +
             command},
        {});
    ASSERT_TRUE(ran);
    EXPECT_EQ(ran->exit_status, 0) << command << "\n" << ran->err;
    EXPECT_FALSE(ran->out.empty());
  }
}

}  // namespace
}  // namespace phasebit::test
