/*
doc = "what single PTX forms cost, in levels (forms rows=levels)"
none = "the results hold no form that fits (sweep forms of specs/forms.toml)"
legend = """
Cycles of one operation: the slopes of the most and the fewest in a row (16, 8 and 4), their difference over those \
between. Measure throughput: independent operations, back to back; latency: each operation's \
operand needs the result before. Link: the instructions through which it does, measured alone: the same code with a \
NOP in the operation's place; where there is no link, it is in the figure. Without link: the difference. Loaded: \
next to 8 warps that compute and use shared memory. Forms whose isolated figures lie within max(0.5 cycles, 1 %) of the \
next are one row: from the lowest to the highest. Codes: into how many different pieces of code they were assembled. \
All say, none says: words that every form of the row has, and that none has, where others of this path, measure and \
lanes differ. Flags: of how many of these forms."""
[arguments]
path = { words = "WORD", default = "*" }
measure = { words = "WORD", default = "*" }
lanes = { words = "WORD", default = "*" }
family = { words = "PATTERN", default = "*" }
*/
WITH
cost AS MATERIALIZED (
  SELECT form_cost.*, coalesce(text, form) AS says, value(isolated) AS cycles, half(isolated) AS half,
         iif(value(isolated) IS NULL, cell(isolated), '') AS refused, path || char(10) || measure || char(10) || lanes AS place
  FROM form_cost LEFT JOIN form USING (form)
  WHERE g = :g AND fits(:family, substr(form_cost.form, 1, instr(form_cost.form || '#', '#') - 1)) AND fits(:path, path)
    AND fits(:measure, measure) AND fits(:lanes, lanes)),
step AS (
  SELECT *, lag(refused) OVER sorted IS NOT refused
              OR coalesce(cycles - lag(cycles) OVER sorted > max(0.5, 0.01 * abs(lag(cycles) OVER sorted)), 0) AS begins
  FROM cost WINDOW sorted AS (PARTITION BY place ORDER BY refused <> '', cycles, refused, form)),
numbered AS (
  SELECT *, sum(begins) OVER (PARTITION BY place ORDER BY refused <> '', cycles, refused, form ROWS UNBOUNDED PRECEDING) AS level FROM step),
level AS (
  SELECT place, level, path, measure, lanes, refused, min(cycles) AS low, max(cycles) AS high, max(half) AS width,
         (SELECT group_concat(form, char(10)) FROM (SELECT DISTINCT n.form FROM numbered AS n WHERE n.place = l.place AND n.level = l.level ORDER BY 1)) AS forms
  FROM numbered AS l GROUP BY place, level),
-- Levels of the same forms that cost the same with one lane and with all, or on two paths, are one.
lanes_joined AS (
  SELECT min(place) AS place, min(level) AS level, path, measure, group_concat(lanes, ', ') AS lanes, forms,
         refused, low, high, width, group_concat(place || char(9) || level, char(11)) AS parts
  FROM level GROUP BY measure, path, forms, refused, cost_text(low, high, width)),
joined_level AS (
  SELECT min(place) AS place, min(level) AS level, group_concat(path, ', ') AS path, measure, lanes, forms,
         refused, low, high, width, group_concat(parts, char(11)) AS parts
  FROM lanes_joined GROUP BY measure, lanes, forms, refused, cost_text(low, high, width)),
member AS (
  SELECT joined_level.place AS first_place, joined_level.level AS first_level, numbered.*,
         row_number() OVER (PARTITION BY joined_level.place, joined_level.level, numbered.form ORDER BY numbered.place) AS nth
  FROM joined_level JOIN numbered ON instr(char(11) || parts || char(11), char(11) || numbered.place || char(9) || numbered.level || char(11))),
row AS (
  SELECT first_place, first_level, count(DISTINCT form) AS forms, count(DISTINCT iif(nth = 1, text_hashes, NULL)) AS codes,
         min(cycles) AS low, max(cycles) AS high, max(half) AS width,
         min(value(loaded)) AS loaded_low, max(value(loaded)) AS loaded_high, max(half(loaded)) AS loaded_width,
         (SELECT group_concat(says, char(10)) FROM (SELECT DISTINCT m.form, m.says FROM member AS m
           WHERE m.first_place = member.first_place AND m.first_level = member.first_level ORDER BY 1)) AS texts,
         tally(form, isolated, loaded) AS flags
  FROM member GROUP BY first_place, first_level),
every AS (SELECT place, group_concat(says, char(10)) AS texts FROM (SELECT place, says FROM cost ORDER BY form) GROUP BY place)
SELECT path, measure, lanes, iif(refused = '', row.low, refused) AS "isolated|range", row.width AS "|half", row.high AS "|high",
       loaded_low AS "loaded|range", loaded_width AS "|half", loaded_high AS "|high", row.forms AS "forms|n", codes AS "codes|n",
       all_say(row.texts, every.texts) AS "all say", none_says(row.texts, every.texts) AS "none says",
       substr(row.texts, 1, instr(row.texts || char(10), char(10)) - 1) AS "one of them", flags AS "?flags"
FROM joined_level JOIN row ON row.first_place = joined_level.place AND row.first_level = joined_level.level
JOIN every ON every.place = joined_level.place
ORDER BY joined_level.place, joined_level.level
