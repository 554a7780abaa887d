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
SELECT protocol, verb, path, reads, one(iif(loading = 'isolated' AND spelling = '', f, NULL)) AS "plain|figure",
       one(iif(loading = 'loaded' AND spelling = '', f, NULL)) AS "plain, loaded|figure",
       sum(loading = 'isolated') AS "spellings|n", fastest(iif(loading = 'isolated', f, NULL)) AS "lowest|figure",
       slowest(iif(loading = 'isolated', f, NULL)) AS "highest|figure"
FROM verb_cost WHERE v IN (SELECT v FROM figure WHERE {where})
GROUP BY protocol, verb, path, reads
ORDER BY place('protocol', protocol), place('verb', verb), place('path', path), place('reads', reads)
