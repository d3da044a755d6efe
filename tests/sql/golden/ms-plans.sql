## a page
SELECT `id`, `int`, `decimal`, `float`, `text`, `enum`, `set`, `date`, `time`, `timestamp`, `timestamptz`, `bytes`, `json`, ST_AsText(`other`) FROM `shop`.`things` ORDER BY `id` LIMIT 20
## a later page
SELECT `id`, `int`, `decimal`, `float`, `text`, `enum`, `set`, `date`, `time`, `timestamp`, `timestamptz`, `bytes`, `json`, ST_AsText(`other`) FROM `shop`.`things` ORDER BY `id` LIMIT 20 OFFSET ?
   "60" int
## a page so late that a number cannot say it
SELECT `id`, `int`, `decimal`, `float`, `text`, `enum`, `set`, `date`, `time`, `timestamp`, `timestamptz`, `bytes`, `json`, ST_AsText(`other`) FROM `shop`.`things` JOIN (SELECT `id` AS `key 0` FROM `shop`.`things` ORDER BY `id` LIMIT 10000 OFFSET ?) AS `page` ON `id` = `key 0` ORDER BY `id`
   "99999999990000" int
## a page far behind
SELECT `id`, `int`, `decimal`, `float`, `text`, `enum`, `set`, `date`, `time`, `timestamp`, `timestamptz`, `bytes`, `json`, ST_AsText(`other`) FROM `shop`.`things` JOIN (SELECT `id` AS `key 0` FROM `shop`.`things` ORDER BY `id` LIMIT 20 OFFSET ?) AS `page` ON `id` = `key 0` ORDER BY `id`
   "5000" int
## a page far behind, the other way round, some columns
SELECT `text` FROM `shop`.`things` JOIN (SELECT `id` AS `key 0` FROM `shop`.`things` ORDER BY `id` DESC LIMIT 20 OFFSET ?) AS `page` ON `id` = `key 0` ORDER BY `id` DESC
   "5000" int
## a page far behind of what matches
SELECT `id`, `int`, `decimal`, `float`, `text`, `enum`, `set`, `date`, `time`, `timestamp`, `timestamptz`, `bytes`, `json`, ST_AsText(`other`) FROM `shop`.`things` WHERE `int` > ? ORDER BY `id` LIMIT 20 OFFSET ?
   "5" int, "5000" int
## a page far behind by another column
SELECT `id`, `int`, `decimal`, `float`, `text`, `enum`, `set`, `date`, `time`, `timestamp`, `timestamptz`, `bytes`, `json`, ST_AsText(`other`) FROM `shop`.`things` ORDER BY `int`, `id` LIMIT 20 OFFSET ?
   "5000" int
## a page far behind that is large
SELECT `id`, `int`, `decimal`, `float`, `text`, `enum`, `set`, `date`, `time`, `timestamp`, `timestamptz`, `bytes`, `json`, ST_AsText(`other`) FROM `shop`.`things` ORDER BY `id` LIMIT 100 OFFSET ?
   "5000" int
## columns
SELECT `text`, `id` FROM `shop`.`things` ORDER BY `id` LIMIT 20
## one row
SELECT `id`, `int`, `decimal`, `float`, `text`, `enum`, `set`, `date`, `time`, `timestamp`, `timestamptz`, `bytes`, `json`, ST_AsText(`other`) FROM `shop`.`things` WHERE `id` = ? ORDER BY `id` LIMIT 1
   "7" int
## groups
SELECT `id`, `int`, `decimal`, `float`, `text`, `enum`, `set`, `date`, `time`, `timestamp`, `timestamptz`, `bytes`, `json`, ST_AsText(`other`) FROM `shop`.`things` WHERE (`id` = ?) OR ((`id` > ?) AND (`text` LIKE ? ESCAPE '!')) OR (NOT (`id` IN (?, ?))) ORDER BY `id` LIMIT 20
   "1" int, "2" int, "%x%" text, "4" int, "5" int
