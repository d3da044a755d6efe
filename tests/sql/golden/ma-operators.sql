eq on int: `int` = ?   <- "-5" int
   strictly: (~0 + (COERCIBILITY(IFNULL(`int`, 0)) <> 5) AND `int` = ?)   <- "-5" int
ne on int: `int` <> ?   <- "-5" int
   strictly: (~0 + (COERCIBILITY(IFNULL(`int`, 0)) <> 5) AND `int` <> ?)   <- "-5" int
lt on int: `int` < ?   <- "-5" int
   strictly: (~0 + (COERCIBILITY(IFNULL(`int`, 0)) <> 5) AND `int` < ?)   <- "-5" int
le on int: `int` <= ?   <- "-5" int
   strictly: (~0 + (COERCIBILITY(IFNULL(`int`, 0)) <> 5) AND `int` <= ?)   <- "-5" int
gt on int: `int` > ?   <- "-5" int
   strictly: (~0 + (COERCIBILITY(IFNULL(`int`, 0)) <> 5) AND `int` > ?)   <- "-5" int
ge on int: `int` >= ?   <- "-5" int
   strictly: (~0 + (COERCIBILITY(IFNULL(`int`, 0)) <> 5) AND `int` >= ?)   <- "-5" int
bw on int: `int` BETWEEN ? AND ?   <- "-5" int, "7" int
   strictly: (~0 + (COERCIBILITY(IFNULL(`int`, 0)) <> 5) AND `int` BETWEEN ? AND ?)   <- "-5" int, "7" int
in on int: `int` IN (?, ?)   <- "-5" int, "7" int
   strictly: (~0 + (COERCIBILITY(IFNULL(`int`, 0)) <> 5) AND `int` IN (?, ?))   <- "-5" int, "7" int
nin on int: `int` NOT IN (?, ?)   <- "-5" int, "7" int
   strictly: (~0 + (COERCIBILITY(IFNULL(`int`, 0)) <> 5) AND `int` NOT IN (?, ?))   <- "-5" int, "7" int
li on int: refused: The operator li requires a text column; "int" is not one.
rli on int: refused: The operator rli requires a text column; "int" is not one.
nli on int: refused: The operator nli requires a text column; "int" is not one.
il on int: refused: The operator il requires a text column; "int" is not one.
eq on decimal: `decimal` = ?   <- "-1.50" decimal
   strictly: (~0 + (COERCIBILITY(IFNULL(`decimal`, 0)) <> 5) AND `decimal` = ?)   <- "-1.50" decimal
ne on decimal: `decimal` <> ?   <- "-1.50" decimal
   strictly: (~0 + (COERCIBILITY(IFNULL(`decimal`, 0)) <> 5) AND `decimal` <> ?)   <- "-1.50" decimal
lt on decimal: `decimal` < ?   <- "-1.50" decimal
   strictly: (~0 + (COERCIBILITY(IFNULL(`decimal`, 0)) <> 5) AND `decimal` < ?)   <- "-1.50" decimal
le on decimal: `decimal` <= ?   <- "-1.50" decimal
   strictly: (~0 + (COERCIBILITY(IFNULL(`decimal`, 0)) <> 5) AND `decimal` <= ?)   <- "-1.50" decimal
gt on decimal: `decimal` > ?   <- "-1.50" decimal
   strictly: (~0 + (COERCIBILITY(IFNULL(`decimal`, 0)) <> 5) AND `decimal` > ?)   <- "-1.50" decimal
ge on decimal: `decimal` >= ?   <- "-1.50" decimal
   strictly: (~0 + (COERCIBILITY(IFNULL(`decimal`, 0)) <> 5) AND `decimal` >= ?)   <- "-1.50" decimal
bw on decimal: `decimal` BETWEEN ? AND ?   <- "-1.50" decimal, "2.25" decimal
   strictly: (~0 + (COERCIBILITY(IFNULL(`decimal`, 0)) <> 5) AND `decimal` BETWEEN ? AND ?)   <- "-1.50" decimal, "2.25" decimal
in on decimal: `decimal` IN (?, ?)   <- "-1.50" decimal, "2.25" decimal
   strictly: (~0 + (COERCIBILITY(IFNULL(`decimal`, 0)) <> 5) AND `decimal` IN (?, ?))   <- "-1.50" decimal, "2.25" decimal
nin on decimal: `decimal` NOT IN (?, ?)   <- "-1.50" decimal, "2.25" decimal
   strictly: (~0 + (COERCIBILITY(IFNULL(`decimal`, 0)) <> 5) AND `decimal` NOT IN (?, ?))   <- "-1.50" decimal, "2.25" decimal
