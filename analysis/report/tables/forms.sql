/*
doc = "what single PTX forms cost"
none = "the results hold no form that fits (sweep forms of specs/forms.toml)"
legend = """
Cycles of one operation: the slopes of the most and the fewest in a row (16, 8 and 4), their difference over those \
between. Measure throughput: independent operations, back to back; latency: each operation's \
operand needs the result before. Link: the instructions through which it does, measured alone: the same code with a \
NOP in the operation's place; where there is no link, it is in the figure. Without link: the difference. Loaded: \
next to 8 warps that compute and use shared memory."""
[arguments]
path = { words = "WORD", default = "*" }
measure = { words = "WORD", default = "*" }
lanes = { words = "WORD", default = "*" }
family = { words = "PATTERN", default = "*" }
rows = { one_of = ["codes", "levels"], default = "codes" }
[instead]
levels = "form_levels"
*/
-- Rows of equal code are under the first of them.
WITH
cost AS (
  SELECT form_cost.rowid AS place, form_cost.*, coalesce(text, form) AS says
  FROM form_cost LEFT JOIN form USING (form)
  WHERE g = :g AND fits(:family, substr(form_cost.form, 1, instr(form_cost.form || '#', '#') - 1)) AND fits(:path, path)
    AND fits(:measure, measure) AND fits(:lanes, lanes)),
code AS (
  SELECT *, row_number() OVER same AS nth, count(*) OVER (PARTITION BY text_hashes, path, measure, lanes) - 1 AS others
  FROM cost WINDOW same AS (PARTITION BY text_hashes, path, measure, lanes ORDER BY place))
SELECT says AS form, iif(others = 0 OR text_hashes = '', NULL, others) AS "the same code|+.0f", path, measure, lanes,
       isolated AS "isolated|figure", link AS "?link|figure", without_link AS "?without link|figure",
       loaded AS "loaded|figure", substr(sass_class, 1, 8) AS "SASS class"
FROM code WHERE nth = 1 OR text_hashes = '' ORDER BY place
