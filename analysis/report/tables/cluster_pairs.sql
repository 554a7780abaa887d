/*
doc = "the matrix of one cluster size, rank by rank"
probe = "cluster"
hint = "it is made from sweeps of specs/cluster.toml"
legend = """
Cycles of a round trip from one rank of the cluster to another, on the clock of the first; a rank to itself is the \
same code inside one CTA."""
varied = true
[arguments]
axes = true
*/
-- Of the protocol of which most pairs were measured, and the largest size, where no argument says another.
WITH
trip AS (
  SELECT *, count(*) OVER (PARTITION BY protocol) AS pairs
  FROM figure WHERE kind = 'point' AND quantity = 'without_loop' AND probe = 'cluster' AND mover = 'none' AND work = 'none'
    AND num_stages = 1 AND {where} AND only(named, {free} || ' mover work num_stages protocol cluster_size first_rank second_rank')),
protocol AS (SELECT *, max(cluster_size) OVER () AS largest FROM trip WHERE pairs = (SELECT max(pairs) FROM trip))
SELECT first_rank AS "from", format('%3d', second_rank) AS "_order", 'to ' || second_rank AS across, f AS "|figure",
       format('%s, clusters of %d.', protocol, cluster_size) AS "_note"
FROM protocol WHERE cluster_size = largest ORDER BY first_rank, second_rank