li on decimal: refused: The operator li requires a text column; "decimal" is not one.
rli on decimal: refused: The operator rli requires a text column; "decimal" is not one.
nli on decimal: refused: The operator nli requires a text column; "decimal" is not one.
il on decimal: refused: The operator il requires a text column; "decimal" is not one.
eq on float: `float` = ?   <- "-0.5" float
   strictly: (~0 + (COERCIBILITY(IFNULL(`float`, 0)) <> 5) AND `float` = ?)   <- "-0.5" float
ne on float: `float` <> ?   <- "-0.5" float
   strictly: (~0 + (COERCIBILITY(IFNULL(`float`, 0)) <> 5) AND `float` <> ?)   <- "-0.5" float
lt on float: `float` < ?   <- "-0.5" float
   strictly: (~0 + (COERCIBILITY(IFNULL(`float`, 0)) <> 5) AND `float` < ?)   <- "-0.5" float
le on float: `float` <= ?   <- "-0.5" float
   strictly: (~0 + (COERCIBILITY(IFNULL(`float`, 0)) <> 5) AND `float` <= ?)   <- "-0.5" float
gt on float: `float` > ?   <- "-0.5" float
   strictly: (~0 + (COERCIBILITY(IFNULL(`float`, 0)) <> 5) AND `float` > ?)   <- "-0.5" float
ge on float: `float` >= ?   <- "-0.5" float
   strictly: (~0 + (COERCIBILITY(IFNULL(`float`, 0)) <> 5) AND `float` >= ?)   <- "-0.5" float
bw on float: `float` BETWEEN ? AND ?   <- "-0.5" float, "1.5e3" float
   strictly: (~0 + (COERCIBILITY(IFNULL(`float`, 0)) <> 5) AND `float` BETWEEN ? AND ?)   <- "-0.5" float, "1.5e3" float
in on float: `float` IN (?, ?)   <- "-0.5" float, "1.5e3" float
   strictly: (~0 + (COERCIBILITY(IFNULL(`float`, 0)) <> 5) AND `float` IN (?, ?))   <- "-0.5" float, "1.5e3" float
nin on float: `float` NOT IN (?, ?)   <- "-0.5" float, "1.5e3" float
   strictly: (~0 + (COERCIBILITY(IFNULL(`float`, 0)) <> 5) AND `float` NOT IN (?, ?))   <- "-0.5" float, "1.5e3" float
li on float: refused: The operator li requires a text column; "float" is not one.
rli on float: refused: The operator rli requires a text column; "float" is not one.
nli on float: refused: The operator nli requires a text column; "float" is not one.
il on float: refused: The operator il requires a text column; "float" is not one.
eq on text: `text` = ?   <- "50%_!" text
   strictly: (~0 + (5 IN (COERCIBILITY(`text`), COERCIBILITY(IFNULL(`text`, 0)))) AND `text` = ?)   <- "50%_!" text
ne on text: `text` <> ?   <- "50%_!" text
   strictly: (~0 + (5 IN (COERCIBILITY(`text`), COERCIBILITY(IFNULL(`text`, 0)))) AND `text` <> ?)   <- "50%_!" text
lt on text: `text` < ?   <- "50%_!" text
   strictly: (~0 + (5 IN (COERCIBILITY(`text`), COERCIBILITY(IFNULL(`text`, 0)))) AND `text` < ?)   <- "50%_!" text
le on text: `text` <= ?   <- "50%_!" text
   strictly: (~0 + (5 IN (COERCIBILITY(`text`), COERCIBILITY(IFNULL(`text`, 0)))) AND `text` <= ?)   <- "50%_!" text
gt on text: `text` > ?   <- "50%_!" text
   strictly: (~0 + (5 IN (COERCIBILITY(`text`), COERCIBILITY(IFNULL(`text`, 0)))) AND `text` > ?)   <- "50%_!" text
ge on text: `text` >= ?   <- "50%_!" text
   strictly: (~0 + (5 IN (COERCIBILITY(`text`), COERCIBILITY(IFNULL(`text`, 0)))) AND `text` >= ?)   <- "50%_!" text
bw on text: `text` BETWEEN ? AND ?   <- "50%_!" text, "Ünï" text
   strictly: (~0 + (5 IN (COERCIBILITY(`text`), COERCIBILITY(IFNULL(`text`, 0)))) AND `text` BETWEEN ? AND ?)   <- "50%_!" text, "Ünï" text
in on text: `text` IN (?, ?)   <- "50%_!" text, "Ünï" text
   strictly: (~0 + (5 IN (COERCIBILITY(`text`), COERCIBILITY(IFNULL(`text`, 0)))) AND `text` IN (?, ?))   <- "50%_!" text, "Ünï" text
nin on text: `text` NOT IN (?, ?)   <- "50%_!" text, "Ünï" text
   strictly: (~0 + (5 IN (COERCIBILITY(`text`), COERCIBILITY(IFNULL(`text`, 0)))) AND `text` NOT IN (?, ?))   <- "50%_!" text, "Ünï" text