## nulls
SELECT `id`, `int`, `decimal`, `float`, `text`, `enum`, `set`, `date`, `time`, `timestamp`, `timestamptz`, `bytes`, `json`, ST_AsText(`other`) FROM `shop`.`things` WHERE (`text` IS NULL) AND (`int` IS NOT NULL) ORDER BY `id` LIMIT 20
## the same column twice
SELECT `id`, `int`, `decimal`, `float`, `text`, `enum`, `set`, `date`, `time`, `timestamp`, `timestamptz`, `bytes`, `json`, ST_AsText(`other`) FROM `shop`.`things` WHERE (`id` > ?) AND (`id` < ?) ORDER BY `id` LIMIT 20
   "1" int, "9" int
## order by id
SELECT `id` FROM `shop`.`things` ORDER BY `id`, `id` DESC LIMIT 20
## order by int
SELECT `id` FROM `shop`.`things` ORDER BY `int`, `id` DESC LIMIT 20
## order by decimal
SELECT `id` FROM `shop`.`things` ORDER BY `decimal`, `id` DESC LIMIT 20
## order by float
SELECT `id` FROM `shop`.`things` ORDER BY `float`, `id` DESC LIMIT 20
## order by text
SELECT `id` FROM `shop`.`things` ORDER BY `text`, `id` DESC LIMIT 20
## order by enum
SELECT `id` FROM `shop`.`things` ORDER BY CONCAT(`enum`, ''), `id` DESC LIMIT 20
## order by set
SELECT `id` FROM `shop`.`things` ORDER BY CONCAT(`set`, ''), `id` DESC LIMIT 20
## order by date
SELECT `id` FROM `shop`.`things` ORDER BY `date`, `id` DESC LIMIT 20
## order by time
SELECT `id` FROM `shop`.`things` ORDER BY `time`, `id` DESC LIMIT 20
## order by timestamp
SELECT `id` FROM `shop`.`things` ORDER BY `timestamp`, `id` DESC LIMIT 20
## order by timestamptz
SELECT `id` FROM `shop`.`things` ORDER BY `timestamptz`, `id` DESC LIMIT 20
## order by bytes
SELECT `id` FROM `shop`.`things` ORDER BY `bytes`, `id` DESC LIMIT 20
## the first page by cursor
SELECT `text`, `id` FROM `shop`.`things` ORDER BY `id` LIMIT 20
## count
SELECT count(*) FROM `shop`.`things`
   then SELECT `id` FROM `shop`.`things` ORDER BY `id` LIMIT 1
## count of a filter
SELECT count(*) FROM `shop`.`things` WHERE (~0 + (COERCIBILITY(IFNULL(`int`, 0)) <> 5) AND `int` > ?)
   "5" int
   then SELECT `id` FROM `shop`.`things` WHERE (~0 + (COERCIBILITY(IFNULL(`int`, 0)) <> 5) AND `int` > ?) ORDER BY `id` LIMIT 1
   "5" int
## sums of everything
SELECT count(*) AS `output 0`, count(`text`) AS `output 1`, count(DISTINCT `text`) AS `output 2`, sum(`int`) AS `output 3`, sum(`decimal`) AS `output 4`, sum(`float`) AS `output 5`, AVG(CAST(`int` AS DECIMAL(22, 2))) AS `output 6`, avg(`decimal`) AS `output 7`, avg(`float`) AS `output 8`, min(`date`) AS `output 9`, max(`text`) AS `output 10` FROM `shop`.`things` LIMIT 20
## groups, in order
SELECT count(*) FROM (SELECT `text` AS `output 0`, `int` AS `output 1`, sum(`decimal`) AS `output 2` FROM `shop`.`things` WHERE (~0 + (COERCIBILITY(IFNULL(`int`, 0)) <> 5) AND `int` > ?) GROUP BY `text`, `int`) AS `groups`
   "5" int
   then SELECT `text`, `int`, sum(`decimal`) AS `output 2` FROM `shop`.`things` WHERE (~0 + (COERCIBILITY(IFNULL(`int`, 0)) <> 5) AND `int` > ?) GROUP BY `text`, `int` ORDER BY sum(`decimal`) DESC, `text`, `int` LIMIT 20 OFFSET ?
   "5" int, "20" int
