/*
doc = "what the modes pass found in each variant"
may_be_empty = true
*/
SELECT id AS variant, places AS "places|n", processes AS "processes|n", nullif(modes, 0) AS "modes|n", cycles,
       lowest AS "lowest|.2f", highest AS "highest|.2f", separators AS "separated by",
       iif(failed > 0, format('%s: %d places failed, the last with %s.', id, failed, reason), NULL) AS "_note",
       iif(sms <> '', format('%s: the GPU placed its cluster on SMs %s.', id, sms), NULL) AS "_note"
FROM mode_row WHERE g = :g ORDER BY id
