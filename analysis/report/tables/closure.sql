/*
doc = "rings and hand-offs as their parts predict them, and as measured"
hint = "it is made from sweeps of specs/core.toml and specs/probes.toml"
legend = """
Cycles predicted from other figures of the same results, and measured; residual = measured - predicted, also in \
percent of measured; open: more than 10 %. Nothing is fitted. Hand-off and meeting (fan-in of one warp), without \
their loop: commit + release, each followed by a wait for the phase that it completes; twice the wake-up after a \
commit without delay; twice a fan-in of two warps. Ring: max(acquire + commit, wait + release, round trip / stages) \
of ready waits, or by its own ends max(deepest, one stage / stages); a verb has no loop, a ring has one."""
varied = true
[arguments]
axes = true
*/
-- Two probes are spelled alike where all axes away from their default agree but those that a probe is asked by.
WITH
point AS MATERIALIZED (
  SELECT *, without(spelled, 'probe', 'num_stages') AS token, {where} AS wanted
  FROM figure
  WHERE kind = 'point' AND newest AND NOT (unrolled AND quantity <> 'without_loop')
    AND probe IN ('ring', 'handoff', 'verb', 'response', 'fanin')),
copies AS (
  SELECT without(spelled, 'probe', 'num_stages', 'addressing', 'verb', 'path', 'reads', 'load') AS words,
         verb || ' ' || path || ' ' || reads AS asked, reads = 'completion' AS chained, num_stages AS n, f
  FROM point WHERE probe = 'verb' AND quantity = 'cycles' AND "load" IS NOT 'busy'),
verb AS MATERIALIZED (
  SELECT words, asked, per_operation(f, n, chained) AS f FROM copies GROUP BY words, asked HAVING min(n) < max(n)),
verbs AS MATERIALIZED (
  SELECT words, max(iif(asked = 'commit completing completion', f, NULL)) AS commit_done,
         max(iif(asked = 'release completing completion', f, NULL)) AS release_done,
         max(iif(asked = 'commit completing issue', f, NULL)) AS commit_issue,
         max(iif(asked = 'release completing issue', f, NULL)) AS release_issue,
         max(iif(asked = 'acquire ready issue', f, NULL)) AS acquire_issue,
         max(iif(asked = 'wait ready issue', f, NULL)) AS wait_issue
  FROM verb WHERE reason(f) = '' GROUP BY words),
wake AS (
  SELECT without(spelled, 'probe', 'num_stages', 'counting', 'delay_cycles', 'clock') AS words, f
  FROM point WHERE probe = 'response' AND quantity = 'wake' AND clock = 'behind' AND delay_cycles = 0 AND reason = ''),
meeting AS (
  SELECT without(spelled, 'probe', 'num_stages', 'roles', 'producers', 'consumers') AS words, producers, f, id, wanted
  FROM point WHERE probe = 'fanin' AND quantity = 'without_loop' AND reason = ''),
trip AS (
  SELECT token AS words, id, f, quantity, wanted FROM point
  WHERE probe = 'handoff' AND quantity IN ('cycles', 'without_loop') AND reason = ''),
ring AS (
  SELECT id, f, cycles, half, num_stages AS stages, wanted, token AS depth,
         without(spelled, 'probe', 'num_stages', 'addressing') AS words
  FROM point WHERE probe = 'ring' AND quantity = 'cycles'),
depths AS (
  SELECT *, count(*) OVER sweep AS rings, min(stages) OVER sweep AS least, max(stages) OVER sweep AS most,
         first_value(f) OVER sweep AS one, last_value(f) OVER sweep AS deep
  FROM ring WINDOW sweep AS (PARTITION BY depth ORDER BY stages ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)),
