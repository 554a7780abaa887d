/*
doc = "what one verb costs, alone and under load"
probe = "verb"
hint = "it is made from sweeps of specs/probes.toml"
legend = """
Cycles of one verb by one warp: the difference of the slopes of the fewest and the most copies in a row, from four on, \
over the copies between them; alone, and next to eight CTAs that compute and use shared memory. issue: one after the other; \
completion: each arrival is followed by a wait for the phase it completes, each try waits for the last one's answer. \
A wait that is ready is a path through, completing and pending say whether an arrival ends its phase."""
varied = true
across = ["isolated", "loaded"]
[arguments]
axes = true
*/
SELECT protocol, verb, path, reads, spelling, loading AS across, f AS "|figure"
FROM verb_cost WHERE v IN (SELECT v FROM figure WHERE {where})
ORDER BY place('protocol', protocol), place('verb', verb), place('path', path), place('reads', reads), spelling
