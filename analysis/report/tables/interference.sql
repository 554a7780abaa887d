/*
doc = "by how much waiting warps slow down others"
probe = "interference"
hint = "it is made from sweeps of specs/probes.toml"
legend = """
By how many percent waiting warps lengthen a block of work of the victims, against the same code with the same warps \
that do not wait; the rows with 0 waiters are cycles of a block then. same: on the victims' sub-partition, other: on \
the other three."""
varied = true
across = ["fma dependent", "fma independent", "shared dependent", "shared independent", "mma dependent",
          "mma independent"]
[where]
uniform_role = "on"
[arguments]
axes = true
*/
WITH
block AS (
  SELECT id, victims, waiters, placing, protocol, waited_on, waits, victim_work || ' ' || work_kind AS work, f,
         without(spelled, 'waits') AS code
  FROM figure
  WHERE kind = 'point' AND quantity = 'cycles' AND probe = 'interference' AND newest AND declared AND NOT unrolled
    AND {where}),
row AS (
  SELECT victims, 0 AS waiters, '-' AS placing, '-' AS protocol, 'cycles per block' AS waited_on, work, f
  FROM block WHERE waits = 0 AND waiters = 1 AND placing = 'same' AND waited_on = 'try_wait'
  UNION ALL
  SELECT block.victims, block.waiters, block.placing, block.protocol, block.waited_on, block.work,
         percent(block.f, coalesce(control.f, missing(block.id || '/waits=0')))
  FROM block LEFT JOIN block AS control ON control.code = block.code AND control.waits = 0
  WHERE block.waits <> 0)
SELECT victims, waiters, placing, protocol, waited_on, work AS across, f AS "|figure"
FROM row
ORDER BY place('victims', victims), place('waiters', waiters), place('placing', placing), place('protocol', protocol),
         waited_on
