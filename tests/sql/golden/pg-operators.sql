eq on int: "int" = $1   <- "-5" int
   strictly: "int" = $1::"pg_catalog"."int4"   <- "-5" int
ne on int: "int" <> $1   <- "-5" int
   strictly: "int" <> $1::"pg_catalog"."int4"   <- "-5" int
lt on int: "int" < $1   <- "-5" int
   strictly: "int" < $1::"pg_catalog"."int4"   <- "-5" int
le on int: "int" <= $1   <- "-5" int
   strictly: "int" <= $1::"pg_catalog"."int4"   <- "-5" int
gt on int: "int" > $1   <- "-5" int
   strictly: "int" > $1::"pg_catalog"."int4"   <- "-5" int
ge on int: "int" >= $1   <- "-5" int
   strictly: "int" >= $1::"pg_catalog"."int4"   <- "-5" int
bw on int: "int" BETWEEN $1 AND $2   <- "-5" int, "7" int
   strictly: "int" BETWEEN $1::"pg_catalog"."int4" AND $2::"pg_catalog"."int4"   <- "-5" int, "7" int
in on int: "int" IN ($1, $2)   <- "-5" int, "7" int
   strictly: "int" IN ($1::"pg_catalog"."int4", $2::"pg_catalog"."int4")   <- "-5" int, "7" int
nin on int: "int" NOT IN ($1, $2)   <- "-5" int, "7" int
   strictly: "int" NOT IN ($1::"pg_catalog"."int4", $2::"pg_catalog"."int4")   <- "-5" int, "7" int
li on int: refused: The operator li requires a text column; "int" is not one.
rli on int: refused: The operator rli requires a text column; "int" is not one.
nli on int: refused: The operator nli requires a text column; "int" is not one.
il on int: refused: The operator il requires a text column; "int" is not one.
eq on decimal: "decimal" = $1   <- "-1.50" decimal
   strictly: "decimal" = $1::"pg_catalog"."numeric"   <- "-1.50" decimal
ne on decimal: "decimal" <> $1   <- "-1.50" decimal
   strictly: "decimal" <> $1::"pg_catalog"."numeric"   <- "-1.50" decimal
lt on decimal: "decimal" < $1   <- "-1.50" decimal
   strictly: "decimal" < $1::"pg_catalog"."numeric"   <- "-1.50" decimal
le on decimal: "decimal" <= $1   <- "-1.50" decimal
   strictly: "decimal" <= $1::"pg_catalog"."numeric"   <- "-1.50" decimal
gt on decimal: "decimal" > $1   <- "-1.50" decimal
   strictly: "decimal" > $1::"pg_catalog"."numeric"   <- "-1.50" decimal
ge on decimal: "decimal" >= $1   <- "-1.50" decimal
   strictly: "decimal" >= $1::"pg_catalog"."numeric"   <- "-1.50" decimal
bw on decimal: "decimal" BETWEEN $1 AND $2   <- "-1.50" decimal, "2.25" decimal
   strictly: "decimal" BETWEEN $1::"pg_catalog"."numeric" AND $2::"pg_catalog"."numeric"   <- "-1.50" decimal, "2.25" decimal
in on decimal: "decimal" IN ($1, $2)   <- "-1.50" decimal, "2.25" decimal
   strictly: "decimal" IN ($1::"pg_catalog"."numeric", $2::"pg_catalog"."numeric")   <- "-1.50" decimal, "2.25" decimal
nin on decimal: "decimal" NOT IN ($1, $2)   <- "-1.50" decimal, "2.25" decimal
   strictly: "decimal" NOT IN ($1::"pg_catalog"."numeric", $2::"pg_catalog"."numeric")   <- "-1.50" decimal, "2.25" decimal
li on decimal: refused: The operator li requires a text column; "decimal" is not one.
rli on decimal: refused: The operator rli requires a text column; "decimal" is not one.
nli on decimal: refused: The operator nli requires a text column; "decimal" is not one.
il on decimal: refused: The operator il requires a text column; "decimal" is not one.
eq on float: "float" = $1   <- "-0.5" float
   strictly: "float" = $1::"pg_catalog"."float8"   <- "-0.5" float
