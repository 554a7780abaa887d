/*
doc = "what it costs that both roles begin on one sub-partition"
none = "nothing was measured with both roles on one sub-partition (repetitions 8 and 9)"
legend = """
Cycles with producers and consumers where the launch puts them, and how many more it takes with idle warps between \
them, so that both begin on one sub-partition of the SM: median of the differences under equal start offset, SM and \
place of the code. Pairs: of how many conditions the verdict holds."""
[arguments]
axes = true
*/
WITH pair AS MATERIALIZED (
  SELECT apart.id, apart.probe, apart.f AS apart, beside.f AS beside, difference(beside.f, apart.f) AS more
  FROM figure AS apart JOIN figure AS beside ON beside.v = apart.v AND beside.text_hash = apart.text_hash
  WHERE apart.kind = 'point' AND apart.quantity = 'cycles' AND beside.quantity = 'together' AND apart.newest
    AND apart.v IN (SELECT v FROM figure WHERE {where}))
SELECT id AS variant, apart AS "cycles|figure", more AS "on one sub-partition: more|figure",
       100 * value(more) / nullif(value(apart), 0) AS "change|{:+.1f} %", pairs(apart, beside) AS pairs,
       verdict(apart, beside) AS verdict
FROM pair ORDER BY place('probe', probe), id