## having
SELECT `output 0`, `output 1`, `output 2` FROM (SELECT `text` AS `output 0`, count(*) AS `output 1`, sum(`int`) AS `output 2` FROM `shop`.`things` GROUP BY `text`) AS `groups` WHERE ((~0 + (COERCIBILITY(IFNULL(`output 2`, 0)) <> 5) AND `output 2` > ?)) AND (((~0 + (COERCIBILITY(IFNULL(`output 1`, 0)) <> 5) AND `output 1` >= ?)) OR (`output 0` LIKE ? ESCAPE '!')) AND (`output 2` IS NOT NULL) ORDER BY `output 0` LIMIT 20
   "100" decimal, "2" decimal, "%x%" text
## by year
SELECT CAST(DATE(`date`) - INTERVAL DAYOFYEAR(`date`) - 1 DAY AS DATE) AS `output 0`, DATE_FORMAT(CAST(DATE(`timestamptz`) - INTERVAL DAYOFYEAR(`timestamptz`) - 1 DAY AS DATETIME), '%Y-%m-%dT%H:%i:%sZ') AS `output 1` FROM `shop`.`things` GROUP BY CAST(DATE(`date`) - INTERVAL DAYOFYEAR(`date`) - 1 DAY AS DATE), CAST(DATE(`timestamptz`) - INTERVAL DAYOFYEAR(`timestamptz`) - 1 DAY AS DATETIME) ORDER BY CAST(DATE(`date`) - INTERVAL DAYOFYEAR(`date`) - 1 DAY AS DATE), CAST(DATE(`timestamptz`) - INTERVAL DAYOFYEAR(`timestamptz`) - 1 DAY AS DATETIME) LIMIT 20
## by quarter
SELECT CAST(DATE(`date`) - INTERVAL DAYOFMONTH(`date`) - 1 DAY - INTERVAL (MONTH(`date`) - 1) % 3 MONTH AS DATE) AS `output 0`, DATE_FORMAT(CAST(DATE(`timestamptz`) - INTERVAL DAYOFMONTH(`timestamptz`) - 1 DAY - INTERVAL (MONTH(`timestamptz`) - 1) % 3 MONTH AS DATETIME), '%Y-%m-%dT%H:%i:%sZ') AS `output 1` FROM `shop`.`things` GROUP BY CAST(DATE(`date`) - INTERVAL DAYOFMONTH(`date`) - 1 DAY - INTERVAL (MONTH(`date`) - 1) % 3 MONTH AS DATE), CAST(DATE(`timestamptz`) - INTERVAL DAYOFMONTH(`timestamptz`) - 1 DAY - INTERVAL (MONTH(`timestamptz`) - 1) % 3 MONTH AS DATETIME) ORDER BY CAST(DATE(`date`) - INTERVAL DAYOFMONTH(`date`) - 1 DAY - INTERVAL (MONTH(`date`) - 1) % 3 MONTH AS DATE), CAST(DATE(`timestamptz`) - INTERVAL DAYOFMONTH(`timestamptz`) - 1 DAY - INTERVAL (MONTH(`timestamptz`) - 1) % 3 MONTH AS DATETIME) LIMIT 20
## by month
SELECT CAST(DATE(`date`) - INTERVAL DAYOFMONTH(`date`) - 1 DAY AS DATE) AS `output 0`, DATE_FORMAT(CAST(DATE(`timestamptz`) - INTERVAL DAYOFMONTH(`timestamptz`) - 1 DAY AS DATETIME), '%Y-%m-%dT%H:%i:%sZ') AS `output 1` FROM `shop`.`things` GROUP BY CAST(DATE(`date`) - INTERVAL DAYOFMONTH(`date`) - 1 DAY AS DATE), CAST(DATE(`timestamptz`) - INTERVAL DAYOFMONTH(`timestamptz`) - 1 DAY AS DATETIME) ORDER BY CAST(DATE(`date`) - INTERVAL DAYOFMONTH(`date`) - 1 DAY AS DATE), CAST(DATE(`timestamptz`) - INTERVAL DAYOFMONTH(`timestamptz`) - 1 DAY AS DATETIME) LIMIT 20
## by week
SELECT CAST(DATE(`date`) - INTERVAL WEEKDAY(`date`) DAY AS DATE) AS `output 0`, DATE_FORMAT(CAST(DATE(`timestamptz`) - INTERVAL WEEKDAY(`timestamptz`) DAY AS DATETIME), '%Y-%m-%dT%H:%i:%sZ') AS `output 1` FROM `shop`.`things` GROUP BY CAST(DATE(`date`) - INTERVAL WEEKDAY(`date`) DAY AS DATE), CAST(DATE(`timestamptz`) - INTERVAL WEEKDAY(`timestamptz`) DAY AS DATETIME) ORDER BY CAST(DATE(`date`) - INTERVAL WEEKDAY(`date`) DAY AS DATE), CAST(DATE(`timestamptz`) - INTERVAL WEEKDAY(`timestamptz`) DAY AS DATETIME) LIMIT 20
## by day
SELECT CAST(DATE(`date`) AS DATE) AS `output 0`, DATE_FORMAT(CAST(DATE(`timestamptz`) AS DATETIME), '%Y-%m-%dT%H:%i:%sZ') AS `output 1` FROM `shop`.`things` GROUP BY CAST(DATE(`date`) AS DATE), CAST(DATE(`timestamptz`) AS DATETIME) ORDER BY CAST(DATE(`date`) AS DATE), CAST(DATE(`timestamptz`) AS DATETIME) LIMIT 20
## by hour
SELECT CAST(DATE(`date`) AS DATE) AS `output 0`, DATE_FORMAT(CAST(DATE_FORMAT(`timestamptz`, '%Y-%m-%d %H:00:00') AS DATETIME), '%Y-%m-%dT%H:%i:%sZ') AS `output 1` FROM `shop`.`things` GROUP BY CAST(DATE(`date`) AS DATE), CAST(DATE_FORMAT(`timestamptz`, '%Y-%m-%d %H:00:00') AS DATETIME) ORDER BY CAST(DATE(`date`) AS DATE), CAST(DATE_FORMAT(`timestamptz`, '%Y-%m-%d %H:00:00') AS DATETIME) LIMIT 20
## by minute
SELECT CAST(DATE(`date`) AS DATE) AS `output 0`, DATE_FORMAT(CAST(DATE_FORMAT(`timestamptz`, '%Y-%m-%d %H:%i:00') AS DATETIME), '%Y-%m-%dT%H:%i:%sZ') AS `output 1` FROM `shop`.`things` GROUP BY CAST(DATE(`date`) AS DATE), CAST(DATE_FORMAT(`timestamptz`, '%Y-%m-%d %H:%i:00') AS DATETIME) ORDER BY CAST(DATE(`date`) AS DATE), CAST(DATE_FORMAT(`timestamptz`, '%Y-%m-%d %H:%i:00') AS DATETIME) LIMIT 20
## PUT int
UPDATE `shop`.`things` SET `int` = ? WHERE (~0 + (COERCIBILITY(IFNULL(`id`, 0)) <> 5) AND `id` = ?)
   "7" int, "1" int