ne on float: "float" <> $1   <- "-0.5" float
   strictly: "float" <> $1::"pg_catalog"."float8"   <- "-0.5" float
lt on float: "float" < $1   <- "-0.5" float
   strictly: "float" < $1::"pg_catalog"."float8"   <- "-0.5" float
le on float: "float" <= $1   <- "-0.5" float
   strictly: "float" <= $1::"pg_catalog"."float8"   <- "-0.5" float
gt on float: "float" > $1   <- "-0.5" float
   strictly: "float" > $1::"pg_catalog"."float8"   <- "-0.5" float
ge on float: "float" >= $1   <- "-0.5" float
   strictly: "float" >= $1::"pg_catalog"."float8"   <- "-0.5" float
bw on float: "float" BETWEEN $1 AND $2   <- "-0.5" float, "1.5e3" float
   strictly: "float" BETWEEN $1::"pg_catalog"."float8" AND $2::"pg_catalog"."float8"   <- "-0.5" float, "1.5e3" float
in on float: "float" IN ($1, $2)   <- "-0.5" float, "1.5e3" float
   strictly: "float" IN ($1::"pg_catalog"."float8", $2::"pg_catalog"."float8")   <- "-0.5" float, "1.5e3" float
nin on float: "float" NOT IN ($1, $2)   <- "-0.5" float, "1.5e3" float
   strictly: "float" NOT IN ($1::"pg_catalog"."float8", $2::"pg_catalog"."float8")   <- "-0.5" float, "1.5e3" float
li on float: refused: The operator li requires a text column; "float" is not one.
rli on float: refused: The operator rli requires a text column; "float" is not one.
nli on float: refused: The operator nli requires a text column; "float" is not one.
il on float: refused: The operator il requires a text column; "float" is not one.
eq on bool: "bool" = $1   <- "false" bool
   strictly: "bool" = $1::"pg_catalog"."bool"   <- "false" bool
ne on bool: "bool" <> $1   <- "false" bool
   strictly: "bool" <> $1::"pg_catalog"."bool"   <- "false" bool
lt on bool: "bool" < $1   <- "false" bool
   strictly: "bool" < $1::"pg_catalog"."bool"   <- "false" bool
le on bool: "bool" <= $1   <- "false" bool
   strictly: "bool" <= $1::"pg_catalog"."bool"   <- "false" bool
gt on bool: "bool" > $1   <- "false" bool
   strictly: "bool" > $1::"pg_catalog"."bool"   <- "false" bool
ge on bool: "bool" >= $1   <- "false" bool
   strictly: "bool" >= $1::"pg_catalog"."bool"   <- "false" bool
bw on bool: "bool" BETWEEN $1 AND $2   <- "false" bool, "true" bool
   strictly: "bool" BETWEEN $1::"pg_catalog"."bool" AND $2::"pg_catalog"."bool"   <- "false" bool, "true" bool
in on bool: "bool" IN ($1, $2)   <- "false" bool, "true" bool
   strictly: "bool" IN ($1::"pg_catalog"."bool", $2::"pg_catalog"."bool")   <- "false" bool, "true" bool
nin on bool: "bool" NOT IN ($1, $2)   <- "false" bool, "true" bool
   strictly: "bool" NOT IN ($1::"pg_catalog"."bool", $2::"pg_catalog"."bool")   <- "false" bool, "true" bool
li on bool: refused: The operator li requires a text column; "bool" is not one.
rli on bool: refused: The operator rli requires a text column; "bool" is not one.
nli on bool: refused: The operator nli requires a text column; "bool" is not one.
il on bool: refused: The operator il requires a text column; "bool" is not one.
eq on text: "text" = $1   <- "50%_!" text
   strictly: "text" = $1::"pg_catalog"."varchar"   <- "50%_!" text
ne on text: "text" <> $1   <- "50%_!" text
   strictly: "text" <> $1::"pg_catalog"."varchar"   <- "50%_!" text
lt on text: "text" < $1   <- "50%_!" text
   strictly: "text" < $1::"pg_catalog"."varchar"   <- "50%_!" text
le on text: "text" <= $1   <- "50%_!" text
   strictly: "text" <= $1::"pg_catalog"."varchar"   <- "50%_!" text
