/*
doc = "cycles of a phase when lanes arrive apart"
probe = "entangle"
hint = "it is made from sweeps of specs/probes.toml"
legend = """
Cycles of a phase by groups of lanes that took a branch of their own, and arrive after bar.warp.sync or each where \
it is."""
varied = true
across = ["1", "2", "4", "8", "16", "32"]
[arguments]
axes = true
*/
WITH phase AS (
  SELECT iif(quantity = 'without_loop', 'subtracted', 'with') AS "loop", protocol, waited_on, semantics, groups,
         reconverge = 'on' AS together, f
  FROM figure
  WHERE kind = 'point' AND quantity IN ('cycles', 'without_loop') AND probe = 'entangle' AND newest AND declared
    AND NOT unrolled AND groups IN (1, 2, 4, 8, 16, 32) AND {where}),
row AS (
  SELECT "loop", protocol, waited_on, semantics, iif(together, 'after bar.warp.sync', 'apart') AS arrive, groups, f
  FROM phase
  UNION ALL
  SELECT "loop", protocol, waited_on, semantics, 'difference', groups, difference(apart.f, together.f)
  FROM phase AS apart JOIN phase AS together USING ("loop", protocol, waited_on, semantics, groups)
  WHERE NOT apart.together AND together.together)
SELECT "loop", protocol, waited_on, semantics, arrive, groups AS across, f AS "|figure"
FROM row ORDER BY "loop" DESC, place('protocol', protocol), waited_on, place('semantics', semantics), arrive
