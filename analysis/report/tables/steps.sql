/*
doc = "the versions of ptxas between which a figure moved"
runs = "ptxas"
may_be_empty = true
none = "no such text was measured by several versions of ptxas"
hint = "phasebit pack --toolchain all, then phasebit-bench"
[arguments]
least = { words = "PERCENT", default = "0", percent = true }
variant = { words = "ID" }
axes = true
*/
-- A variant that names no ptxas counts for the version of the run that measured it. A version without a figure is
-- passed over.
WITH
version AS (
  SELECT without(spelled, 'ptxas') AS text, coalesce(ptxas, run_ptxas) AS ptxas, f, text_hash
  FROM figure
  WHERE kind = 'point' AND quantity = 'cycles' AND newest AND reason = '' AND {where}),
step AS (
  SELECT text, lag(ptxas) OVER history AS old, ptxas AS new, lag(f) OVER history AS before, f AS after,
         lag(text_hash) OVER history AS old_hash, text_hash AS new_hash
  FROM version WINDOW history AS (PARTITION BY text ORDER BY version_place(ptxas)))
SELECT text AS variant, old AS "from ptxas", new AS "to ptxas", before AS "before|noted", after AS "after|noted",
       value(difference(after, before)) AS "difference|±", half(difference(after, before)) AS "|half",
       100 * value(difference(after, before)) / nullif(value(before), 0) AS "change|{:+.1f} %",
       floor(before, after) AS "floor|.2f", pairs(before, after) AS pairs, substr(old_hash, 1, 6) AS "class before",
       substr(new_hash, 1, 6) AS "class after"
FROM step
WHERE before IS NOT NULL AND verdict(before, after) IN ('faster', 'slower')
  AND abs(value(difference(after, before))) >= :least / 100.0 * value(before) AND (:variant = '' OR text = :variant)
ORDER BY text, version_place(new)