## PUT decimal
UPDATE `shop`.`things` SET `decimal` = ? WHERE (~0 + (COERCIBILITY(IFNULL(`id`, 0)) <> 5) AND `id` = ?)
   "2.25" decimal, "1" int
## PUT float
UPDATE `shop`.`things` SET `float` = ? WHERE (~0 + (COERCIBILITY(IFNULL(`id`, 0)) <> 5) AND `id` = ?)
   "1.5e3" float, "1" int
## PUT text
UPDATE `shop`.`things` SET `text` = ? WHERE (~0 + (COERCIBILITY(IFNULL(`id`, 0)) <> 5) AND `id` = ?)
   "Ünï" text, "1" int
## PUT enum
UPDATE `shop`.`things` SET `enum` = ? WHERE (~0 + (COERCIBILITY(IFNULL(`id`, 0)) <> 5) AND `id` = ?)
   "fine" text, "1" int
## PUT set
UPDATE `shop`.`things` SET `set` = ? WHERE (~0 + (COERCIBILITY(IFNULL(`id`, 0)) <> 5) AND `id` = ?)
   "fine" text, "1" int
## PUT date
UPDATE `shop`.`things` SET `date` = ? WHERE (~0 + (COERCIBILITY(IFNULL(`id`, 0)) <> 5) AND `id` = ?)
   "2024-02-29" temporal, "1" int
