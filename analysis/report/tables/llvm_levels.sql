/*
doc = "variants by LLVM at -O0 to -O3 and with 64-bit addresses"
none = "no variant was measured by LLVM and by the templates"
hint = "specs/llvm.toml has sweeps of them, for -a llvm=none,22"
across = ["-O0", "-O1", "-O2", "-O3", "-O2, 64-bit addresses"]
every_column = true
absent = "-"
[arguments]
axes = true
*/
WITH
pair AS (
  SELECT ours.id, ours.f AS ours, llvm.f AS llvm,
         '-O' || coalesce(llvm.llvm_opt, 2) || iif(llvm.short_ptr IS 'off', ', 64-bit addresses', '') AS choice
  FROM figure AS llvm
  JOIN figure AS ours ON ours.id = without(llvm.spelled, 'llvm', 'llvm_opt', 'short_ptr') AND ours.newest
  WHERE llvm.kind = 'point' AND llvm.quantity = 'cycles' AND names(llvm.named, 'llvm') AND llvm.f IN (SELECT f FROM figure WHERE {where})
    AND ours.kind = 'point' AND ours.quantity = 'cycles' AND ours.reason = '' AND ours.cycles > 0 AND ours.declared),
several AS (SELECT *, count(*) OVER (PARTITION BY id) AS choices FROM pair)
SELECT id AS variant, ours AS "templates|figure", choice AS across, llvm AS "|figure"
FROM several WHERE choices > 1 ORDER BY id
