/*
doc = "what each verb costs in its plain spelling, and over all spellings"
probe = "verb"
hint = "it is made from sweeps of specs/probes.toml"
legend = """
Cycles of one verb by one warp, alone on the SM and next to eight CTAs that compute and use shared memory (loaded). \
plain: every other axis at its default; lowest, highest: over all spellings (`phasebit report --table verbs`). issue: \
one after the other; completion: each arrival is followed by a wait for its phase, each try waits for the answer \
before it."""
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
  FROM copies GROUP BY protocol, verb, path, reads, spelling, loading HAVING min(n) < max(n))
SELECT protocol, verb, path, reads, one(iif(loading = 'isolated' AND spelling = '', f, NULL)) AS "plain|figure",
       one(iif(loading = 'loaded' AND spelling = '', f, NULL)) AS "plain, loaded|figure",
       sum(loading = 'isolated') AS "spellings|n", fastest(iif(loading = 'isolated', f, NULL)) AS "lowest|figure",
       slowest(iif(loading = 'isolated', f, NULL)) AS "highest|figure"
FROM cost GROUP BY protocol, verb, path, reads
ORDER BY place('protocol', protocol), place('verb', verb), place('path', path), place('reads', reads)