## PUT time
UPDATE `shop`.`things` SET `time` = ? WHERE (~0 + (COERCIBILITY(IFNULL(`id`, 0)) <> 5) AND `id` = ?)
   "11:30:00" temporal, "1" int
## PUT timestamp
UPDATE `shop`.`things` SET `timestamp` = ? WHERE (~0 + (COERCIBILITY(IFNULL(`id`, 0)) <> 5) AND `id` = ?)
   "2024-02-29T10:00:00.5" temporal, "1" int
## PUT timestamptz
UPDATE `shop`.`things` SET `timestamptz` = ? WHERE (~0 + (COERCIBILITY(IFNULL(`id`, 0)) <> 5) AND `id` = ?)
   "2024-02-29T10:00:00.5Z" temporal, "1" int
## PUT bytes
UPDATE `shop`.`things` SET `bytes` = ? WHERE (~0 + (COERCIBILITY(IFNULL(`id`, 0)) <> 5) AND `id` = ?)
   0xff bytes, "1" int
## PUT json
UPDATE `shop`.`things` SET `json` = ? WHERE (~0 + (COERCIBILITY(IFNULL(`id`, 0)) <> 5) AND `id` = ?)
   "[1,2]" json, "1" int
## PUT other
UPDATE `shop`.`things` SET `other` = ST_GeomFromText(?) WHERE (~0 + (COERCIBILITY(IFNULL(`id`, 0)) <> 5) AND `id` = ?)
   "::2" other, "1" int
## POST of a row
INSERT INTO `shop`.`things` (`id`, `text`, `int`) VALUES (?, ?, ?)
   "1" int, "a" text, "5" int
## POST of rows
INSERT INTO `shop`.`things` (`id`, `text`, `int`) SELECT * FROM JSON_TABLE(?, '$[*]' COLUMNS (_0 VARCHAR(24) CHARACTER SET utf8mb4 PATH '$[0]' ERROR ON ERROR, _1 VARCHAR(40) CHARACTER SET utf8mb4 PATH '$[1]' ERROR ON ERROR, _2 VARCHAR(24) CHARACTER SET utf8mb4 PATH '$[2]' ERROR ON ERROR)) AS given
   0x5b5b2231222c2261222c2235225d2c5b2232222c2261222c2235225d2c5b2233222c6e756c6c2c2235225d5d json
## POST of rows with different keys
INSERT INTO `shop`.`things` (`id`, `text`, `int`) VALUES (?, ?, ?)
   "1" int, "a" text, "5" int
   then INSERT INTO `shop`.`things` (`id`) VALUES (?)
   "2" int
## upsert of a row
INSERT INTO `shop`.`things` (`id`, `text`, `int`) VALUES (?, ?, ?) ON DUPLICATE KEY UPDATE `id` = IF(`shop`.`things`.`id` = VALUES(`id`), `shop`.`things`.`id`, NULL), `text` = VALUES(`text`), `int` = VALUES(`int`)
   "1" int, "a" text, "5" int
## upsert of rows
INSERT INTO `shop`.`things` (`id`, `text`, `int`) SELECT * FROM JSON_TABLE(?, '$[*]' COLUMNS (_0 VARCHAR(24) CHARACTER SET utf8mb4 PATH '$[0]' ERROR ON ERROR, _1 VARCHAR(40) CHARACTER SET utf8mb4 PATH '$[1]' ERROR ON ERROR, _2 VARCHAR(24) CHARACTER SET utf8mb4 PATH '$[2]' ERROR ON ERROR)) AS given ON DUPLICATE KEY UPDATE `id` = IF(`shop`.`things`.`id` = VALUES(`id`), `shop`.`things`.`id`, NULL), `text` = VALUES(`text`), `int` = VALUES(`int`)
   0x5b5b2231222c2261222c2235225d2c5b2232222c2261222c2235225d5d json