gt on text: "text" > $1   <- "50%_!" text
   strictly: "text" > $1::"pg_catalog"."varchar"   <- "50%_!" text
ge on text: "text" >= $1   <- "50%_!" text
   strictly: "text" >= $1::"pg_catalog"."varchar"   <- "50%_!" text
bw on text: "text" BETWEEN $1 AND $2   <- "50%_!" text, "Ünï" text
   strictly: "text" BETWEEN $1::"pg_catalog"."varchar" AND $2::"pg_catalog"."varchar"   <- "50%_!" text, "Ünï" text
in on text: "text" IN ($1, $2)   <- "50%_!" text, "Ünï" text
   strictly: "text" IN ($1::"pg_catalog"."varchar", $2::"pg_catalog"."varchar")   <- "50%_!" text, "Ünï" text
nin on text: "text" NOT IN ($1, $2)   <- "50%_!" text, "Ünï" text
   strictly: "text" NOT IN ($1::"pg_catalog"."varchar", $2::"pg_catalog"."varchar")   <- "50%_!" text, "Ünï" text
li on text: "text" LIKE $1 ESCAPE '!'   <- "%50!%!_!!%" text
rli on text: "text" LIKE $1 ESCAPE '!'   <- "50!%!_!!%" text
nli on text: "text" NOT LIKE $1 ESCAPE '!'   <- "%50!%!_!!%" text
il on text: "text" ILIKE $1 ESCAPE '!'   <- "%50!%!_!!%" text
eq on enum: "enum" = $1   <- "bad" text
   strictly: "enum" = $1::"public"."mood"   <- "bad" text
ne on enum: "enum" <> $1   <- "bad" text
   strictly: "enum" <> $1::"public"."mood"   <- "bad" text
lt on enum: "enum" < $1   <- "bad" text
   strictly: "enum" < $1::"public"."mood"   <- "bad" text
le on enum: "enum" <= $1   <- "bad" text
   strictly: "enum" <= $1::"public"."mood"   <- "bad" text
gt on enum: "enum" > $1   <- "bad" text
   strictly: "enum" > $1::"public"."mood"   <- "bad" text
ge on enum: "enum" >= $1   <- "bad" text
   strictly: "enum" >= $1::"public"."mood"   <- "bad" text
bw on enum: "enum" BETWEEN $1 AND $2   <- "bad" text, "fine" text
   strictly: "enum" BETWEEN $1::"public"."mood" AND $2::"public"."mood"   <- "bad" text, "fine" text
in on enum: "enum" IN ($1, $2)   <- "bad" text, "fine" text
   strictly: "enum" IN ($1::"public"."mood", $2::"public"."mood")   <- "bad" text, "fine" text
nin on enum: "enum" NOT IN ($1, $2)   <- "bad" text, "fine" text
   strictly: "enum" NOT IN ($1::"public"."mood", $2::"public"."mood")   <- "bad" text, "fine" text
li on enum: "enum"::text LIKE $1 ESCAPE '!'   <- "%bad%" text
rli on enum: "enum"::text LIKE $1 ESCAPE '!'   <- "bad%" text
nli on enum: "enum"::text NOT LIKE $1 ESCAPE '!'   <- "%bad%" text
il on enum: "enum"::text ILIKE $1 ESCAPE '!'   <- "%bad%" text
eq on uuid: "uuid" = $1   <- "00000000-0000-0000-0000-000000000001" other
   strictly: "uuid" = $1::"pg_catalog"."uuid"   <- "00000000-0000-0000-0000-000000000001" other
ne on uuid: "uuid" <> $1   <- "00000000-0000-0000-0000-000000000001" other
   strictly: "uuid" <> $1::"pg_catalog"."uuid"   <- "00000000-0000-0000-0000-000000000001" other
lt on uuid: "uuid" < $1   <- "00000000-0000-0000-0000-000000000001" other
   strictly: "uuid" < $1::"pg_catalog"."uuid"   <- "00000000-0000-0000-0000-000000000001" other
le on uuid: "uuid" <= $1   <- "00000000-0000-0000-0000-000000000001" other
   strictly: "uuid" <= $1::"pg_catalog"."uuid"   <- "00000000-0000-0000-0000-000000000001" other
