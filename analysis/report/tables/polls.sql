/*
doc = "polls that failed before a wait returned"
probe = "response"
hint = "it is made from sweeps of specs/probes.toml"
legend = """
Polls that failed before a wait returned, by the cycles for which the commit was held back."""
varied = true
across = ["0", "256", "1024", "4096", "16384", "65536", "262144", "1048576", "4194304"]
[where]
arrival = "warp"
uniform_role = "on"
[arguments]
axes = true
*/
-- A wake-up from after the commit is another figure: the table closure has it.
SELECT protocol, waited_on, dash(semantics, 'semantics', blank) AS semantics, consumers, counting, delay_cycles AS across, f AS "|figure"
FROM figure
WHERE kind = 'point' AND quantity IN ('polls', 'cycles') AND probe = 'response' AND newest AND declared AND NOT unrolled AND {where}
  AND counting IS NOT 'off' AND clock IS NOT 'behind' AND delay_cycles IN (0, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304)
  AND (quantity = 'polls' OR (reason <> '' AND v NOT IN (SELECT v FROM figure WHERE quantity = 'polls')))
ORDER BY place('protocol', protocol), place('waited_on', waited_on), place('semantics', semantics),
         place('consumers', consumers), place('counting', counting)