li on text: `text` LIKE ? ESCAPE '!'   <- "%50!%!_!!%" text
rli on text: `text` LIKE ? ESCAPE '!'   <- "50!%!_!!%" text
nli on text: `text` NOT LIKE ? ESCAPE '!'   <- "%50!%!_!!%" text
il on text: LOWER(`text`) LIKE LOWER(?) ESCAPE '!'   <- "%50!%!_!!%" text
eq on enum: `enum` = ?   <- "bad" text
   strictly: (~0 + (5 IN (COERCIBILITY(`enum`), COERCIBILITY(IFNULL(`enum`, 0)))) AND `enum` = ?)   <- "bad" text
ne on enum: `enum` <> ?   <- "bad" text
   strictly: (~0 + (5 IN (COERCIBILITY(`enum`), COERCIBILITY(IFNULL(`enum`, 0)))) AND `enum` <> ?)   <- "bad" text
lt on enum: `enum` < ?   <- "bad" text
   strictly: (~0 + (5 IN (COERCIBILITY(`enum`), COERCIBILITY(IFNULL(`enum`, 0)))) AND `enum` < ?)   <- "bad" text
le on enum: `enum` <= ?   <- "bad" text
   strictly: (~0 + (5 IN (COERCIBILITY(`enum`), COERCIBILITY(IFNULL(`enum`, 0)))) AND `enum` <= ?)   <- "bad" text
gt on enum: `enum` > ?   <- "bad" text
   strictly: (~0 + (5 IN (COERCIBILITY(`enum`), COERCIBILITY(IFNULL(`enum`, 0)))) AND `enum` > ?)   <- "bad" text
ge on enum: `enum` >= ?   <- "bad" text
   strictly: (~0 + (5 IN (COERCIBILITY(`enum`), COERCIBILITY(IFNULL(`enum`, 0)))) AND `enum` >= ?)   <- "bad" text
bw on enum: `enum` BETWEEN ? AND ?   <- "bad" text, "fine" text
   strictly: (~0 + (5 IN (COERCIBILITY(`enum`), COERCIBILITY(IFNULL(`enum`, 0)))) AND `enum` BETWEEN ? AND ?)   <- "bad" text, "fine" text
in on enum: `enum` IN (?, ?)   <- "bad" text, "fine" text
   strictly: (~0 + (5 IN (COERCIBILITY(`enum`), COERCIBILITY(IFNULL(`enum`, 0)))) AND `enum` IN (?, ?))   <- "bad" text, "fine" text
nin on enum: `enum` NOT IN (?, ?)   <- "bad" text, "fine" text
   strictly: (~0 + (5 IN (COERCIBILITY(`enum`), COERCIBILITY(IFNULL(`enum`, 0)))) AND `enum` NOT IN (?, ?))   <- "bad" text, "fine" text
li on enum: `enum` LIKE ? ESCAPE '!'   <- "%bad%" text
rli on enum: `enum` LIKE ? ESCAPE '!'   <- "bad%" text
nli on enum: `enum` NOT LIKE ? ESCAPE '!'   <- "%bad%" text
il on enum: LOWER(`enum`) LIKE LOWER(?) ESCAPE '!'   <- "%bad%" text
eq on set: `set` = ?   <- "bad" text
   strictly: (~0 + (5 IN (COERCIBILITY(`set`), COERCIBILITY(IFNULL(`set`, 0)))) AND `set` = ?)   <- "bad" text
ne on set: `set` <> ?   <- "bad" text
   strictly: (~0 + (5 IN (COERCIBILITY(`set`), COERCIBILITY(IFNULL(`set`, 0)))) AND `set` <> ?)   <- "bad" text
lt on set: `set` < ?   <- "bad" text
   strictly: (~0 + (5 IN (COERCIBILITY(`set`), COERCIBILITY(IFNULL(`set`, 0)))) AND `set` < ?)   <- "bad" text
le on set: `set` <= ?   <- "bad" text
   strictly: (~0 + (5 IN (COERCIBILITY(`set`), COERCIBILITY(IFNULL(`set`, 0)))) AND `set` <= ?)   <- "bad" text
gt on set: `set` > ?   <- "bad" text
   strictly: (~0 + (5 IN (COERCIBILITY(`set`), COERCIBILITY(IFNULL(`set`, 0)))) AND `set` > ?)   <- "bad" text
ge on set: `set` >= ?   <- "bad" text
   strictly: (~0 + (5 IN (COERCIBILITY(`set`), COERCIBILITY(IFNULL(`set`, 0)))) AND `set` >= ?)   <- "bad" text
bw on set: `set` BETWEEN ? AND ?   <- "bad" text, "fine" text
   strictly: (~0 + (5 IN (COERCIBILITY(`set`), COERCIBILITY(IFNULL(`set`, 0)))) AND `set` BETWEEN ? AND ?)   <- "bad" text, "fine" text
