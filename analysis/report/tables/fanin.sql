/*
doc = "cycles of a phase by number of warps"
probe = "fanin"
hint = "it is made from sweeps of specs/probes.toml"
legend = "Cycles from one phase to the next by number of warps that all arrive and all wait."
varied = true
across = ["1", "2", "3", "4", "6", "8", "12", "16", "24", "32"]
[arguments]
axes = true
*/
SELECT iif(quantity = 'without_loop', 'subtracted', 'with') AS "loop", protocol, waited_on,
       dash(arrival, 'arrival', blank) AS arrival,
       rest(spelled, 'num_stages roles producers consumers wait operand arrival hint_ns backoff_ns') AS spelling,
       producers AS across, f AS "|figure"
FROM figure
WHERE kind = 'point' AND quantity IN ('cycles', 'without_loop') AND probe = 'fanin' AND newest AND declared
  AND NOT unrolled AND producers IN (1, 2, 3, 4, 6, 8, 12, 16, 24, 32) AND {where}
ORDER BY "loop", place('protocol', protocol), waited_on, place('arrival', dash(arrival, 'arrival', blank)), spelling
