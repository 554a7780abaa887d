/*
doc = "how deep a ring must be where the time of an item varies: cycles per item by number of stages"
probe = "ring"
hint = "it is made from the sweep jitter of specs/experiments.toml"
legend = """
Cycles per item by number of stages. All distributions have one mean, so a column holds what the order of long and short \
items costs. Spread: blocks of eight dependent FMAs around a mean of 16."""
[where]
work = "jitter"
[arguments]
axes = true
*/
SELECT protocol, mover, work_role AS "delayed", jitter, dash(jitter_spread, 'jitter_spread', blank) AS spread,
       rest(spelled, 'num_stages jitter jitter_spread work_role') AS spelling, num_stages AS across, f AS "|figure"
FROM figure
WHERE kind = 'point' AND quantity = 'cycles' AND probe = 'ring' AND work = 'jitter' AND newest AND declared AND {where}
ORDER BY place('protocol', protocol), mover, work_role, spelling, place('jitter', jitter), jitter_spread, num_stages
