/*
doc = "one ring by every origin, each at its best: templates, forks, LLVM, nvcc's"
runs = "peers"
none = "no peer with :num_stages slots of :payload_bytes bytes was measured"
hint = "docs/llvm.md has the commands that pack one"
absent = "-"
[arguments]
payload_bytes = { words = "BYTES", default = "512" }
num_stages = { words = "N", default = "4" }
ours = { words = "PROTOCOL", needed = true }
*/
-- Peers are compared with our fastest ring of their roles; LLVM's and forks with the same variant by the templates.
WITH
ring AS (
  SELECT origin, protocol, mover, roles, iif(nvcc IS NULL, '', scope) AS scope, coalesce(tuned, '') AS fork, id, spelled,
         nvcc, flags, library, llvm, f AS item,
         iif(instr(spelled || char(10), char(10) || 'producers=1' || char(10)), ' producers', '') ||
         iif(instr(spelled || char(10), char(10) || 'consumers=1' || char(10)), ' consumers', '') AS ordinary,
         CASE origin WHEN 'template' THEN 0 WHEN 'form' THEN 1 WHEN 'tuned' THEN 2 WHEN 'snippet' THEN 3 WHEN 'file' THEN 4
                     WHEN 'nvcc' THEN 5 ELSE 6 END AS place
  FROM figure
  WHERE kind = 'point' AND quantity = 'cycles' AND reason = '' AND probe = 'ring' AND payload_bytes = :payload_bytes
    AND num_stages = :num_stages AND work = 'none' AND coalesce(producers, 1) = 1 AND coalesce(consumers, 1) = 1
    AND coalesce(granularity, 'warp') = 'warp'
    AND coalesce(ctas_per_sm, 1) = 1 AND max(1, coalesce(items_a_phase, 1)) = 1),
best AS (
  SELECT *, row_number() OVER (PARTITION BY origin, protocol, mover, roles, scope, fork ORDER BY value(item), id) AS nth
  FROM ring),
row AS (SELECT *, value(item) AS cycles FROM best WHERE nth = 1),
ours AS (SELECT roles, min(cycles) AS cycles FROM row WHERE origin = 'template' AND protocol = :ours GROUP BY roles)
SELECT origin, protocol, mover, row.roles,
       joined(:num_stages || ' stages', chosen(spelled,
              'num_stages payload_bytes items_a_phase file library nvcc flags roles llvm' || ordinary)) AS "at",
       item AS "cycles|figure",
       CASE origin WHEN 'template' THEN NULL WHEN 'nvcc' THEN row.cycles / ours.cycles
            ELSE row.cycles / (SELECT twin.cycles FROM figure AS twin
                               WHERE twin.id = without(row.spelled, 'llvm', 'llvm_opt', 'short_ptr', 'tuned') AND twin.newest
                                 AND twin.kind = 'point' AND twin.quantity = 'cycles' AND twin.cycles > 0) END AS "/ template|.2f",
       iif(llvm IS NOT NULL, 'LLVM ' || llvm, iif(nvcc IS NOT NULL, 'nvcc ' || nvcc || ' ' || replace(flags, ',', ' ') || ', ' || library, 'phasebit')) AS "made by",
       short_hash(id) AS variant
FROM row LEFT JOIN ours ON ours.roles = row.roles
WHERE EXISTS (SELECT 1 FROM row WHERE origin = 'nvcc')
ORDER BY place, row.cycles, protocol, mover, row.roles, scope, fork