gt on uuid: "uuid" > $1   <- "00000000-0000-0000-0000-000000000001" other
   strictly: "uuid" > $1::"pg_catalog"."uuid"   <- "00000000-0000-0000-0000-000000000001" other
ge on uuid: "uuid" >= $1   <- "00000000-0000-0000-0000-000000000001" other
   strictly: "uuid" >= $1::"pg_catalog"."uuid"   <- "00000000-0000-0000-0000-000000000001" other
bw on uuid: "uuid" BETWEEN $1 AND $2   <- "00000000-0000-0000-0000-000000000001" other, "00000000-0000-0000-0000-0000000000ff" other
   strictly: "uuid" BETWEEN $1::"pg_catalog"."uuid" AND $2::"pg_catalog"."uuid"   <- "00000000-0000-0000-0000-000000000001" other, "00000000-0000-0000-0000-0000000000ff" other
in on uuid: "uuid" IN ($1, $2)   <- "00000000-0000-0000-0000-000000000001" other, "00000000-0000-0000-0000-0000000000ff" other
   strictly: "uuid" IN ($1::"pg_catalog"."uuid", $2::"pg_catalog"."uuid")   <- "00000000-0000-0000-0000-000000000001" other, "00000000-0000-0000-0000-0000000000ff" other
nin on uuid: "uuid" NOT IN ($1, $2)   <- "00000000-0000-0000-0000-000000000001" other, "00000000-0000-0000-0000-0000000000ff" other
   strictly: "uuid" NOT IN ($1::"pg_catalog"."uuid", $2::"pg_catalog"."uuid")   <- "00000000-0000-0000-0000-000000000001" other, "00000000-0000-0000-0000-0000000000ff" other
li on uuid: refused: The operator li requires a text column; "uuid" is not one.
rli on uuid: refused: The operator rli requires a text column; "uuid" is not one.
nli on uuid: refused: The operator nli requires a text column; "uuid" is not one.
il on uuid: refused: The operator il requires a text column; "uuid" is not one.
eq on date: "date" = $1   <- "2024-01-31" temporal
   strictly: "date" = $1::"pg_catalog"."date"   <- "2024-01-31" temporal
ne on date: "date" <> $1   <- "2024-01-31" temporal
   strictly: "date" <> $1::"pg_catalog"."date"   <- "2024-01-31" temporal
lt on date: "date" < $1   <- "2024-01-31" temporal
   strictly: "date" < $1::"pg_catalog"."date"   <- "2024-01-31" temporal
le on date: "date" <= $1   <- "2024-01-31" temporal
   strictly: "date" <= $1::"pg_catalog"."date"   <- "2024-01-31" temporal
gt on date: "date" > $1   <- "2024-01-31" temporal
   strictly: "date" > $1::"pg_catalog"."date"   <- "2024-01-31" temporal
ge on date: "date" >= $1   <- "2024-01-31" temporal
   strictly: "date" >= $1::"pg_catalog"."date"   <- "2024-01-31" temporal
bw on date: "date" BETWEEN $1 AND $2   <- "2024-01-31" temporal, "2024-02-29" temporal
   strictly: "date" BETWEEN $1::"pg_catalog"."date" AND $2::"pg_catalog"."date"   <- "2024-01-31" temporal, "2024-02-29" temporal
in on date: "date" IN ($1, $2)   <- "2024-01-31" temporal, "2024-02-29" temporal
   strictly: "date" IN ($1::"pg_catalog"."date", $2::"pg_catalog"."date")   <- "2024-01-31" temporal, "2024-02-29" temporal
nin on date: "date" NOT IN ($1, $2)   <- "2024-01-31" temporal, "2024-02-29" temporal
   strictly: "date" NOT IN ($1::"pg_catalog"."date", $2::"pg_catalog"."date")   <- "2024-01-31" temporal, "2024-02-29" temporal
li on date: refused: The operator li requires a text column; "date" is not one.
rli on date: refused: The operator rli requires a text column; "date" is not one.
nli on date: refused: The operator nli requires a text column; "date" is not one.
il on date: refused: The operator il requires a text column; "date" is not one.
eq on time: "time" = $1   <- "10:00:00" temporal
   strictly: "time" = $1::"pg_catalog"."time"   <- "10:00:00" temporal
