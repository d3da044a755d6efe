## a page
SELECT "id", "int", "decimal", "float", "bool", "text", "enum", "uuid", "date", "time", "timestamp", "timestamptz", "bytes", to_json("json"), "other" FROM "shop"."things" ORDER BY "id" LIMIT 20
## a later page
SELECT "id", "int", "decimal", "float", "bool", "text", "enum", "uuid", "date", "time", "timestamp", "timestamptz", "bytes", to_json("json"), "other" FROM "shop"."things" ORDER BY "id" LIMIT 20 OFFSET 60
## a page so late that a number cannot say it
SELECT "id", "int", "decimal", "float", "bool", "text", "enum", "uuid", "date", "time", "timestamp", "timestamptz", "bytes", to_json("json"), "other" FROM "shop"."things" ORDER BY "id" LIMIT 10000 OFFSET $1
   "99999999990000" int
## a page far behind
SELECT "id", "int", "decimal", "float", "bool", "text", "enum", "uuid", "date", "time", "timestamp", "timestamptz", "bytes", to_json("json"), "other" FROM "shop"."things" ORDER BY "id" LIMIT 20 OFFSET $1
   "5000" int
## a page far behind, the other way round, some columns
SELECT "text" FROM "shop"."things" ORDER BY "id" DESC LIMIT 20 OFFSET $1
   "5000" int
## a page far behind of what matches
SELECT "id", "int", "decimal", "float", "bool", "text", "enum", "uuid", "date", "time", "timestamp", "timestamptz", "bytes", to_json("json"), "other" FROM "shop"."things" WHERE "int" > $1 ORDER BY "id" LIMIT 20 OFFSET $2
   "5" int, "5000" int
## a page far behind by another column
SELECT "id", "int", "decimal", "float", "bool", "text", "enum", "uuid", "date", "time", "timestamp", "timestamptz", "bytes", to_json("json"), "other" FROM "shop"."things" ORDER BY "int" ASC NULLS FIRST, "id" LIMIT 20 OFFSET $1
   "5000" int
## a page far behind that is large
SELECT "id", "int", "decimal", "float", "bool", "text", "enum", "uuid", "date", "time", "timestamp", "timestamptz", "bytes", to_json("json"), "other" FROM "shop"."things" ORDER BY "id" LIMIT 100 OFFSET $1
   "5000" int
## columns
SELECT "text", "id" FROM "shop"."things" ORDER BY "id" LIMIT 20
## one row
SELECT "id", "int", "decimal", "float", "bool", "text", "enum", "uuid", "date", "time", "timestamp", "timestamptz", "bytes", to_json("json"), "other" FROM "shop"."things" WHERE "id" = $1 ORDER BY "id" LIMIT 1
   "7" int
## groups
SELECT "id", "int", "decimal", "float", "bool", "text", "enum", "uuid", "date", "time", "timestamp", "timestamptz", "bytes", to_json("json"), "other" FROM "shop"."things" WHERE ("id" = $1) OR (("id" > $2) AND ("text" LIKE $3 ESCAPE '!')) OR (NOT ("id" IN ($4, $5))) ORDER BY "id" LIMIT 20
   "1" int, "2" int, "%x%" text, "4" int, "5" int
## nulls
SELECT "id", "int", "decimal", "float", "bool", "text", "enum", "uuid", "date", "time", "timestamp", "timestamptz", "bytes", to_json("json"), "other" FROM "shop"."things" WHERE ("text" IS NULL) AND ("int" IS NOT NULL) ORDER BY "id" LIMIT 20
## the same column twice
SELECT "id", "int", "decimal", "float", "bool", "text", "enum", "uuid", "date", "time", "timestamp", "timestamptz", "bytes", to_json("json"), "other" FROM "shop"."things" WHERE ("id" > $1) AND ("id" < $2) ORDER BY "id" LIMIT 20
   "1" int, "9" int
## order by id
SELECT "id" FROM "shop"."things" ORDER BY "id", "id" DESC LIMIT 20
## order by int
SELECT "id" FROM "shop"."things" ORDER BY "int" ASC NULLS FIRST, "id" DESC LIMIT 20
## order by decimal
SELECT "id" FROM "shop"."things" ORDER BY "decimal" ASC NULLS FIRST, "id" DESC LIMIT 20
## order by float
SELECT "id" FROM "shop"."things" ORDER BY "float" ASC NULLS FIRST, "id" DESC LIMIT 20
## order by bool
SELECT "id" FROM "shop"."things" ORDER BY "bool" ASC NULLS FIRST, "id" DESC LIMIT 20
## order by text
SELECT "id" FROM "shop"."things" ORDER BY "text" ASC NULLS FIRST, "id" DESC LIMIT 20
## order by enum
SELECT "id" FROM "shop"."things" ORDER BY "enum" ASC NULLS FIRST, "id" DESC LIMIT 20
## order by uuid
SELECT "id" FROM "shop"."things" ORDER BY "uuid" ASC NULLS FIRST, "id" DESC LIMIT 20
## order by date
SELECT "id" FROM "shop"."things" ORDER BY "date" ASC NULLS FIRST, "id" DESC LIMIT 20
## order by time
SELECT "id" FROM "shop"."things" ORDER BY "time" ASC NULLS FIRST, "id" DESC LIMIT 20
## order by timestamp
SELECT "id" FROM "shop"."things" ORDER BY "timestamp" ASC NULLS FIRST, "id" DESC LIMIT 20
## order by timestamptz
SELECT "id" FROM "shop"."things" ORDER BY "timestamptz" ASC NULLS FIRST, "id" DESC LIMIT 20
## order by bytes
SELECT "id" FROM "shop"."things" ORDER BY "bytes" ASC NULLS FIRST, "id" DESC LIMIT 20
## order by other
SELECT "id" FROM "shop"."things" ORDER BY "other" ASC NULLS FIRST, "id" DESC LIMIT 20
## the first page by cursor
SELECT "text", "id" FROM "shop"."things" ORDER BY "id" LIMIT 20
## count
SELECT count(*) FROM "shop"."things"
   then SELECT "id" FROM "shop"."things" ORDER BY "id" LIMIT 1
