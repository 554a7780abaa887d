/*
doc = "the same figures on several GPUs: how many agree, by class"
all_gpus = true
none = "the results are of one GPU"
hint = "name results of several: results/*/*.csv.zst"
*/
-- Several GPUs of a model are one, but next to one of their own model each counts for itself.
WITH
own AS (SELECT name, model, is_model FROM gpus WHERE g = :g),
model AS (SELECT name, count(*) AS gpus FROM device GROUP BY name),
other AS (
  SELECT gpus.g, iif(gpus.model = own.model, gpus.model || ' ' || substr(gpus.name, 1, 12), gpus.model) AS label,
         gpus.model || iif(gpus.model = own.model, gpus.name, '') AS place
  FROM gpus, own JOIN model ON model.name = gpus.model
  WHERE runs = '' AND gpus.g <> :g AND NOT (own.is_model AND gpus.model = own.model)
    AND iif(gpus.model = own.model, NOT gpus.is_model, gpus.is_model OR model.gpus = 1)),
-- Semantics beyond the CTA, a fence between proxies, an address in memory.
wide_form AS (
  SELECT form FROM form
  WHERE text LIKE '%.release.cluster%' OR text LIKE '%.acquire.cluster%' OR text LIKE '%.acq_rel.cluster%'
     OR text LIKE '%.sc.cluster%' OR text LIKE '%.gpu%' OR text LIKE '%.gl;%' OR text LIKE '%.sys%'
     OR text LIKE '%.global%' OR text LIKE '%fence.proxy%' OR text LIKE '%barrier.cluster%'),
-- What orders beyond the CTA goes through caches that the SMs share. Of an operation whose axes name no scope, one that
-- spans a cluster has the cluster's.
here AS (
  SELECT id, f, cycles, probe || '/' || protocol AS class,
         CASE
           WHEN form IS NOT NULL THEN form IN (SELECT form FROM wide_form)
           WHEN (arrive_semantics LIKE '%cluster%' AND arrive_semantics NOT LIKE 'relaxed%') OR
                (wait_semantics LIKE '%cluster%' AND wait_semantics NOT LIKE 'relaxed%') OR fenced = 'on' THEN 1
           WHEN scope IS NOT NULL THEN (scope LIKE '%cluster%' OR scope IN ('gpu', 'sys')) AND semantics IS NOT 'implicit'
           ELSE cluster_size IS NOT NULL AND semantics IS NOT NULL AND semantics <> 'relaxed' END AS wide
  FROM figure
  WHERE kind = 'point' AND quantity = 'cycles' AND newest AND reason = '' AND cycles > 0
    AND probe NOT IN ('barrier_word', 'scale', 'gather')),  -- workloads differ by their memory
pair AS (
  SELECT other.label, other.place, class, wide, here.id, here.cycles AS here, there.cycles AS there,
         there.cycles / here.cycles AS ratio
  FROM other JOIN every_figure AS there ON there.g = other.g JOIN here ON here.id = there.id
  WHERE there.kind = 'point' AND there.quantity = 'cycles' AND there.newest AND there.reason = ''),
ranked AS (
  SELECT *, first_value(id) OVER least AS low_id, first_value(here) OVER least AS low_here, first_value(there) OVER least AS low_there,
         first_value(id) OVER most AS high_id, first_value(here) OVER most AS high_here, first_value(there) OVER most AS high_there
  FROM pair
  WINDOW least AS (PARTITION BY label, class, wide ORDER BY ratio, id), most AS (PARTITION BY label, class, wide ORDER BY ratio DESC, id DESC))
SELECT label AS GPU, (SELECT iif(is_model OR NOT EXISTS (SELECT 1 FROM other WHERE label LIKE own.model || ' GPU-%'), model, model || ' ' || substr(name, 1, 12)) FROM own) AS beside,
       class, iif(wide, 'cluster or GPU', 'CTA') AS scope, count(*) AS "figures|n",
       sum(abs(there - here) <= max(1, 0.01 * abs(here))) AS "agree|n", min(ratio) AS "lowest|.3f", median(ratio) AS "median|.3f",
       max(ratio) AS "highest|.3f", iif(min(ratio) * max(ratio) >= 1, high_id, low_id) AS "farthest apart",
       iif(min(ratio) * max(ratio) >= 1, high_here, low_here) AS "here|.1f",
       iif(min(ratio) * max(ratio) >= 1, high_there, low_there) AS "there|.1f",
       format('The same variants on another GPU and here (%s). agree: within 1 cycle or 1 %%; lowest, median and highest: cycles there over cycles here; scope: whether any operation that is timed orders beyond its CTA or, as a single form, goes to memory.',
              (SELECT iif(is_model OR NOT EXISTS (SELECT 1 FROM other WHERE label LIKE own.model || ' GPU-%'), model, model || ' ' || substr(name, 1, 12)) FROM own)) AS "_note"
FROM ranked GROUP BY label, class, wide ORDER BY min(place), class, wide