ne on time: "time" <> $1   <- "10:00:00" temporal
   strictly: "time" <> $1::"pg_catalog"."time"   <- "10:00:00" temporal
lt on time: "time" < $1   <- "10:00:00" temporal
   strictly: "time" < $1::"pg_catalog"."time"   <- "10:00:00" temporal
le on time: "time" <= $1   <- "10:00:00" temporal
   strictly: "time" <= $1::"pg_catalog"."time"   <- "10:00:00" temporal
gt on time: "time" > $1   <- "10:00:00" temporal
   strictly: "time" > $1::"pg_catalog"."time"   <- "10:00:00" temporal
ge on time: "time" >= $1   <- "10:00:00" temporal
   strictly: "time" >= $1::"pg_catalog"."time"   <- "10:00:00" temporal
bw on time: "time" BETWEEN $1 AND $2   <- "10:00:00" temporal, "11:30:00" temporal
   strictly: "time" BETWEEN $1::"pg_catalog"."time" AND $2::"pg_catalog"."time"   <- "10:00:00" temporal, "11:30:00" temporal
in on time: "time" IN ($1, $2)   <- "10:00:00" temporal, "11:30:00" temporal
   strictly: "time" IN ($1::"pg_catalog"."time", $2::"pg_catalog"."time")   <- "10:00:00" temporal, "11:30:00" temporal
nin on time: "time" NOT IN ($1, $2)   <- "10:00:00" temporal, "11:30:00" temporal
   strictly: "time" NOT IN ($1::"pg_catalog"."time", $2::"pg_catalog"."time")   <- "10:00:00" temporal, "11:30:00" temporal
li on time: refused: The operator li requires a text column; "time" is not one.
rli on time: refused: The operator rli requires a text column; "time" is not one.
nli on time: refused: The operator nli requires a text column; "time" is not one.
il on time: refused: The operator il requires a text column; "time" is not one.
eq on timestamp: "timestamp" = $1   <- "2024-01-31T10:00:00" temporal
   strictly: "timestamp" = $1::"pg_catalog"."timestamp"   <- "2024-01-31T10:00:00" temporal
ne on timestamp: "timestamp" <> $1   <- "2024-01-31T10:00:00" temporal
   strictly: "timestamp" <> $1::"pg_catalog"."timestamp"   <- "2024-01-31T10:00:00" temporal
lt on timestamp: "timestamp" < $1   <- "2024-01-31T10:00:00" temporal
   strictly: "timestamp" < $1::"pg_catalog"."timestamp"   <- "2024-01-31T10:00:00" temporal
le on timestamp: "timestamp" <= $1   <- "2024-01-31T10:00:00" temporal
   strictly: "timestamp" <= $1::"pg_catalog"."timestamp"   <- "2024-01-31T10:00:00" temporal
gt on timestamp: "timestamp" > $1   <- "2024-01-31T10:00:00" temporal
   strictly: "timestamp" > $1::"pg_catalog"."timestamp"   <- "2024-01-31T10:00:00" temporal
ge on timestamp: "timestamp" >= $1   <- "2024-01-31T10:00:00" temporal
   strictly: "timestamp" >= $1::"pg_catalog"."timestamp"   <- "2024-01-31T10:00:00" temporal
bw on timestamp: "timestamp" BETWEEN $1 AND $2   <- "2024-01-31T10:00:00" temporal, "2024-02-29T10:00:00.5" temporal
   strictly: "timestamp" BETWEEN $1::"pg_catalog"."timestamp" AND $2::"pg_catalog"."timestamp"   <- "2024-01-31T10:00:00" temporal, "2024-02-29T10:00:00.5" temporal
in on timestamp: "timestamp" IN ($1, $2)   <- "2024-01-31T10:00:00" temporal, "2024-02-29T10:00:00.5" temporal
   strictly: "timestamp" IN ($1::"pg_catalog"."timestamp", $2::"pg_catalog"."timestamp")   <- "2024-01-31T10:00:00" temporal, "2024-02-29T10:00:00.5" temporal
