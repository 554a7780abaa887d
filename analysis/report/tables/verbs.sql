/*
doc = "what one verb costs, alone and beside load"
probe = "verb"
hint = "it is made from sweeps of specs/probes.toml"
legend = """
Cycles of one verb by one warp: the difference of the slopes of the fewest and the most copies in a row, from four on, \
over the copies between them; alone, and beside eight CTAs that compute and use shared memory. issue: one after the other; \
completion: each arrival is followed by a wait for the phase it completes, each try waits for the last one's answer. \
A wait that is ready is a path through, completing and pending say whether an arrival ends its phase."""
varied = true
across = ["isolated", "loaded"]
[arguments]
axes = true
*/
WITH
copies AS (
  SELECT protocol, verb, path, reads,
         rest(spelled, 'verb path reads load num_stages addressing early_token') AS spelling,
         iif("load" = 'busy', 'loaded', 'isolated') AS loading, coalesce(num_stages, 0) AS n, f
  FROM figure
  WHERE kind = 'point' AND quantity = 'cycles' AND probe = 'verb' AND newest AND declared AND NOT unrolled
    AND coalesce(reads, '') <> 'together' AND {where}),
cost AS (
  SELECT protocol, verb, path, reads, spelling, loading, per_operation(f, n, reads IS 'completion') AS f
  FROM copies GROUP BY protocol, verb, path, reads, spelling, loading)
SELECT protocol, verb, path, reads, spelling, loading AS across, f AS "|figure"
FROM cost
ORDER BY place('protocol', protocol), place('verb', verb), place('path', path), place('reads', reads), spelling