in on set: `set` IN (?, ?)   <- "bad" text, "fine" text
   strictly: (~0 + (5 IN (COERCIBILITY(`set`), COERCIBILITY(IFNULL(`set`, 0)))) AND `set` IN (?, ?))   <- "bad" text, "fine" text
nin on set: `set` NOT IN (?, ?)   <- "bad" text, "fine" text
   strictly: (~0 + (5 IN (COERCIBILITY(`set`), COERCIBILITY(IFNULL(`set`, 0)))) AND `set` NOT IN (?, ?))   <- "bad" text, "fine" text
li on set: `set` LIKE ? ESCAPE '!'   <- "%bad%" text
rli on set: `set` LIKE ? ESCAPE '!'   <- "bad%" text
nli on set: `set` NOT LIKE ? ESCAPE '!'   <- "%bad%" text
il on set: LOWER(`set`) LIKE LOWER(?) ESCAPE '!'   <- "%bad%" text
eq on uuid: `uuid` = ?   <- "00000000-0000-0000-0000-000000000001" other
   strictly: (~0 + (COERCIBILITY(IFNULL(`uuid`, '')) <> 5) AND `uuid` = ?)   <- "00000000-0000-0000-0000-000000000001" other
ne on uuid: `uuid` <> ?   <- "00000000-0000-0000-0000-000000000001" other
   strictly: (~0 + (COERCIBILITY(IFNULL(`uuid`, '')) <> 5) AND `uuid` <> ?)   <- "00000000-0000-0000-0000-000000000001" other
lt on uuid: `uuid` < ?   <- "00000000-0000-0000-0000-000000000001" other
   strictly: (~0 + (COERCIBILITY(IFNULL(`uuid`, '')) <> 5) AND `uuid` < ?)   <- "00000000-0000-0000-0000-000000000001" other
le on uuid: `uuid` <= ?   <- "00000000-0000-0000-0000-000000000001" other
   strictly: (~0 + (COERCIBILITY(IFNULL(`uuid`, '')) <> 5) AND `uuid` <= ?)   <- "00000000-0000-0000-0000-000000000001" other
gt on uuid: `uuid` > ?   <- "00000000-0000-0000-0000-000000000001" other
   strictly: (~0 + (COERCIBILITY(IFNULL(`uuid`, '')) <> 5) AND `uuid` > ?)   <- "00000000-0000-0000-0000-000000000001" other
ge on uuid: `uuid` >= ?   <- "00000000-0000-0000-0000-000000000001" other
   strictly: (~0 + (COERCIBILITY(IFNULL(`uuid`, '')) <> 5) AND `uuid` >= ?)   <- "00000000-0000-0000-0000-000000000001" other
bw on uuid: `uuid` BETWEEN ? AND ?   <- "00000000-0000-0000-0000-000000000001" other, "00000000-0000-0000-0000-0000000000ff" other
   strictly: (~0 + (COERCIBILITY(IFNULL(`uuid`, '')) <> 5) AND `uuid` BETWEEN ? AND ?)   <- "00000000-0000-0000-0000-000000000001" other, "00000000-0000-0000-0000-0000000000ff" other
in on uuid: `uuid` IN (?, ?)   <- "00000000-0000-0000-0000-000000000001" other, "00000000-0000-0000-0000-0000000000ff" other
   strictly: (~0 + (COERCIBILITY(IFNULL(`uuid`, '')) <> 5) AND `uuid` IN (?, ?))   <- "00000000-0000-0000-0000-000000000001" other, "00000000-0000-0000-0000-0000000000ff" other
nin on uuid: `uuid` NOT IN (?, ?)   <- "00000000-0000-0000-0000-000000000001" other, "00000000-0000-0000-0000-0000000000ff" other
   strictly: (~0 + (COERCIBILITY(IFNULL(`uuid`, '')) <> 5) AND `uuid` NOT IN (?, ?))   <- "00000000-0000-0000-0000-000000000001" other, "00000000-0000-0000-0000-0000000000ff" other
li on uuid: refused: The operator li requires a text column; "uuid" is not one.
rli on uuid: refused: The operator rli requires a text column; "uuid" is not one.
nli on uuid: refused: The operator nli requires a text column; "uuid" is not one.
il on uuid: refused: The operator il requires a text column; "uuid" is not one.
eq on date: `date` = ?   <- "2024-01-31" temporal
   strictly: (~0 + (COERCIBILITY(IFNULL(`date`, CAST(NULL AS DATETIME))) <> 5) AND `date` = CAST(CONCAT(?) AS DATE))   <- "2024-01-31" temporal
ne on date: `date` <> ?   <- "2024-01-31" temporal
   strictly: (~0 + (COERCIBILITY(IFNULL(`date`, CAST(NULL AS DATETIME))) <> 5) AND `date` <> CAST(CONCAT(?) AS DATE))   <- "2024-01-31" temporal