nin on timestamp: "timestamp" NOT IN ($1, $2)   <- "2024-01-31T10:00:00" temporal, "2024-02-29T10:00:00.5" temporal
   strictly: "timestamp" NOT IN ($1::"pg_catalog"."timestamp", $2::"pg_catalog"."timestamp")   <- "2024-01-31T10:00:00" temporal, "2024-02-29T10:00:00.5" temporal
li on timestamp: refused: The operator li requires a text column; "timestamp" is not one.
rli on timestamp: refused: The operator rli requires a text column; "timestamp" is not one.
nli on timestamp: refused: The operator nli requires a text column; "timestamp" is not one.
il on timestamp: refused: The operator il requires a text column; "timestamp" is not one.
eq on timestamptz: "timestamptz" = $1   <- "2024-01-31T10:00:00Z" temporal
   strictly: "timestamptz" = $1::"pg_catalog"."timestamptz"   <- "2024-01-31T10:00:00Z" temporal
ne on timestamptz: "timestamptz" <> $1   <- "2024-01-31T10:00:00Z" temporal
   strictly: "timestamptz" <> $1::"pg_catalog"."timestamptz"   <- "2024-01-31T10:00:00Z" temporal
lt on timestamptz: "timestamptz" < $1   <- "2024-01-31T10:00:00Z" temporal
   strictly: "timestamptz" < $1::"pg_catalog"."timestamptz"   <- "2024-01-31T10:00:00Z" temporal
le on timestamptz: "timestamptz" <= $1   <- "2024-01-31T10:00:00Z" temporal
   strictly: "timestamptz" <= $1::"pg_catalog"."timestamptz"   <- "2024-01-31T10:00:00Z" temporal
gt on timestamptz: "timestamptz" > $1   <- "2024-01-31T10:00:00Z" temporal
   strictly: "timestamptz" > $1::"pg_catalog"."timestamptz"   <- "2024-01-31T10:00:00Z" temporal
ge on timestamptz: "timestamptz" >= $1   <- "2024-01-31T10:00:00Z" temporal
   strictly: "timestamptz" >= $1::"pg_catalog"."timestamptz"   <- "2024-01-31T10:00:00Z" temporal
bw on timestamptz: "timestamptz" BETWEEN $1 AND $2   <- "2024-01-31T10:00:00Z" temporal, "2024-02-29T10:00:00.5Z" temporal
   strictly: "timestamptz" BETWEEN $1::"pg_catalog"."timestamptz" AND $2::"pg_catalog"."timestamptz"   <- "2024-01-31T10:00:00Z" temporal, "2024-02-29T10:00:00.5Z" temporal
in on timestamptz: "timestamptz" IN ($1, $2)   <- "2024-01-31T10:00:00Z" temporal, "2024-02-29T10:00:00.5Z" temporal
   strictly: "timestamptz" IN ($1::"pg_catalog"."timestamptz", $2::"pg_catalog"."timestamptz")   <- "2024-01-31T10:00:00Z" temporal, "2024-02-29T10:00:00.5Z" temporal
nin on timestamptz: "timestamptz" NOT IN ($1, $2)   <- "2024-01-31T10:00:00Z" temporal, "2024-02-29T10:00:00.5Z" temporal
   strictly: "timestamptz" NOT IN ($1::"pg_catalog"."timestamptz", $2::"pg_catalog"."timestamptz")   <- "2024-01-31T10:00:00Z" temporal, "2024-02-29T10:00:00.5Z" temporal
li on timestamptz: refused: The operator li requires a text column; "timestamptz" is not one.
rli on timestamptz: refused: The operator rli requires a text column; "timestamptz" is not one.
nli on timestamptz: refused: The operator nli requires a text column; "timestamptz" is not one.
il on timestamptz: refused: The operator il requires a text column; "timestamptz" is not one.
eq on bytes: "bytes" = $1   <- 0x0001 bytes
   strictly: "bytes" = $1::"pg_catalog"."bytea"   <- 0x0001 bytes
ne on bytes: "bytes" <> $1   <- 0x0001 bytes
   strictly: "bytes" <> $1::"pg_catalog"."bytea"   <- 0x0001 bytes
lt on bytes: "bytes" < $1   <- 0x0001 bytes
   strictly: "bytes" < $1::"pg_catalog"."bytea"   <- 0x0001 bytes