made AS (
  SELECT 'hand-off: its verbs' AS kind, id, trip.f AS measured, plus(commit_done, release_done) AS predicted, wanted,
         said('commit', commit_done) || ' + ' || said('release', release_done) AS formula
  FROM trip JOIN verbs USING (words) WHERE quantity = 'without_loop' AND commit_done IS NOT NULL AND release_done IS NOT NULL
  UNION ALL
  SELECT 'hand-off: two meetings', trip.id, trip.f, times(2, meeting.f), trip.wanted, '2 x ' || said('fan-in', meeting.f)
  FROM trip JOIN meeting USING (words) WHERE quantity = 'without_loop' AND producers = 2
  UNION ALL
  SELECT 'hand-off with its loop: the wake-up', id, trip.f, plus(plus(commit_issue, release_issue), times(2, wake.f)), wanted,
         said('commit', commit_issue) || ' + ' || said('release', release_issue) || ' + 2 x ' || said('wake-up', wake.f)
  FROM trip JOIN verbs USING (words) JOIN wake USING (words)
  WHERE quantity = 'cycles' AND commit_issue IS NOT NULL AND release_issue IS NOT NULL
  UNION ALL
  SELECT 'meeting: its verb', id, meeting.f, commit_done, wanted, said('commit', commit_done)
  FROM meeting JOIN verbs USING (words) WHERE producers = 1 AND commit_done IS NOT NULL
  UNION ALL
  SELECT 'ring of 1: its hand-off', ring.id, ring.f, trip.f, ring.wanted, said('round trip', trip.f)
  FROM ring JOIN trip USING (words) WHERE quantity = 'cycles' AND stages = 1
  UNION ALL
  SELECT 'ring: its verbs', ring.id, ring.f,
         larger(larger(plus(acquire_issue, commit_issue), plus(wait_issue, release_issue)), times(1.0 / stages, trip.f)), ring.wanted,
         'max(' || said('acquire', acquire_issue) || ' + ' || said('commit', commit_issue) || ', ' || said('wait', wait_issue) || ' + ' ||
         said('release', release_issue) || ', ' || said('round trip', trip.f) || ' / ' || stages || ')'
  FROM ring JOIN trip USING (words) JOIN verbs USING (words)
  WHERE quantity = 'cycles' AND stages > 1 AND acquire_issue IS NOT NULL AND commit_issue IS NOT NULL AND wait_issue IS NOT NULL
    AND release_issue IS NOT NULL
  UNION ALL
  SELECT 'ring: its own ends', id, f, larger(deep, times(1.0 / stages, one)), wanted,
         'max(' || said(most || ' stages', deep) || ', ' || said('1 stage', one) || ' / ' || stages || ')'
  FROM depths WHERE rings > 2 AND least = 1 AND stages NOT IN (1, most) AND reason(deep) = '' AND reason(one) = ''),
row AS (
  SELECT *, difference(measured, predicted) AS residual FROM made WHERE wanted AND reason(predicted) = '' AND reason(measured) = ''),
open AS (
  SELECT *, iif(value(measured) = 0, 0, 100 * value(residual) / abs(value(measured))) AS percent FROM row),
rest AS (
  SELECT count(DISTINCT iif(probe = 'ring', id, NULL)) AS rings, count(DISTINCT iif(probe = 'handoff', id, NULL)) AS trips
  FROM point WHERE reason = '' AND quantity = 'cycles' AND wanted AND id NOT IN (SELECT id FROM row))
SELECT kind, id AS variant, formula AS "predicted from", predicted AS "predicted|figure", measured AS "measured|figure",
       value(residual) AS "residual|±", half(residual) AS "|half", percent AS "percent|{:.1f} %",
       iif(abs(percent) > 10, 'open', '') AS open,
       format('%d of %d rows are open.', sum(abs(percent) > 10) OVER (), count(*) OVER ()) AS "_note",
       iif(rings + trips = 0, NULL, format('%d rings and %d hand-offs have no row: a part of them was not measured in their spelling.', rings, trips)) AS "_note"
FROM open, rest ORDER BY kind, id