lt on date: `date` < ?   <- "2024-01-31" temporal
   strictly: (~0 + (COERCIBILITY(IFNULL(`date`, CAST(NULL AS DATETIME))) <> 5) AND `date` < CAST(CONCAT(?) AS DATE))   <- "2024-01-31" temporal
le on date: `date` <= ?   <- "2024-01-31" temporal
   strictly: (~0 + (COERCIBILITY(IFNULL(`date`, CAST(NULL AS DATETIME))) <> 5) AND `date` <= CAST(CONCAT(?) AS DATE))   <- "2024-01-31" temporal
gt on date: `date` > ?   <- "2024-01-31" temporal
   strictly: (~0 + (COERCIBILITY(IFNULL(`date`, CAST(NULL AS DATETIME))) <> 5) AND `date` > CAST(CONCAT(?) AS DATE))   <- "2024-01-31" temporal
ge on date: `date` >= ?   <- "2024-01-31" temporal
   strictly: (~0 + (COERCIBILITY(IFNULL(`date`, CAST(NULL AS DATETIME))) <> 5) AND `date` >= CAST(CONCAT(?) AS DATE))   <- "2024-01-31" temporal
bw on date: `date` BETWEEN ? AND ?   <- "2024-01-31" temporal, "2024-02-29" temporal
   strictly: (~0 + (COERCIBILITY(IFNULL(`date`, CAST(NULL AS DATETIME))) <> 5) AND `date` BETWEEN CAST(CONCAT(?) AS DATE) AND CAST(CONCAT(?) AS DATE))   <- "2024-01-31" temporal, "2024-02-29" temporal
in on date: `date` IN (?, ?)   <- "2024-01-31" temporal, "2024-02-29" temporal
   strictly: (~0 + (COERCIBILITY(IFNULL(`date`, CAST(NULL AS DATETIME))) <> 5) AND `date` IN (CAST(CONCAT(?) AS DATE), CAST(CONCAT(?) AS DATE)))   <- "2024-01-31" temporal, "2024-02-29" temporal
nin on date: `date` NOT IN (?, ?)   <- "2024-01-31" temporal, "2024-02-29" temporal
   strictly: (~0 + (COERCIBILITY(IFNULL(`date`, CAST(NULL AS DATETIME))) <> 5) AND `date` NOT IN (CAST(CONCAT(?) AS DATE), CAST(CONCAT(?) AS DATE)))   <- "2024-01-31" temporal, "2024-02-29" temporal
li on date: refused: The operator li requires a text column; "date" is not one.
rli on date: refused: The operator rli requires a text column; "date" is not one.
nli on date: refused: The operator nli requires a text column; "date" is not one.
il on date: refused: The operator il requires a text column; "date" is not one.
eq on time: `time` = ?   <- "10:00:00" temporal
   strictly: (~0 + (COERCIBILITY(IFNULL(`time`, CAST(NULL AS DATETIME))) <> 5) AND `time` = CAST(CONCAT(?) AS TIME(6)))   <- "10:00:00" temporal
ne on time: `time` <> ?   <- "10:00:00" temporal
   strictly: (~0 + (COERCIBILITY(IFNULL(`time`, CAST(NULL AS DATETIME))) <> 5) AND `time` <> CAST(CONCAT(?) AS TIME(6)))   <- "10:00:00" temporal
lt on time: `time` < ?   <- "10:00:00" temporal
   strictly: (~0 + (COERCIBILITY(IFNULL(`time`, CAST(NULL AS DATETIME))) <> 5) AND `time` < CAST(CONCAT(?) AS TIME(6)))   <- "10:00:00" temporal
le on time: `time` <= ?   <- "10:00:00" temporal
   strictly: (~0 + (COERCIBILITY(IFNULL(`time`, CAST(NULL AS DATETIME))) <> 5) AND `time` <= CAST(CONCAT(?) AS TIME(6)))   <- "10:00:00" temporal
gt on time: `time` > ?   <- "10:00:00" temporal
   strictly: (~0 + (COERCIBILITY(IFNULL(`time`, CAST(NULL AS DATETIME))) <> 5) AND `time` > CAST(CONCAT(?) AS TIME(6)))   <- "10:00:00" temporal
ge on time: `time` >= ?   <- "10:00:00" temporal
   strictly: (~0 + (COERCIBILITY(IFNULL(`time`, CAST(NULL AS DATETIME))) <> 5) AND `time` >= CAST(CONCAT(?) AS TIME(6)))   <- "10:00:00" temporal
bw on time: `time` BETWEEN ? AND ?   <- "10:00:00" temporal, "11:30:00" temporal
   strictly: (~0 + (COERCIBILITY(IFNULL(`time`, CAST(NULL AS DATETIME))) <> 5) AND `time` BETWEEN CAST(CONCAT(?) AS TIME(6)) AND CAST(CONCAT(?) AS TIME(6)))   <- "10:00:00" temporal, "11:30:00" temporal
