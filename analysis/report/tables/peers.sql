/*
doc = "rings that nvcc made of other libraries compared with ours, each at its best"
runs = "peers"
none = "no peer with slots of :payload_bytes bytes was measured"
hint = "tools/peers makes a bundle of them and of our rings"
absent = "-"
[arguments]
payload_bytes = { words = "BYTES", default = "128" }
ours = { words = "PROTOCOL" }
axes = true
*/
-- A ring of one warp a role, alone in its CTA. A row is the fastest: of ours whatever the mover, of a peer for each
-- mover and scope. Ratios are ours over the peer's, of the same roles.
WITH
ring AS (
  SELECT nvcc IS NOT NULL AS peer, max(1, coalesce(items_a_phase, 1)) AS items, protocol, mover, roles, scope, origin, id,
         spelled, num_stages, library, nvcc, flags, llvm, share(f, max(1, coalesce(items_a_phase, 1))) AS item, {where} AS wanted,
         -- One warp a role is not said.
         iif(instr(spelled || char(10), char(10) || 'producers=1' || char(10)), ' producers', '') ||
         iif(instr(spelled || char(10), char(10) || 'consumers=1' || char(10)), ' consumers', '') ||
         iif(roles = 'specialized', ' roles', '') AS ordinary
  FROM figure
  WHERE kind = 'point' AND quantity = 'cycles' AND reason = '' AND probe = 'ring' AND payload_bytes = :payload_bytes
    AND work = 'none' AND coalesce(producers, 1) = 1 AND coalesce(consumers, 1) = 1
    AND coalesce(granularity, 'warp') = 'warp' AND coalesce(ctas_per_sm, 1) = 1),
best AS (
  SELECT *, row_number() OVER (PARTITION BY peer, items > 1, protocol, iif(peer, mover, ''), roles, iif(peer, scope, '')
                               ORDER BY value(item), id) AS nth
  FROM ring WHERE peer OR wanted),
row AS (SELECT *, items > 1 AS several, value(item) AS cycles FROM best WHERE nth = 1),
ours AS (
  SELECT roles, several, min(cycles) AS any, min(iif(protocol = :ours, cycles, NULL)) AS own
  FROM row WHERE NOT peer GROUP BY 1, 2),
there AS (SELECT max(several AND NOT peer AND protocol = :ours) AS several_of_ours, max(peer) AS peers FROM row)
SELECT origin, protocol, mover, row.roles, joined(num_stages || ' stages', chosen(spelled,
         'num_stages payload_bytes items_a_phase file library nvcc flags roles' || ordinary)) AS "at",
       items AS "items a phase|n", item AS "cycles an item|figure",
       iif(:ours = '', NULL, iif(peer, coalesce(same.own / cycles, '-'), '-')) AS {as ours ?% / it|.2f},
       iif(several_of_ours, iif(peer AND NOT row.several, coalesce(many.own / cycles, '-'), '-'), NULL) AS {as ours ?%, several a phase / it|.2f},
       iif(peer, coalesce(same.any / cycles, '-'), '-') AS "ours / it|.2f",
       iif(llvm IS NOT NULL, 'LLVM ' || llvm, iif(peer, 'nvcc ' || nvcc || ' ' || replace(flags, ',', ' ') || ', ' || library, 'phasebit')) AS "made by",
       short_hash(id) AS variant
FROM row LEFT JOIN ours AS same ON same.roles = row.roles AND same.several = row.several
LEFT JOIN ours AS many ON many.roles = row.roles AND many.several, there
WHERE peers
ORDER BY peer, cycles, protocol, mover, row.roles, scope
