/*
doc = "two values of an axis: pairs of variants that differ in it alone, by probe, protocol and mover"
none = "no two variants differ in that axis alone"
legend = """
Pairs of variants that differ in one axis alone, compared under equal conditions; pairs of the same two pieces of code \
count once. Change: cycles of the second value against the first, percent. Faster, slower: pairs in which the second \
value is so beyond the floor."""
[arguments]
axis = { words = "AXIS", needed = true, axis = true }
first = { words = "VALUE", needed = true }
second = { words = "VALUE", needed = true }
axes = true
*/
WITH
side AS MATERIALIZED (
  SELECT CAST({column axis} AS TEXT) AS own, without(spelled, :axis) AS base, f, probe, protocol, mover, sass_class
  FROM figure
  WHERE kind = 'point' AND quantity = 'cycles' AND newest AND reason = '' AND declared AND NOT unrolled AND {where}
    AND CAST({column axis} AS TEXT) IN (:first, :second)),
pair AS MATERIALIZED (
  SELECT a.probe, a.protocol, a.mover, a.sass_class || ' ' || b.sass_class AS codes, verdict(a.f, b.f) AS verdict,
         100 * value(difference(b.f, a.f)) / value(a.f) AS change
  FROM side AS a JOIN side AS b ON a.base = b.base
  WHERE a.own = :first AND b.own = :second AND a.sass_class <> b.sass_class),
one AS (SELECT probe, protocol, mover, codes, min(verdict) AS verdict, median(change) AS change FROM pair GROUP BY 1, 2, 3, 4)
SELECT probe, protocol, mover, count(*) AS "pairs|n", sum(verdict = 'faster') AS "faster|n", sum(verdict = 'slower') AS "slower|n",
       median(change) AS "median|{:+.1f} %", min(change) AS "lowest|{:+.1f} %", max(change) AS "highest|{:+.1f} %"
FROM one WHERE change IS NOT NULL GROUP BY probe, protocol, mover ORDER BY place('probe', probe), place('protocol', protocol), mover