in on time: `time` IN (?, ?)   <- "10:00:00" temporal, "11:30:00" temporal
   strictly: (~0 + (COERCIBILITY(IFNULL(`time`, CAST(NULL AS DATETIME))) <> 5) AND `time` IN (CAST(CONCAT(?) AS TIME(6)), CAST(CONCAT(?) AS TIME(6))))   <- "10:00:00" temporal, "11:30:00" temporal
nin on time: `time` NOT IN (?, ?)   <- "10:00:00" temporal, "11:30:00" temporal
   strictly: (~0 + (COERCIBILITY(IFNULL(`time`, CAST(NULL AS DATETIME))) <> 5) AND `time` NOT IN (CAST(CONCAT(?) AS TIME(6)), CAST(CONCAT(?) AS TIME(6))))   <- "10:00:00" temporal, "11:30:00" temporal
li on time: refused: The operator li requires a text column; "time" is not one.
rli on time: refused: The operator rli requires a text column; "time" is not one.
nli on time: refused: The operator nli requires a text column; "time" is not one.
il on time: refused: The operator il requires a text column; "time" is not one.
eq on timestamp: `timestamp` = ?   <- "2024-01-31T10:00:00" temporal
   strictly: (~0 + (COERCIBILITY(IFNULL(`timestamp`, CAST(NULL AS DATETIME))) <> 5) AND `timestamp` = CAST(CONCAT(?) AS DATETIME(6)))   <- "2024-01-31T10:00:00" temporal
ne on timestamp: `timestamp` <> ?   <- "2024-01-31T10:00:00" temporal
   strictly: (~0 + (COERCIBILITY(IFNULL(`timestamp`, CAST(NULL AS DATETIME))) <> 5) AND `timestamp` <> CAST(CONCAT(?) AS DATETIME(6)))   <- "2024-01-31T10:00:00" temporal
lt on timestamp: `timestamp` < ?   <- "2024-01-31T10:00:00" temporal
   strictly: (~0 + (COERCIBILITY(IFNULL(`timestamp`, CAST(NULL AS DATETIME))) <> 5) AND `timestamp` < CAST(CONCAT(?) AS DATETIME(6)))   <- "2024-01-31T10:00:00" temporal
le on timestamp: `timestamp` <= ?   <- "2024-01-31T10:00:00" temporal
   strictly: (~0 + (COERCIBILITY(IFNULL(`timestamp`, CAST(NULL AS DATETIME))) <> 5) AND `timestamp` <= CAST(CONCAT(?) AS DATETIME(6)))   <- "2024-01-31T10:00:00" temporal
gt on timestamp: `timestamp` > ?   <- "2024-01-31T10:00:00" temporal
   strictly: (~0 + (COERCIBILITY(IFNULL(`timestamp`, CAST(NULL AS DATETIME))) <> 5) AND `timestamp` > CAST(CONCAT(?) AS DATETIME(6)))   <- "2024-01-31T10:00:00" temporal
ge on timestamp: `timestamp` >= ?   <- "2024-01-31T10:00:00" temporal
   strictly: (~0 + (COERCIBILITY(IFNULL(`timestamp`, CAST(NULL AS DATETIME))) <> 5) AND `timestamp` >= CAST(CONCAT(?) AS DATETIME(6)))   <- "2024-01-31T10:00:00" temporal
bw on timestamp: `timestamp` BETWEEN ? AND ?   <- "2024-01-31T10:00:00" temporal, "2024-02-29T10:00:00.5" temporal
   strictly: (~0 + (COERCIBILITY(IFNULL(`timestamp`, CAST(NULL AS DATETIME))) <> 5) AND `timestamp` BETWEEN CAST(CONCAT(?) AS DATETIME(6)) AND CAST(CONCAT(?) AS DATETIME(6)))   <- "2024-01-31T10:00:00" temporal, "2024-02-29T10:00:00.5" temporal
in on timestamp: `timestamp` IN (?, ?)   <- "2024-01-31T10:00:00" temporal, "2024-02-29T10:00:00.5" temporal
   strictly: (~0 + (COERCIBILITY(IFNULL(`timestamp`, CAST(NULL AS DATETIME))) <> 5) AND `timestamp` IN (CAST(CONCAT(?) AS DATETIME(6)), CAST(CONCAT(?) AS DATETIME(6))))   <- "2024-01-31T10:00:00" temporal, "2024-02-29T10:00:00.5" temporal
nin on timestamp: `timestamp` NOT IN (?, ?)   <- "2024-01-31T10:00:00" temporal, "2024-02-29T10:00:00.5" temporal
   strictly: (~0 + (COERCIBILITY(IFNULL(`timestamp`, CAST(NULL AS DATETIME))) <> 5) AND `timestamp` NOT IN (CAST(CONCAT(?) AS DATETIME(6)), CAST(CONCAT(?) AS DATETIME(6))))   <- "2024-01-31T10:00:00" temporal, "2024-02-29T10:00:00.5" temporal