## count of a filter
SELECT count(*) FROM "shop"."things" WHERE "int" > $1::"pg_catalog"."int4"
   "5" int
   then SELECT "id" FROM "shop"."things" WHERE "int" > $1::"pg_catalog"."int4" ORDER BY "id" LIMIT 1
   "5" int
## sums of everything
SELECT count(*) AS "output 0", count("text") AS "output 1", count(DISTINCT "text") AS "output 2", sum("int") AS "output 3", sum("decimal") AS "output 4", sum("float") AS "output 5", avg("int" + 0.000000) AS "output 6", avg("decimal" + 0.000000) AS "output 7", avg("float") AS "output 8", min("date") AS "output 9", max("text") AS "output 10" FROM "shop"."things" LIMIT 20
## groups, in order
SELECT count(*) FROM (SELECT "text" AS "output 0", "int" AS "output 1", sum("decimal") AS "output 2" FROM "shop"."things" WHERE "int" > $1::"pg_catalog"."int4" GROUP BY "text", "int") AS "groups"
   "5" int
   then SELECT "text", "int", sum("decimal") AS "output 2" FROM "shop"."things" WHERE "int" > $1::"pg_catalog"."int4" GROUP BY "text", "int" ORDER BY sum("decimal") DESC NULLS LAST, "text" ASC NULLS FIRST, "int" ASC NULLS FIRST LIMIT 20 OFFSET 20
   "5" int
## having
SELECT "output 0", "output 1", "output 2" FROM (SELECT "text" AS "output 0", count(*) AS "output 1", sum("int") AS "output 2" FROM "shop"."things" GROUP BY "text") AS "groups" WHERE ("output 2" > $1::"pg_catalog"."numeric") AND (("output 1" >= $2::int8) OR ("output 0" LIKE $3 ESCAPE '!')) AND ("output 2" IS NOT NULL) ORDER BY "output 0" ASC NULLS FIRST LIMIT 20
   "100" decimal, "2" decimal, "%x%" text
## by year
SELECT date_trunc('year', "date")::date AS "output 0", date_trunc('year', "timestamptz") AS "output 1" FROM "shop"."things" GROUP BY date_trunc('year', "date")::date, date_trunc('year', "timestamptz") ORDER BY date_trunc('year', "date")::date ASC NULLS FIRST, date_trunc('year', "timestamptz") ASC NULLS FIRST LIMIT 20
## by quarter
SELECT date_trunc('quarter', "date")::date AS "output 0", date_trunc('quarter', "timestamptz") AS "output 1" FROM "shop"."things" GROUP BY date_trunc('quarter', "date")::date, date_trunc('quarter', "timestamptz") ORDER BY date_trunc('quarter', "date")::date ASC NULLS FIRST, date_trunc('quarter', "timestamptz") ASC NULLS FIRST LIMIT 20
## by month
SELECT date_trunc('month', "date")::date AS "output 0", date_trunc('month', "timestamptz") AS "output 1" FROM "shop"."things" GROUP BY date_trunc('month', "date")::date, date_trunc('month', "timestamptz") ORDER BY date_trunc('month', "date")::date ASC NULLS FIRST, date_trunc('month', "timestamptz") ASC NULLS FIRST LIMIT 20
## by week
SELECT date_trunc('week', "date")::date AS "output 0", date_trunc('week', "timestamptz") AS "output 1" FROM "shop"."things" GROUP BY date_trunc('week', "date")::date, date_trunc('week', "timestamptz") ORDER BY date_trunc('week', "date")::date ASC NULLS FIRST, date_trunc('week', "timestamptz") ASC NULLS FIRST LIMIT 20
## by day
SELECT date_trunc('day', "date")::date AS "output 0", date_trunc('day', "timestamptz") AS "output 1" FROM "shop"."things" GROUP BY date_trunc('day', "date")::date, date_trunc('day', "timestamptz") ORDER BY date_trunc('day', "date")::date ASC NULLS FIRST, date_trunc('day', "timestamptz") ASC NULLS FIRST LIMIT 20
## by hour
SELECT date_trunc('day', "date")::date AS "output 0", date_trunc('hour', "timestamptz") AS "output 1" FROM "shop"."things" GROUP BY date_trunc('day', "date")::date, date_trunc('hour', "timestamptz") ORDER BY date_trunc('day', "date")::date ASC NULLS FIRST, date_trunc('hour', "timestamptz") ASC NULLS FIRST LIMIT 20
## by minute
SELECT date_trunc('day', "date")::date AS "output 0", date_trunc('minute', "timestamptz") AS "output 1" FROM "shop"."things" GROUP BY date_trunc('day', "date")::date, date_trunc('minute', "timestamptz") ORDER BY date_trunc('day', "date")::date ASC NULLS FIRST, date_trunc('minute', "timestamptz") ASC NULLS FIRST LIMIT 20
## PUT int
UPDATE "shop"."things" SET "int" = $1 WHERE "id" = $2::"pg_catalog"."int4"
   "7" int, "1" int
