// Which forms are in rings.
#include "join/coverage/coverage.h"

#include "tests/home.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using join::coverage::shape_of_statement;

namespace {

struct ShapeRow {
  const char *statement, *form;
};

// A statement of a ring, and the row of core/isa/forms.csv that it is.
TEST(ReachedForms, AStatementHasTheShapeOfItsForm) {
  const ShapeRow rows[] = {
      {"@p_copies cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [p_payload], "
       "[p_source+0], 512, [p_barrier];",
       "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [dstMem], [srcMem], #size, "
       "[mbar];"},
      {"cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [c_map, {0, 0, place}], [slot];",
       "cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [tensorMap, {c0, c1, c2}], "
       "[srcMem];"},
      {"@c_stores cp.async.bulk.wait_group.read 2;", "cp.async.bulk.wait_group.read #2;"},
      {"cp.async.bulk.commit_group;", "cp.async.bulk.commit_group;"},
      {"mov.u32 cta, %cluster_ctarank;", "mov.u32 dst, %cluster_ctarank;"},
  };
  for (const ShapeRow& row : rows)
    EXPECT_EQ(shape_of_statement(row.statement), shape_of_statement(row.form)) << row.form;
  EXPECT_NE(shape_of_statement("mov.u32 dst, %smid;"), shape_of_statement("mov.u32 dst, %laneid;"));
  EXPECT_NE(shape_of_statement("cp.async.bulk.prefetch.L2.global [srcMem], size;"),
            shape_of_statement("cp.async.bulk.prefetch.L2.global [srcMem], #size;"));
  EXPECT_EQ(shape_of_statement(".reg .b32 slot"), "");
}

// What runs in rings alone, what runs alone too, and what still waits.
TEST(ReachedForms, CoverageNamesTheRing) {
  join::coverage::CoverageRequest request;
  request.tools.home = home();
  request.assemble = false;
  request.family = "cp.async.bulk*";
  const auto forms = join::coverage::cover_forms(request);
  ASSERT_TRUE(forms) << forms.error().text();
  const auto why = [&](const std::string& id) {
    for (const auto& form : *forms)
      if (form.placed->form->id == id) return form.why;
    return std::string("no such form");
  };
  EXPECT_EQ(why("cp.async.bulk.tensor.store#007"),
            "in the ring write_back/mbarrier_bulk/tensor_store/none/payload_bytes=2048; "
            "alone: needs a tensor map");
  EXPECT_EQ(why("cp.async.bulk.s2g#002"), "");
  for (const auto& form : *forms)
    if (form.placed->form->id == "cp.async.bulk.s2g#002") {
      EXPECT_EQ(form.ring, "write_back/mbarrier_bulk/bulk_store/none/rewrite=off");
    }
  EXPECT_EQ(why("cp.async.bulk.tensor.store#015"), "needs a tensor map");
  EXPECT_EQ(why("cp.async.bulk.group#009"), "");
  // A row of each family, and below them their sum.
  const base::Table summary = join::coverage::coverage_summary(*forms, request.target);
  double sum = 0;
  for (size_t i = 0; i + 1 < summary.rows.size(); ++i) sum += *summary.rows[i][1].value;
  EXPECT_EQ(summary.rows.back()[0].text, "all");
  EXPECT_EQ(summary.rows.back()[1].value, sum);
  EXPECT_EQ(sum, static_cast<double>(forms->size()));
}

}  // namespace
}  // namespace phasebit::test
