/*
doc = "what was measured, where and how well"
sentences = true
*/
WITH
point AS (
  SELECT id, device_name, spread, cycles, repetitions, unit,
         CASE WHEN verdict = 'ungated' THEN 'ungated' WHEN reason <> '' AND value_groups IS NULL THEN 'failed'
              WHEN same_as <> '' THEN 'shared' ELSE 'measured' END AS became,
         CAST(ptxas AS TEXT) AS ptxas
  FROM figure WHERE kind = 'point' AND quantity = 'cycles'),
tally AS (
  SELECT count(DISTINCT id) AS variants, count(DISTINCT iif(became = 'measured', id, NULL)) AS measured,
         count(DISTINCT iif(became = 'shared', id, NULL)) AS same_code,
         count(DISTINCT iif(became = 'failed', id, NULL)) AS failed,
         count(DISTINCT iif(became = 'ungated', id, NULL)) AS ungated,
         coalesce(min(iif(became = 'measured', repetitions, NULL)), 0) AS fewest,
         coalesce(max(iif(became = 'measured', repetitions, NULL)), 0) AS most
  FROM point),
here AS (SELECT run.* FROM run JOIN run_of_gpus USING (r) WHERE g = :g),
day AS (SELECT min(substr(started, 1, 10)) AS first, max(substr(started, 1, 10)) AS last FROM here),
version AS (SELECT ptxas FROM point WHERE ptxas IS NOT NULL UNION SELECT ptxas FROM here),
ptxas AS (
  SELECT iif((SELECT count(ptxas) FROM point) = 0,
             (SELECT group_concat(ptxas, ', ') FROM (SELECT DISTINCT ptxas FROM here WHERE ptxas <> '' ORDER BY 1)),
             (SELECT ptxas FROM version ORDER BY version_place(ptxas) LIMIT 1) || ' to ' ||
             (SELECT ptxas FROM version ORDER BY version_place(ptxas) DESC LIMIT 1) ||
             ' (' || (SELECT count(*) FROM version) || ' versions)') AS ptxas),
gpu AS (SELECT coalesce((SELECT model FROM gpus WHERE g = :g), 'no device') AS device),
aa AS (
  SELECT count(*) AS pairs, coalesce(median(abs(a - b)), 0) AS median_cycles,
         coalesce(median(iif(a = 0, 0, 100 * abs(a - b) / abs(a))), 0) AS median_percent,
         coalesce(quantile(abs(a - b), 0.95), 0) AS p95_cycles,
         coalesce(quantile(iif(a = 0, 0, 100 * abs(a - b) / abs(a)), 0.95), 0) AS p95_percent
  FROM aa_pair WHERE g = :g AND v NOT IN (SELECT v FROM figure_row WHERE unit = 'ns per launch')),
bb AS (
  SELECT count(*) AS variants, coalesce(median(spread), 0) AS median_cycles,
         coalesce(median(iif(cycles = 0, 0, 100 * spread / abs(cycles))), 0) AS median_percent,
         coalesce(quantile(spread, 0.95), 0) AS p95_cycles,
         coalesce(quantile(iif(cycles = 0, 0, 100 * spread / abs(cycles)), 0.95), 0) AS p95_percent
  FROM point WHERE became = 'measured' AND repetitions > 1 AND unit <> 'ns per launch'),
said AS (
  SELECT variants, measured, same_code, failed, ungated,
         iif(fewest = most, most, fewest || ' to ' || most) AS repetitions, device,
         (SELECT group_concat(target, ', ') FROM (SELECT DISTINCT target FROM here WHERE target <> '' ORDER BY 1)) AS target,
         coalesce((SELECT group_concat(driver, ', ') FROM (SELECT DISTINCT driver FROM here WHERE driver <> '' ORDER BY 1)),
                  (SELECT driver FROM device ORDER BY d LIMIT 1)) AS driver,
         ptxas, iif(first = last, first, first || ' to ' || last) AS date
  FROM tally, gpu, ptxas, day)
SELECT said.variants, measured, same_code, failed, ungated, repetitions, device, target, driver, ptxas, date,
       pairs AS aa_pairs, format('%.3f', aa.median_cycles) AS aa_median_cycles,
       format('%.3f', aa.median_percent) AS aa_median_percent, format('%.3f', aa.p95_cycles) AS aa_p95_cycles,
       format('%.3f', aa.p95_percent) AS aa_p95_percent, bb.variants AS bb_variants,
       format('%.3f', bb.median_cycles) AS bb_median_cycles, format('%.3f', bb.median_percent) AS bb_median_percent,
       format('%.3f', bb.p95_cycles) AS bb_p95_cycles, format('%.3f', bb.p95_percent) AS bb_p95_percent,
       format('%s (%s), driver %s, ptxas %s, %s.', device, target, driver, ptxas, date) AS "_note",
       format('%d variants: %d measured in %s repetition%s, %d more assemble to identical SASS and share a result, %d failed, %d ungated.',
              said.variants, measured, repetitions, iif(repetitions = 1, '', 's'), same_code, failed, ungated) AS "_note",
       iif(pairs = 0, NULL, format('Repeatability (A/A, %d pairs): median %.3f, 95th percentile %.3f cycles (%.3f %%, %.3f %%).',
           pairs, aa.median_cycles, aa.p95_cycles, aa.median_percent, aa.p95_percent)) AS "_note",
       iif(bb.variants = 0, NULL, format('Moved by what must not matter (B/B, %d variants): median %.3f, 95th percentile %.3f cycles (%.3f %%, %.3f %%).',
           bb.variants, bb.median_cycles, bb.p95_cycles, bb.median_percent, bb.p95_percent)) AS "_note"
FROM said, aa, bb