li on timestamp: refused: The operator li requires a text column; "timestamp" is not one.
rli on timestamp: refused: The operator rli requires a text column; "timestamp" is not one.
nli on timestamp: refused: The operator nli requires a text column; "timestamp" is not one.
il on timestamp: refused: The operator il requires a text column; "timestamp" is not one.
eq on timestamptz: `timestamptz` = ?   <- "2024-01-31T10:00:00Z" temporal
   strictly: (~0 + (COERCIBILITY(IFNULL(`timestamptz`, CAST(NULL AS DATETIME))) <> 5) AND `timestamptz` = CAST(CONCAT(?) AS DATETIME(6)))   <- "2024-01-31T10:00:00Z" temporal
ne on timestamptz: `timestamptz` <> ?   <- "2024-01-31T10:00:00Z" temporal
   strictly: (~0 + (COERCIBILITY(IFNULL(`timestamptz`, CAST(NULL AS DATETIME))) <> 5) AND `timestamptz` <> CAST(CONCAT(?) AS DATETIME(6)))   <- "2024-01-31T10:00:00Z" temporal
lt on timestamptz: `timestamptz` < ?   <- "2024-01-31T10:00:00Z" temporal
   strictly: (~0 + (COERCIBILITY(IFNULL(`timestamptz`, CAST(NULL AS DATETIME))) <> 5) AND `timestamptz` < CAST(CONCAT(?) AS DATETIME(6)))   <- "2024-01-31T10:00:00Z" temporal
le on timestamptz: `timestamptz` <= ?   <- "2024-01-31T10:00:00Z" temporal
   strictly: (~0 + (COERCIBILITY(IFNULL(`timestamptz`, CAST(NULL AS DATETIME))) <> 5) AND `timestamptz` <= CAST(CONCAT(?) AS DATETIME(6)))   <- "2024-01-31T10:00:00Z" temporal
gt on timestamptz: `timestamptz` > ?   <- "2024-01-31T10:00:00Z" temporal
   strictly: (~0 + (COERCIBILITY(IFNULL(`timestamptz`, CAST(NULL AS DATETIME))) <> 5) AND `timestamptz` > CAST(CONCAT(?) AS DATETIME(6)))   <- "2024-01-31T10:00:00Z" temporal
ge on timestamptz: `timestamptz` >= ?   <- "2024-01-31T10:00:00Z" temporal
   strictly: (~0 + (COERCIBILITY(IFNULL(`timestamptz`, CAST(NULL AS DATETIME))) <> 5) AND `timestamptz` >= CAST(CONCAT(?) AS DATETIME(6)))   <- "2024-01-31T10:00:00Z" temporal
bw on timestamptz: `timestamptz` BETWEEN ? AND ?   <- "2024-01-31T10:00:00Z" temporal, "2024-02-29T10:00:00.5Z" temporal
   strictly: (~0 + (COERCIBILITY(IFNULL(`timestamptz`, CAST(NULL AS DATETIME))) <> 5) AND `timestamptz` BETWEEN CAST(CONCAT(?) AS DATETIME(6)) AND CAST(CONCAT(?) AS DATETIME(6)))   <- "2024-01-31T10:00:00Z" temporal, "2024-02-29T10:00:00.5Z" temporal
in on timestamptz: `timestamptz` IN (?, ?)   <- "2024-01-31T10:00:00Z" temporal, "2024-02-29T10:00:00.5Z" temporal
   strictly: (~0 + (COERCIBILITY(IFNULL(`timestamptz`, CAST(NULL AS DATETIME))) <> 5) AND `timestamptz` IN (CAST(CONCAT(?) AS DATETIME(6)), CAST(CONCAT(?) AS DATETIME(6))))   <- "2024-01-31T10:00:00Z" temporal, "2024-02-29T10:00:00.5Z" temporal
nin on timestamptz: `timestamptz` NOT IN (?, ?)   <- "2024-01-31T10:00:00Z" temporal, "2024-02-29T10:00:00.5Z" temporal
   strictly: (~0 + (COERCIBILITY(IFNULL(`timestamptz`, CAST(NULL AS DATETIME))) <> 5) AND `timestamptz` NOT IN (CAST(CONCAT(?) AS DATETIME(6)), CAST(CONCAT(?) AS DATETIME(6))))   <- "2024-01-31T10:00:00Z" temporal, "2024-02-29T10:00:00.5Z" temporal
li on timestamptz: refused: The operator li requires a text column; "timestamptz" is not one.
rli on timestamptz: refused: The operator rli requires a text column; "timestamptz" is not one.
nli on timestamptz: refused: The operator nli requires a text column; "timestamptz" is not one.
il on timestamptz: refused: The operator il requires a text column; "timestamptz" is not one.
eq on bytes: `bytes` = ?   <- 0x0001 bytes
   strictly: (~0 + (5 IN (COERCIBILITY(`bytes`), COERCIBILITY(IFNULL(`bytes`, 0)))) AND `bytes` = ?)   <- 0x0001 bytes