## PUT decimal
UPDATE "shop"."things" SET "decimal" = $1 WHERE "id" = $2::"pg_catalog"."int4"
   "2.25" decimal, "1" int
## PUT float
UPDATE "shop"."things" SET "float" = $1 WHERE "id" = $2::"pg_catalog"."int4"
   "1.5e3" float, "1" int
## PUT bool
UPDATE "shop"."things" SET "bool" = $1 WHERE "id" = $2::"pg_catalog"."int4"
   "true" bool, "1" int
## PUT text
UPDATE "shop"."things" SET "text" = $1 WHERE "id" = $2::"pg_catalog"."int4"
   "Ünï" text, "1" int
## PUT enum
UPDATE "shop"."things" SET "enum" = $1 WHERE "id" = $2::"pg_catalog"."int4"
   "fine" text, "1" int
## PUT uuid
UPDATE "shop"."things" SET "uuid" = $1 WHERE "id" = $2::"pg_catalog"."int4"
   "00000000-0000-0000-0000-0000000000ff" other, "1" int
## PUT date
UPDATE "shop"."things" SET "date" = $1 WHERE "id" = $2::"pg_catalog"."int4"
   "2024-02-29" temporal, "1" int
## PUT time
UPDATE "shop"."things" SET "time" = $1 WHERE "id" = $2::"pg_catalog"."int4"
   "11:30:00" temporal, "1" int
## PUT timestamp
UPDATE "shop"."things" SET "timestamp" = $1 WHERE "id" = $2::"pg_catalog"."int4"
   "2024-02-29T10:00:00.5" temporal, "1" int
## PUT timestamptz
UPDATE "shop"."things" SET "timestamptz" = $1 WHERE "id" = $2::"pg_catalog"."int4"
   "2024-02-29T10:00:00.5Z" temporal, "1" int
## PUT bytes
UPDATE "shop"."things" SET "bytes" = $1 WHERE "id" = $2::"pg_catalog"."int4"
   0xff bytes, "1" int
## PUT json
UPDATE "shop"."things" SET "json" = $1 WHERE "id" = $2::"pg_catalog"."int4"
   "{\"1\",\"2\"}" json, "1" int
## PUT other
UPDATE "shop"."things" SET "other" = $1 WHERE "id" = $2::"pg_catalog"."int4"
   "::2" other, "1" int
## POST of a row
INSERT INTO "shop"."things" ("id", "text", "int") VALUES ($1, $2, $3)
   "1" int, "a" text, "5" int
## POST of rows
INSERT INTO "shop"."things" ("id", "text", "int") SELECT unnest($1::"pg_catalog"."int4"[]), unnest($2::"pg_catalog"."varchar"[]), unnest($3::"pg_catalog"."int4"[])
   0x0000000100000001000000170000000300000001000000040000000100000004000000020000000400000003 bytes, 0x000000010000000100000413000000030000000100000001610000000161ffffffff bytes, 0x0000000100000001000000170000000300000001000000040000000500000004000000050000000400000005 bytes
## POST of rows with different keys
INSERT INTO "shop"."things" ("id", "text", "int") VALUES ($1, $2, $3)
   "1" int, "a" text, "5" int
   then INSERT INTO "shop"."things" ("id") VALUES ($1)
   "2" int
## upsert of a row
INSERT INTO "shop"."things" ("id", "text", "int") VALUES ($1, $2, $3) ON CONFLICT ("id") DO UPDATE SET "text" = EXCLUDED."text", "int" = EXCLUDED."int"
   "1" int, "a" text, "5" int
## upsert of rows
INSERT INTO "shop"."things" ("id", "text", "int") SELECT unnest($1::"pg_catalog"."int4"[]), unnest($2::"pg_catalog"."varchar"[]), unnest($3::"pg_catalog"."int4"[]) ON CONFLICT ("id") DO UPDATE SET "text" = EXCLUDED."text", "int" = EXCLUDED."int"
   0x000000010000000100000017000000020000000100000004000000010000000400000002 bytes, 0x000000010000000100000413000000020000000100000001610000000161 bytes, 0x000000010000000100000017000000020000000100000004000000050000000400000005 bytes