le on bytes: "bytes" <= $1   <- 0x0001 bytes
   strictly: "bytes" <= $1::"pg_catalog"."bytea"   <- 0x0001 bytes
gt on bytes: "bytes" > $1   <- 0x0001 bytes
   strictly: "bytes" > $1::"pg_catalog"."bytea"   <- 0x0001 bytes
ge on bytes: "bytes" >= $1   <- 0x0001 bytes
   strictly: "bytes" >= $1::"pg_catalog"."bytea"   <- 0x0001 bytes
bw on bytes: "bytes" BETWEEN $1 AND $2   <- 0x0001 bytes, 0xff bytes
   strictly: "bytes" BETWEEN $1::"pg_catalog"."bytea" AND $2::"pg_catalog"."bytea"   <- 0x0001 bytes, 0xff bytes
in on bytes: "bytes" IN ($1, $2)   <- 0x0001 bytes, 0xff bytes
   strictly: "bytes" IN ($1::"pg_catalog"."bytea", $2::"pg_catalog"."bytea")   <- 0x0001 bytes, 0xff bytes
nin on bytes: "bytes" NOT IN ($1, $2)   <- 0x0001 bytes, 0xff bytes
   strictly: "bytes" NOT IN ($1::"pg_catalog"."bytea", $2::"pg_catalog"."bytea")   <- 0x0001 bytes, 0xff bytes
li on bytes: refused: The operator li requires a text column; "bytes" is not one.
rli on bytes: refused: The operator rli requires a text column; "bytes" is not one.
nli on bytes: refused: The operator nli requires a text column; "bytes" is not one.
il on bytes: refused: The operator il requires a text column; "bytes" is not one.
eq on json: refused: The column "json" cannot be compared with eq.
ne on json: refused: The column "json" cannot be compared with ne.
lt on json: refused: The column "json" cannot be compared with lt.
le on json: refused: The column "json" cannot be compared with le.
gt on json: refused: The column "json" cannot be compared with gt.
ge on json: refused: The column "json" cannot be compared with ge.
bw on json: refused: The column "json" cannot be compared with bw.
in on json: refused: The column "json" cannot be compared with in.
nin on json: refused: The column "json" cannot be compared with nin.
li on json: refused: The operator li requires a text column; "json" is not one.
rli on json: refused: The operator rli requires a text column; "json" is not one.
nli on json: refused: The operator nli requires a text column; "json" is not one.
il on json: refused: The operator il requires a text column; "json" is not one.
eq on other: "other" = $1   <- "::1" other
   strictly: "other" = $1::"pg_catalog"."inet"   <- "::1" other
ne on other: "other" <> $1   <- "::1" other
   strictly: "other" <> $1::"pg_catalog"."inet"   <- "::1" other
lt on other: "other" < $1   <- "::1" other
   strictly: "other" < $1::"pg_catalog"."inet"   <- "::1" other
le on other: "other" <= $1   <- "::1" other
   strictly: "other" <= $1::"pg_catalog"."inet"   <- "::1" other
gt on other: "other" > $1   <- "::1" other
   strictly: "other" > $1::"pg_catalog"."inet"   <- "::1" other
ge on other: "other" >= $1   <- "::1" other
   strictly: "other" >= $1::"pg_catalog"."inet"   <- "::1" other
bw on other: "other" BETWEEN $1 AND $2   <- "::1" other, "::2" other
   strictly: "other" BETWEEN $1::"pg_catalog"."inet" AND $2::"pg_catalog"."inet"   <- "::1" other, "::2" other
in on other: "other" IN ($1, $2)   <- "::1" other, "::2" other
   strictly: "other" IN ($1::"pg_catalog"."inet", $2::"pg_catalog"."inet")   <- "::1" other, "::2" other
nin on other: "other" NOT IN ($1, $2)   <- "::1" other, "::2" other
   strictly: "other" NOT IN ($1::"pg_catalog"."inet", $2::"pg_catalog"."inet")   <- "::1" other, "::2" other
li on other: refused: The operator li requires a text column; "other" is not one.
rli on other: refused: The operator rli requires a text column; "other" is not one.
nli on other: refused: The operator nli requires a text column; "other" is not one.
il on other: refused: The operator il requires a text column; "other" is not one.
