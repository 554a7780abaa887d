/*
doc = "variants by LLVM compared with the same by the templates: ratios, by class"
none = "no variant was measured by LLVM and by the templates"
hint = "specs/llvm.toml has sweeps of them, for -a llvm=none,22"
absent = "-"
[arguments]
axes = true
*/
-- At LLVM's usual choices: -O2, 32-bit addresses in shared memory. refused: no figure by LLVM, one by the templates.
WITH
set_of_gpus AS (
  SELECT gpus.g, gpus.model, gpus.g = :g AS here FROM gpus JOIN gpus AS own ON own.g = :g
  WHERE gpus.runs = '' AND (gpus.g = :g OR (gpus.model <> own.model AND
        (gpus.is_model OR (SELECT count(*) FROM device WHERE name = gpus.model) = 1)))),
pair AS (
  SELECT set_of_gpus.here, set_of_gpus.model, ours.id, ours.probe, ours.protocol, ours.mover,
         llvm.cycles / ours.cycles AS ratio, llvm.reason <> '' AS refused
  FROM set_of_gpus
  JOIN every_figure AS llvm ON llvm.g = set_of_gpus.g
  JOIN every_figure AS ours ON ours.g = set_of_gpus.g AND ours.id = without(llvm.spelled, 'llvm', 'llvm_opt', 'short_ptr')
  WHERE llvm.kind = 'point' AND llvm.quantity = 'cycles' AND names(llvm.named, 'llvm') AND coalesce(llvm.llvm_opt, 2) = 2
    AND llvm.short_ptr IS NOT 'off' AND llvm.f IN (SELECT f FROM every_figure WHERE {where})
    AND ours.kind = 'point' AND ours.quantity = 'cycles' AND ours.newest AND ours.reason = '' AND ours.cycles > 0 AND ours.declared),
named AS (
  SELECT probe, protocol, mover, 0 AS last, here, model, id, ratio, refused FROM pair
  UNION ALL SELECT 'all', '', '', 1, here, model, id, ratio, refused FROM pair),
ranked AS (
  SELECT *, row_number() OVER (PARTITION BY last, probe, protocol, mover, here, model, refused ORDER BY ratio, id) AS nth,
         count(*) OVER (PARTITION BY last, probe, protocol, mover, here, model, refused) AS number
  FROM named),
own AS (
  SELECT last, probe, protocol, mover, sum(NOT refused) AS pairs, sum(NOT refused AND ratio <= 1.05) AS slow,
         sum(NOT refused AND ratio <= 0.95) AS fast, min(ratio) AS low, max(iif(NOT refused AND nth = number / 2 + 1, ratio, NULL)) AS middle,
         max(ratio) AS high, max(iif(NOT refused AND nth = number, id, NULL)) AS high_id, sum(refused) AS refused
  FROM ranked WHERE here GROUP BY 1, 2, 3, 4),
there AS (
  SELECT last, probe, protocol, mover, model, sum(NOT refused AND ratio <= 1.05) || ' of ' || sum(NOT refused) AS slow
  FROM ranked WHERE NOT here GROUP BY 1, 2, 3, 4, 5 HAVING sum(NOT refused) > 0)
SELECT own.probe, own.protocol, own.mover, pairs AS "pairs|n", own.slow AS "<= 1.05|n", fast AS "<= 0.95|n",
       coalesce(low, '-') AS "lowest|.3f", coalesce(middle, '-') AS "median|.3f", coalesce(high, '-') AS "highest|.3f",
       coalesce(high_id, '-') AS "variant of the highest", refused AS "refused|n",
       substr(replace(model, 'NVIDIA ', ''), 1, instr(replace(model, 'NVIDIA ', '') || ' ', ' ') - 1) || ': <= 1.05' AS across,
       there.slow AS "|n",
       format('Cycles by LLVM over cycles by the templates'' PTX of the same variant, %s. <= 1.05: pairs that are at most 5 %% slower; <= 0.95: more than 5 %% faster. refused: LLVM''s does not pass the gate, or has no figure.',
              (SELECT model FROM set_of_gpus WHERE here)) AS "_note"
FROM own LEFT JOIN there USING (last, probe, protocol, mover)
ORDER BY last, 1, 2, 3
