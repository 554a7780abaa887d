/*
doc = "what one verb costs, alone and under load"
probe = "verb"
hint = "it is made from sweeps of specs/probes.toml"
legend = """
Cycles of one verb by one warp: the difference of the slopes of two numbers of copies in a row, over the copies \
between them; alone, and beside eight CTAs that compute and use shared memory. issue: one after the other; \
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
sizes AS (
  SELECT *, min(n) OVER verb AS few, max(n) OVER verb AS many
  FROM copies WINDOW verb AS (PARTITION BY protocol, verb, path, reads, spelling, loading)),
cost AS (
  SELECT protocol, verb, path, reads, spelling, loading, few, many,
         one(iif(n = many, f, NULL)) AS large, one(iif(n = few, f, NULL)) AS small
  FROM sizes GROUP BY protocol, verb, path, reads, spelling, loading)
SELECT protocol, verb, path, reads, spelling, loading AS across,
       iif(few = many, refuse(large, 'measured with one number of copies'), difference(large, small, many - few)) AS "|figure"
FROM cost
ORDER BY place('protocol', protocol), place('verb', verb), place('path', path), place('reads', reads), spelling