ne on bytes: `bytes` <> ?   <- 0x0001 bytes
   strictly: (~0 + (5 IN (COERCIBILITY(`bytes`), COERCIBILITY(IFNULL(`bytes`, 0)))) AND `bytes` <> ?)   <- 0x0001 bytes
lt on bytes: `bytes` < ?   <- 0x0001 bytes
   strictly: (~0 + (5 IN (COERCIBILITY(`bytes`), COERCIBILITY(IFNULL(`bytes`, 0)))) AND `bytes` < ?)   <- 0x0001 bytes
le on bytes: `bytes` <= ?   <- 0x0001 bytes
   strictly: (~0 + (5 IN (COERCIBILITY(`bytes`), COERCIBILITY(IFNULL(`bytes`, 0)))) AND `bytes` <= ?)   <- 0x0001 bytes
gt on bytes: `bytes` > ?   <- 0x0001 bytes
   strictly: (~0 + (5 IN (COERCIBILITY(`bytes`), COERCIBILITY(IFNULL(`bytes`, 0)))) AND `bytes` > ?)   <- 0x0001 bytes
ge on bytes: `bytes` >= ?   <- 0x0001 bytes
   strictly: (~0 + (5 IN (COERCIBILITY(`bytes`), COERCIBILITY(IFNULL(`bytes`, 0)))) AND `bytes` >= ?)   <- 0x0001 bytes
bw on bytes: `bytes` BETWEEN ? AND ?   <- 0x0001 bytes, 0xff bytes
   strictly: (~0 + (5 IN (COERCIBILITY(`bytes`), COERCIBILITY(IFNULL(`bytes`, 0)))) AND `bytes` BETWEEN ? AND ?)   <- 0x0001 bytes, 0xff bytes
in on bytes: `bytes` IN (?, ?)   <- 0x0001 bytes, 0xff bytes
   strictly: (~0 + (5 IN (COERCIBILITY(`bytes`), COERCIBILITY(IFNULL(`bytes`, 0)))) AND `bytes` IN (?, ?))   <- 0x0001 bytes, 0xff bytes
nin on bytes: `bytes` NOT IN (?, ?)   <- 0x0001 bytes, 0xff bytes
   strictly: (~0 + (5 IN (COERCIBILITY(`bytes`), COERCIBILITY(IFNULL(`bytes`, 0)))) AND `bytes` NOT IN (?, ?))   <- 0x0001 bytes, 0xff bytes
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
eq on other: `other` = ?   <- "::1" other
   strictly: (~0 + (COERCIBILITY(IFNULL(`other`, '')) <> 5) AND `other` = ?)   <- "::1" other
ne on other: `other` <> ?   <- "::1" other
   strictly: (~0 + (COERCIBILITY(IFNULL(`other`, '')) <> 5) AND `other` <> ?)   <- "::1" other
lt on other: `other` < ?   <- "::1" other
   strictly: (~0 + (COERCIBILITY(IFNULL(`other`, '')) <> 5) AND `other` < ?)   <- "::1" other
le on other: `other` <= ?   <- "::1" other
   strictly: (~0 + (COERCIBILITY(IFNULL(`other`, '')) <> 5) AND `other` <= ?)   <- "::1" other
gt on other: `other` > ?   <- "::1" other
   strictly: (~0 + (COERCIBILITY(IFNULL(`other`, '')) <> 5) AND `other` > ?)   <- "::1" other
ge on other: `other` >= ?   <- "::1" other
   strictly: (~0 + (COERCIBILITY(IFNULL(`other`, '')) <> 5) AND `other` >= ?)   <- "::1" other
bw on other: `other` BETWEEN ? AND ?   <- "::1" other, "::2" other
   strictly: (~0 + (COERCIBILITY(IFNULL(`other`, '')) <> 5) AND `other` BETWEEN ? AND ?)   <- "::1" other, "::2" other
in on other: `other` IN (?, ?)   <- "::1" other, "::2" other
   strictly: (~0 + (COERCIBILITY(IFNULL(`other`, '')) <> 5) AND `other` IN (?, ?))   <- "::1" other, "::2" other
nin on other: `other` NOT IN (?, ?)   <- "::1" other, "::2" other
   strictly: (~0 + (COERCIBILITY(IFNULL(`other`, '')) <> 5) AND `other` NOT IN (?, ?))   <- "::1" other, "::2" other
li on other: refused: The operator li requires a text column; "other" is not one.
rli on other: refused: The operator rli requires a text column; "other" is not one.
nli on other: refused: The operator nli requires a text column; "other" is not one.
il on other: refused: The operator il requires a text column; "other" is not one.
