/*
doc = "round trips between CTAs by size and semantics: median, lowest and highest pair"
probe = "cluster"
hint = "it is made from sweeps of specs/cluster.toml"
legend = """
Cycles on the clock of the CTA that the token comes from: median, lowest and highest over the ordered pairs of ranks, \
and the same code with both roles in one CTA; ± of a median over pairs is the widest of theirs."""
varied = true
[arguments]
axes = true
*/
WITH
trip AS (
  SELECT iif(quantity = 'without_loop', 'subtracted', 'with') AS "loop", protocol, cluster_size AS size,
         iif(arrive_semantics IS NULL,
             CASE semantics WHEN 'explicit' THEN 'release / acquire' WHEN 'relaxed' THEN 'relaxed / not written'
                            ELSE 'not written' END,
             iif(arrive_semantics = 'default', 'not written', replace(arrive_semantics, '_', '.')) || ' / ' ||
             iif(wait_semantics = 'default', 'not written', replace(wait_semantics, '_', '.')) ||
             iif(fenced = 'on', ', fenced', '')) AS said,
         -- What else differs from the defaults.
         joined(iif(mover <> 'none', mover, ''),
                iif(mover <> 'none' AND NOT names(named, 'payload_bytes'), 'payload_bytes=' || payload_bytes, ''),
                iif(num_stages <> 1, num_stages || ' stages', ''),
                rest(iif(producers = consumers,
                         replace(spelled, 'producers=' || producers,
                                 iif(roles = 'unified', consumers || ' warps', consumers || ' x ' || consumers || ' warps')),
                         spelled),
                     'cluster_size first_rank second_rank roles arrive_semantics wait_semantics fenced num_stages' ||
                     iif(producers = consumers, ' consumers', '') || iif(arrive_semantics IS NULL, ' semantics', ''))) AS other,
         first_rank || '→' || second_rank AS pair, first_rank <> second_rank AS apart, unit, f, reason, cycles, half
  FROM figure
  WHERE kind = 'point' AND quantity IN ('cycles', 'without_loop') AND probe = 'cluster' AND declared AND NOT unrolled
    AND {where}),
row AS (
  SELECT "loop", protocol, said, other, size, unit, sum(apart AND reason = '') AS pairs,
         median(iif(apart, cycles, NULL)) AS median, max(iif(apart, half, NULL)) AS width,
         fastest(iif(apart, f, NULL)) AS low, slowest(iif(apart, f, NULL)) AS high,
         median(iif(apart, NULL, cycles)) AS inside, max(iif(apart, NULL, half)) AS inside_width,
         sum(reason <> '') AS failed, max(iif(reason <> '', f, NULL)) AS last_failed
  FROM trip GROUP BY "loop", protocol, said, other, size)
SELECT row."loop", row.protocol, row.said AS "arrive / wait", row.other AS "else", row.size AS "CTAs|n", pairs AS "pairs|n",
       iif(median IS NULL AND inside IS NULL, 'failed: ' || substr(reason(last_failed), 1, instr(reason(last_failed) || ':', ':') - 1), median) AS "median|±",
       width AS "|half",
       iif(pairs > 1, value(low), NULL) AS "lowest|±", half(low) AS "|half", ' (' || low_trip.pair || ')' AS "|after",
       iif(pairs > 1, value(high), NULL) AS "highest|±", half(high) AS "|half", ' (' || high_trip.pair || ')' AS "|after",
       inside AS "inside one CTA|±", inside_width AS "|half", row.unit,
       iif(failed > 0, format('%s, %s, cluster of %d: %d without a figure, the last: %s.', row.protocol, row.said, row.size, failed, reason(last_failed)), NULL) AS "_note"
FROM row LEFT JOIN trip AS low_trip ON low_trip.f = low LEFT JOIN trip AS high_trip ON high_trip.f = high
ORDER BY 1, 2, 3, 4, 5
