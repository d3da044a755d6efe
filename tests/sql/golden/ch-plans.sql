## a page
SELECT `id`, `int`, `decimal`, `float`, `bool`, `text`, `enum`, `uuid`, `date`, `timestamptz`, `json`, `other` FROM `shop`.`things` ORDER BY `id` ASC, `int` ASC NULLS FIRST, `decimal` ASC NULLS FIRST, isNotNull(`float`) ASC, `float` ASC NULLS LAST, `bool` ASC NULLS FIRST, `text` ASC NULLS FIRST, `enum` ASC NULLS FIRST, `uuid` ASC NULLS FIRST, `date` ASC NULLS FIRST, `timestamptz` ASC NULLS FIRST, `json` ASC, `other` ASC NULLS FIRST LIMIT {p1:UInt64}
   "20" int
   then SELECT `id`, `int`, `decimal`, `float`, `bool`, `text`, `enum`, `uuid`, `date`, `timestamptz`, `json`, `other` FROM `shop`.`things` ORDER BY `id` ASC LIMIT {p1:UInt64}
   "21" int
## a later page
SELECT `id`, `int`, `decimal`, `float`, `bool`, `text`, `enum`, `uuid`, `date`, `timestamptz`, `json`, `other` FROM `shop`.`things` ORDER BY `id` ASC, `int` ASC NULLS FIRST, `decimal` ASC NULLS FIRST, isNotNull(`float`) ASC, `float` ASC NULLS LAST, `bool` ASC NULLS FIRST, `text` ASC NULLS FIRST, `enum` ASC NULLS FIRST, `uuid` ASC NULLS FIRST, `date` ASC NULLS FIRST, `timestamptz` ASC NULLS FIRST, `json` ASC, `other` ASC NULLS FIRST LIMIT {p1:UInt64} OFFSET {p2:UInt64}
   "20" int, "60" int
   then SELECT `id`, `int`, `decimal`, `float`, `bool`, `text`, `enum`, `uuid`, `date`, `timestamptz`, `json`, `other` FROM `shop`.`things` ORDER BY `id` ASC LIMIT {p1:UInt64} OFFSET {p2:UInt64}
   "22" int, "59" int
## a page so late that a number cannot say it
SELECT `id`, `int`, `decimal`, `float`, `bool`, `text`, `enum`, `uuid`, `date`, `timestamptz`, `json`, `other` FROM `shop`.`things` ORDER BY `id` ASC, `int` ASC NULLS FIRST, `decimal` ASC NULLS FIRST, isNotNull(`float`) ASC, `float` ASC NULLS LAST, `bool` ASC NULLS FIRST, `text` ASC NULLS FIRST, `enum` ASC NULLS FIRST, `uuid` ASC NULLS FIRST, `date` ASC NULLS FIRST, `timestamptz` ASC NULLS FIRST, `json` ASC, `other` ASC NULLS FIRST LIMIT {p1:UInt64} OFFSET {p2:UInt64}
   "10000" int, "99999999990000" int
   then SELECT `id`, `int`, `decimal`, `float`, `bool`, `text`, `enum`, `uuid`, `date`, `timestamptz`, `json`, `other` FROM `shop`.`things` ORDER BY `id` ASC LIMIT {p1:UInt64} OFFSET {p2:UInt64}
   "10002" int, "99999999989999" int
## a page far behind
SELECT `id`, `int`, `decimal`, `float`, `bool`, `text`, `enum`, `uuid`, `date`, `timestamptz`, `json`, `other` FROM `shop`.`things` ORDER BY `id` ASC, `int` ASC NULLS FIRST, `decimal` ASC NULLS FIRST, isNotNull(`float`) ASC, `float` ASC NULLS LAST, `bool` ASC NULLS FIRST, `text` ASC NULLS FIRST, `enum` ASC NULLS FIRST, `uuid` ASC NULLS FIRST, `date` ASC NULLS FIRST, `timestamptz` ASC NULLS FIRST, `json` ASC, `other` ASC NULLS FIRST LIMIT {p1:UInt64} OFFSET {p2:UInt64}
   "20" int, "5000" int
   then SELECT `id`, `int`, `decimal`, `float`, `bool`, `text`, `enum`, `uuid`, `date`, `timestamptz`, `json`, `other` FROM `shop`.`things` ORDER BY `id` ASC LIMIT {p1:UInt64} OFFSET {p2:UInt64}
   "22" int, "4999" int
## a page far behind, the other way round, some columns
SELECT `text` FROM `shop`.`things` ORDER BY `id` DESC, `int` ASC NULLS FIRST, `decimal` ASC NULLS FIRST, isNotNull(`float`) ASC, `float` ASC NULLS LAST, `bool` ASC NULLS FIRST, `text` ASC NULLS FIRST, `enum` ASC NULLS FIRST, `uuid` ASC NULLS FIRST, `date` ASC NULLS FIRST, `timestamptz` ASC NULLS FIRST, `json` ASC, `other` ASC NULLS FIRST LIMIT {p1:UInt64} OFFSET {p2:UInt64}
   "20" int, "5000" int
## a page far behind of what matches
SELECT `id`, `int`, `decimal`, `float`, `bool`, `text`, `enum`, `uuid`, `date`, `timestamptz`, `json`, `other` FROM `shop`.`things` WHERE `int` > {p1:Int32} ORDER BY `id` ASC, `int` ASC NULLS FIRST, `decimal` ASC NULLS FIRST, isNotNull(`float`) ASC, `float` ASC NULLS LAST, `bool` ASC NULLS FIRST, `text` ASC NULLS FIRST, `enum` ASC NULLS FIRST, `uuid` ASC NULLS FIRST, `date` ASC NULLS FIRST, `timestamptz` ASC NULLS FIRST, `json` ASC, `other` ASC NULLS FIRST LIMIT {p2:UInt64} OFFSET {p3:UInt64}
   "5" int, "20" int, "5000" int
## a page far behind by another column
SELECT `id`, `int`, `decimal`, `float`, `bool`, `text`, `enum`, `uuid`, `date`, `timestamptz`, `json`, `other` FROM `shop`.`things` ORDER BY `int` ASC NULLS FIRST, `id` ASC, `decimal` ASC NULLS FIRST, isNotNull(`float`) ASC, `float` ASC NULLS LAST, `bool` ASC NULLS FIRST, `text` ASC NULLS FIRST, `enum` ASC NULLS FIRST, `uuid` ASC NULLS FIRST, `date` ASC NULLS FIRST, `timestamptz` ASC NULLS FIRST, `json` ASC, `other` ASC NULLS FIRST LIMIT {p1:UInt64} OFFSET {p2:UInt64}
   "20" int, "5000" int
## a page far behind that is large
SELECT `id`, `int`, `decimal`, `float`, `bool`, `text`, `enum`, `uuid`, `date`, `timestamptz`, `json`, `other` FROM `shop`.`things` ORDER BY `id` ASC, `int` ASC NULLS FIRST, `decimal` ASC NULLS FIRST, isNotNull(`float`) ASC, `float` ASC NULLS LAST, `bool` ASC NULLS FIRST, `text` ASC NULLS FIRST, `enum` ASC NULLS FIRST, `uuid` ASC NULLS FIRST, `date` ASC NULLS FIRST, `timestamptz` ASC NULLS FIRST, `json` ASC, `other` ASC NULLS FIRST LIMIT {p1:UInt64} OFFSET {p2:UInt64}
   "100" int, "5000" int
   then SELECT `id`, `int`, `decimal`, `float`, `bool`, `text`, `enum`, `uuid`, `date`, `timestamptz`, `json`, `other` FROM `shop`.`things` ORDER BY `id` ASC LIMIT {p1:UInt64} OFFSET {p2:UInt64}
   "102" int, "4999" int
## columns
SELECT `text`, `id` FROM `shop`.`things` ORDER BY `id` ASC, `int` ASC NULLS FIRST, `decimal` ASC NULLS FIRST, isNotNull(`float`) ASC, `float` ASC NULLS LAST, `bool` ASC NULLS FIRST, `text` ASC NULLS FIRST, `enum` ASC NULLS FIRST, `uuid` ASC NULLS FIRST, `date` ASC NULLS FIRST, `timestamptz` ASC NULLS FIRST, `json` ASC, `other` ASC NULLS FIRST LIMIT {p1:UInt64}
   "20" int
   then SELECT `text`, `id` FROM `shop`.`things` ORDER BY `id` ASC LIMIT {p1:UInt64}
   "21" int
## one row
SELECT `id`, `int`, `decimal`, `float`, `bool`, `text`, `enum`, `uuid`, `date`, `timestamptz`, `json`, `other` FROM `shop`.`things` WHERE `id` = {p1:Int32} ORDER BY `id` ASC, `int` ASC NULLS FIRST, `decimal` ASC NULLS FIRST, isNotNull(`float`) ASC, `float` ASC NULLS LAST, `bool` ASC NULLS FIRST, `text` ASC NULLS FIRST, `enum` ASC NULLS FIRST, `uuid` ASC NULLS FIRST, `date` ASC NULLS FIRST, `timestamptz` ASC NULLS FIRST, `json` ASC, `other` ASC NULLS FIRST LIMIT {p2:UInt64}
   "7" int, "1" int
   then SELECT `id`, `int`, `decimal`, `float`, `bool`, `text`, `enum`, `uuid`, `date`, `timestamptz`, `json`, `other` FROM `shop`.`things` WHERE `id` = {p1:Int32} LIMIT {p2:UInt64}
   "7" int, "2" int
## groups
SELECT `id`, `int`, `decimal`, `float`, `bool`, `text`, `enum`, `uuid`, `date`, `timestamptz`, `json`, `other` FROM `shop`.`things` WHERE (`id` = {p1:Int32}) OR ((`id` > {p2:Int32}) AND (position(`text`, {p3:String}) > 0)) OR (NOT (`id` IN ({p4:Int32}, {p5:Int32}))) ORDER BY `id` ASC, `int` ASC NULLS FIRST, `decimal` ASC NULLS FIRST, isNotNull(`float`) ASC, `float` ASC NULLS LAST, `bool` ASC NULLS FIRST, `text` ASC NULLS FIRST, `enum` ASC NULLS FIRST, `uuid` ASC NULLS FIRST, `date` ASC NULLS FIRST, `timestamptz` ASC NULLS FIRST, `json` ASC, `other` ASC NULLS FIRST LIMIT {p6:UInt64}
   "1" int, "2" int, "x" text, "4" int, "5" int, "20" int
## nulls
SELECT `id`, `int`, `decimal`, `float`, `bool`, `text`, `enum`, `uuid`, `date`, `timestamptz`, `json`, `other` FROM `shop`.`things` WHERE (`text` IS NULL) AND (`int` IS NOT NULL) ORDER BY `id` ASC, `int` ASC NULLS FIRST, `decimal` ASC NULLS FIRST, isNotNull(`float`) ASC, `float` ASC NULLS LAST, `bool` ASC NULLS FIRST, `text` ASC NULLS FIRST, `enum` ASC NULLS FIRST, `uuid` ASC NULLS FIRST, `date` ASC NULLS FIRST, `timestamptz` ASC NULLS FIRST, `json` ASC, `other` ASC NULLS FIRST LIMIT {p1:UInt64}
   "20" int
## the same column twice
SELECT `id`, `int`, `decimal`, `float`, `bool`, `text`, `enum`, `uuid`, `date`, `timestamptz`, `json`, `other` FROM `shop`.`things` WHERE (`id` > {p1:Int32}) AND (`id` < {p2:Int32}) ORDER BY `id` ASC, `int` ASC NULLS FIRST, `decimal` ASC NULLS FIRST, isNotNull(`float`) ASC, `float` ASC NULLS LAST, `bool` ASC NULLS FIRST, `text` ASC NULLS FIRST, `enum` ASC NULLS FIRST, `uuid` ASC NULLS FIRST, `date` ASC NULLS FIRST, `timestamptz` ASC NULLS FIRST, `json` ASC, `other` ASC NULLS FIRST LIMIT {p3:UInt64}
   "1" int, "9" int, "20" int
## order by id
SELECT `id` FROM `shop`.`things` ORDER BY `id` ASC, `id` DESC, `int` ASC NULLS FIRST, `decimal` ASC NULLS FIRST, isNotNull(`float`) ASC, `float` ASC NULLS LAST, `bool` ASC NULLS FIRST, `text` ASC NULLS FIRST, `enum` ASC NULLS FIRST, `uuid` ASC NULLS FIRST, `date` ASC NULLS FIRST, `timestamptz` ASC NULLS FIRST, `json` ASC, `other` ASC NULLS FIRST LIMIT {p1:UInt64}
   "20" int
## order by int
SELECT `id` FROM `shop`.`things` ORDER BY `int` ASC NULLS FIRST, `id` DESC, `decimal` ASC NULLS FIRST, isNotNull(`float`) ASC, `float` ASC NULLS LAST, `bool` ASC NULLS FIRST, `text` ASC NULLS FIRST, `enum` ASC NULLS FIRST, `uuid` ASC NULLS FIRST, `date` ASC NULLS FIRST, `timestamptz` ASC NULLS FIRST, `json` ASC, `other` ASC NULLS FIRST LIMIT {p1:UInt64}
   "20" int
## order by decimal
SELECT `id` FROM `shop`.`things` ORDER BY `decimal` ASC NULLS FIRST, `id` DESC, `int` ASC NULLS FIRST, isNotNull(`float`) ASC, `float` ASC NULLS LAST, `bool` ASC NULLS FIRST, `text` ASC NULLS FIRST, `enum` ASC NULLS FIRST, `uuid` ASC NULLS FIRST, `date` ASC NULLS FIRST, `timestamptz` ASC NULLS FIRST, `json` ASC, `other` ASC NULLS FIRST LIMIT {p1:UInt64}
   "20" int
## order by float
SELECT `id` FROM `shop`.`things` ORDER BY isNotNull(`float`) ASC, `float` ASC NULLS LAST, `id` DESC, `int` ASC NULLS FIRST, `decimal` ASC NULLS FIRST, `bool` ASC NULLS FIRST, `text` ASC NULLS FIRST, `enum` ASC NULLS FIRST, `uuid` ASC NULLS FIRST, `date` ASC NULLS FIRST, `timestamptz` ASC NULLS FIRST, `json` ASC, `other` ASC NULLS FIRST LIMIT {p1:UInt64}
   "20" int
## order by bool
SELECT `id` FROM `shop`.`things` ORDER BY `bool` ASC NULLS FIRST, `id` DESC, `int` ASC NULLS FIRST, `decimal` ASC NULLS FIRST, isNotNull(`float`) ASC, `float` ASC NULLS LAST, `text` ASC NULLS FIRST, `enum` ASC NULLS FIRST, `uuid` ASC NULLS FIRST, `date` ASC NULLS FIRST, `timestamptz` ASC NULLS FIRST, `json` ASC, `other` ASC NULLS FIRST LIMIT {p1:UInt64}
   "20" int
## order by text
SELECT `id` FROM `shop`.`things` ORDER BY `text` ASC NULLS FIRST, `id` DESC, `int` ASC NULLS FIRST, `decimal` ASC NULLS FIRST, isNotNull(`float`) ASC, `float` ASC NULLS LAST, `bool` ASC NULLS FIRST, `enum` ASC NULLS FIRST, `uuid` ASC NULLS FIRST, `date` ASC NULLS FIRST, `timestamptz` ASC NULLS FIRST, `json` ASC, `other` ASC NULLS FIRST LIMIT {p1:UInt64}
   "20" int
## order by enum
SELECT `id` FROM `shop`.`things` ORDER BY `enum` ASC NULLS FIRST, `id` DESC, `int` ASC NULLS FIRST, `decimal` ASC NULLS FIRST, isNotNull(`float`) ASC, `float` ASC NULLS LAST, `bool` ASC NULLS FIRST, `text` ASC NULLS FIRST, `uuid` ASC NULLS FIRST, `date` ASC NULLS FIRST, `timestamptz` ASC NULLS FIRST, `json` ASC, `other` ASC NULLS FIRST LIMIT {p1:UInt64}
   "20" int
## order by uuid
SELECT `id` FROM `shop`.`things` ORDER BY `uuid` ASC NULLS FIRST, `id` DESC, `int` ASC NULLS FIRST, `decimal` ASC NULLS FIRST, isNotNull(`float`) ASC, `float` ASC NULLS LAST, `bool` ASC NULLS FIRST, `text` ASC NULLS FIRST, `enum` ASC NULLS FIRST, `date` ASC NULLS FIRST, `timestamptz` ASC NULLS FIRST, `json` ASC, `other` ASC NULLS FIRST LIMIT {p1:UInt64}
   "20" int
## order by date
SELECT `id` FROM `shop`.`things` ORDER BY `date` ASC NULLS FIRST, `id` DESC, `int` ASC NULLS FIRST, `decimal` ASC NULLS FIRST, isNotNull(`float`) ASC, `float` ASC NULLS LAST, `bool` ASC NULLS FIRST, `text` ASC NULLS FIRST, `enum` ASC NULLS FIRST, `uuid` ASC NULLS FIRST, `timestamptz` ASC NULLS FIRST, `json` ASC, `other` ASC NULLS FIRST LIMIT {p1:UInt64}
   "20" int
## order by timestamptz
SELECT `id` FROM `shop`.`things` ORDER BY `timestamptz` ASC NULLS FIRST, `id` DESC, `int` ASC NULLS FIRST, `decimal` ASC NULLS FIRST, isNotNull(`float`) ASC, `float` ASC NULLS LAST, `bool` ASC NULLS FIRST, `text` ASC NULLS FIRST, `enum` ASC NULLS FIRST, `uuid` ASC NULLS FIRST, `date` ASC NULLS FIRST, `json` ASC, `other` ASC NULLS FIRST LIMIT {p1:UInt64}
   "20" int
## order by json
SELECT `id` FROM `shop`.`things` ORDER BY `json` ASC, `id` DESC, `int` ASC NULLS FIRST, `decimal` ASC NULLS FIRST, isNotNull(`float`) ASC, `float` ASC NULLS LAST, `bool` ASC NULLS FIRST, `text` ASC NULLS FIRST, `enum` ASC NULLS FIRST, `uuid` ASC NULLS FIRST, `date` ASC NULLS FIRST, `timestamptz` ASC NULLS FIRST, `other` ASC NULLS FIRST LIMIT {p1:UInt64}
   "20" int
## order by other
SELECT `id` FROM `shop`.`things` ORDER BY `other` ASC NULLS FIRST, `id` DESC, `int` ASC NULLS FIRST, `decimal` ASC NULLS FIRST, isNotNull(`float`) ASC, `float` ASC NULLS LAST, `bool` ASC NULLS FIRST, `text` ASC NULLS FIRST, `enum` ASC NULLS FIRST, `uuid` ASC NULLS FIRST, `date` ASC NULLS FIRST, `timestamptz` ASC NULLS FIRST, `json` ASC LIMIT {p1:UInt64}
   "20" int
## the first page by cursor
SELECT `text`, `id`, `int`, `decimal`, `float`, `bool`, `enum`, `uuid`, `date`, `timestamptz`, `json`, `other` FROM `shop`.`things` ORDER BY `id` ASC, `int` ASC NULLS FIRST, `decimal` ASC NULLS FIRST, isNotNull(`float`) ASC, `float` ASC NULLS LAST, `bool` ASC NULLS FIRST, `text` ASC NULLS FIRST, `enum` ASC NULLS FIRST, `uuid` ASC NULLS FIRST, `date` ASC NULLS FIRST, `timestamptz` ASC NULLS FIRST, `json` ASC, `other` ASC NULLS FIRST LIMIT {p1:UInt64}
   "21" int
   then SELECT `text`, `id`, `int`, `decimal`, `float`, `bool`, `enum`, `uuid`, `date`, `timestamptz`, `json`, `other` FROM `shop`.`things` ORDER BY `id` ASC LIMIT {p1:UInt64}
   "22" int
## count
SELECT count(*) FROM `shop`.`things`
   then SELECT `id` FROM `shop`.`things` ORDER BY `id` ASC, `int` ASC NULLS FIRST, `decimal` ASC NULLS FIRST, isNotNull(`float`) ASC, `float` ASC NULLS LAST, `bool` ASC NULLS FIRST, `text` ASC NULLS FIRST, `enum` ASC NULLS FIRST, `uuid` ASC NULLS FIRST, `date` ASC NULLS FIRST, `timestamptz` ASC NULLS FIRST, `json` ASC, `other` ASC NULLS FIRST LIMIT {p1:UInt64}
   "1" int
   then SELECT `id` FROM `shop`.`things` ORDER BY `id` ASC LIMIT {p1:UInt64}
   "2" int
## count of a filter
SELECT count(*) FROM `shop`.`things` WHERE `int` > {p1:Int32}
   "5" int
   then SELECT `id` FROM `shop`.`things` WHERE `int` > {p1:Int32} ORDER BY `id` ASC, `int` ASC NULLS FIRST, `decimal` ASC NULLS FIRST, isNotNull(`float`) ASC, `float` ASC NULLS LAST, `bool` ASC NULLS FIRST, `text` ASC NULLS FIRST, `enum` ASC NULLS FIRST, `uuid` ASC NULLS FIRST, `date` ASC NULLS FIRST, `timestamptz` ASC NULLS FIRST, `json` ASC, `other` ASC NULLS FIRST LIMIT {p2:UInt64}
   "5" int, "1" int
## sums of everything
SELECT count(*) AS `output 0`, count(`text`) AS `output 1`, uniqExact(`text`) AS `output 2`, sumOrNull(toInt256(`int`)) AS `output 3`, sumOrNull(toDecimal256(`decimal`, 2)) AS `output 4`, sumOrNull(`float`) AS `output 5`, divideDecimal(toDecimal256(sumOrNull(toInt256(`int`)), 0), toDecimal256(greatest(count(`int`), 1), 0), 10) AS `output 6`, divideDecimal(toDecimal256(sumOrNull(toDecimal256(`decimal`, 2)), 2), toDecimal256(greatest(count(`decimal`), 1), 0), 10) AS `output 7`, avgOrNull(`float`) AS `output 8`, minOrNull(`date`) AS `output 9`, maxOrNull(`text`) AS `output 10` FROM `shop`.`things` LIMIT {p1:UInt64}
   "20" int
## groups, in order
SELECT count(*) FROM (SELECT `text` AS `output 0`, `int` AS `output 1`, sumOrNull(toDecimal256(`decimal`, 2)) AS `output 2` FROM `shop`.`things` WHERE `int` > {p1:Int32} GROUP BY `text`, `int`) AS `groups`
   "5" int
   then SELECT `text`, `int`, sumOrNull(toDecimal256(`decimal`, 2)) AS `output 2` FROM `shop`.`things` WHERE `int` > {p1:Int32} GROUP BY `text`, `int` ORDER BY sumOrNull(toDecimal256(`decimal`, 2)) DESC NULLS LAST, `text` ASC NULLS FIRST, `int` ASC NULLS FIRST LIMIT {p2:UInt64} OFFSET {p3:UInt64}
   "5" int, "20" int, "20" int
## having
SELECT `output 0`, `output 1`, `output 2` FROM (SELECT `text` AS `output 0`, count(*) AS `output 1`, sumOrNull(toInt256(`int`)) AS `output 2` FROM `shop`.`things` GROUP BY `text`) AS `groups` WHERE (`output 2` > {p1:Int256}) AND ((`output 1` >= {p2:UInt64}) OR (position(`output 0`, {p3:String}) > 0)) AND (`output 2` IS NOT NULL) ORDER BY `output 0` ASC NULLS FIRST LIMIT {p4:UInt64}
   "100" decimal, "2" decimal, "x" text, "20" int
## by year
SELECT addDays(toDate32(`date`), 1 - toDayOfYear(toDate32(`date`))) AS `output 0`, toDateTime64(addDays(toDate32(toTimeZone(`timestamptz`, 'UTC')), 1 - toDayOfYear(toDate32(toTimeZone(`timestamptz`, 'UTC')))), 3, 'UTC') AS `output 1` FROM `shop`.`things` GROUP BY addDays(toDate32(`date`), 1 - toDayOfYear(toDate32(`date`))), toDateTime64(addDays(toDate32(toTimeZone(`timestamptz`, 'UTC')), 1 - toDayOfYear(toDate32(toTimeZone(`timestamptz`, 'UTC')))), 3, 'UTC') ORDER BY addDays(toDate32(`date`), 1 - toDayOfYear(toDate32(`date`))) ASC NULLS FIRST, toDateTime64(addDays(toDate32(toTimeZone(`timestamptz`, 'UTC')), 1 - toDayOfYear(toDate32(toTimeZone(`timestamptz`, 'UTC')))), 3, 'UTC') ASC NULLS FIRST LIMIT {p1:UInt64}
   "20" int
## by quarter
SELECT addMonths(addDays(toDate32(`date`), 1 - toDayOfMonth(toDate32(`date`))), -((toMonth(toDate32(`date`)) - 1) % 3)) AS `output 0`, toDateTime64(addMonths(addDays(toDate32(toTimeZone(`timestamptz`, 'UTC')), 1 - toDayOfMonth(toDate32(toTimeZone(`timestamptz`, 'UTC')))), -((toMonth(toDate32(toTimeZone(`timestamptz`, 'UTC'))) - 1) % 3)), 3, 'UTC') AS `output 1` FROM `shop`.`things` GROUP BY addMonths(addDays(toDate32(`date`), 1 - toDayOfMonth(toDate32(`date`))), -((toMonth(toDate32(`date`)) - 1) % 3)), toDateTime64(addMonths(addDays(toDate32(toTimeZone(`timestamptz`, 'UTC')), 1 - toDayOfMonth(toDate32(toTimeZone(`timestamptz`, 'UTC')))), -((toMonth(toDate32(toTimeZone(`timestamptz`, 'UTC'))) - 1) % 3)), 3, 'UTC') ORDER BY addMonths(addDays(toDate32(`date`), 1 - toDayOfMonth(toDate32(`date`))), -((toMonth(toDate32(`date`)) - 1) % 3)) ASC NULLS FIRST, toDateTime64(addMonths(addDays(toDate32(toTimeZone(`timestamptz`, 'UTC')), 1 - toDayOfMonth(toDate32(toTimeZone(`timestamptz`, 'UTC')))), -((toMonth(toDate32(toTimeZone(`timestamptz`, 'UTC'))) - 1) % 3)), 3, 'UTC') ASC NULLS FIRST LIMIT {p1:UInt64}
   "20" int
## by month
SELECT addDays(toDate32(`date`), 1 - toDayOfMonth(toDate32(`date`))) AS `output 0`, toDateTime64(addDays(toDate32(toTimeZone(`timestamptz`, 'UTC')), 1 - toDayOfMonth(toDate32(toTimeZone(`timestamptz`, 'UTC')))), 3, 'UTC') AS `output 1` FROM `shop`.`things` GROUP BY addDays(toDate32(`date`), 1 - toDayOfMonth(toDate32(`date`))), toDateTime64(addDays(toDate32(toTimeZone(`timestamptz`, 'UTC')), 1 - toDayOfMonth(toDate32(toTimeZone(`timestamptz`, 'UTC')))), 3, 'UTC') ORDER BY addDays(toDate32(`date`), 1 - toDayOfMonth(toDate32(`date`))) ASC NULLS FIRST, toDateTime64(addDays(toDate32(toTimeZone(`timestamptz`, 'UTC')), 1 - toDayOfMonth(toDate32(toTimeZone(`timestamptz`, 'UTC')))), 3, 'UTC') ASC NULLS FIRST LIMIT {p1:UInt64}
   "20" int
## by week
SELECT addDays(toDate32(`date`), 1 - toDayOfWeek(toDate32(`date`))) AS `output 0`, toDateTime64(addDays(toDate32(toTimeZone(`timestamptz`, 'UTC')), 1 - toDayOfWeek(toDate32(toTimeZone(`timestamptz`, 'UTC')))), 3, 'UTC') AS `output 1` FROM `shop`.`things` GROUP BY addDays(toDate32(`date`), 1 - toDayOfWeek(toDate32(`date`))), toDateTime64(addDays(toDate32(toTimeZone(`timestamptz`, 'UTC')), 1 - toDayOfWeek(toDate32(toTimeZone(`timestamptz`, 'UTC')))), 3, 'UTC') ORDER BY addDays(toDate32(`date`), 1 - toDayOfWeek(toDate32(`date`))) ASC NULLS FIRST, toDateTime64(addDays(toDate32(toTimeZone(`timestamptz`, 'UTC')), 1 - toDayOfWeek(toDate32(toTimeZone(`timestamptz`, 'UTC')))), 3, 'UTC') ASC NULLS FIRST LIMIT {p1:UInt64}
   "20" int
## by day
SELECT `date` AS `output 0`, toDateTime64(toDate32(toTimeZone(`timestamptz`, 'UTC')), 3, 'UTC') AS `output 1` FROM `shop`.`things` GROUP BY `date`, toDateTime64(toDate32(toTimeZone(`timestamptz`, 'UTC')), 3, 'UTC') ORDER BY `date` ASC NULLS FIRST, toDateTime64(toDate32(toTimeZone(`timestamptz`, 'UTC')), 3, 'UTC') ASC NULLS FIRST LIMIT {p1:UInt64}
   "20" int
## by hour
SELECT `date` AS `output 0`, addHours(toDateTime64(toDate32(toTimeZone(`timestamptz`, 'UTC')), 3, 'UTC'), toHour(toTimeZone(`timestamptz`, 'UTC'))) AS `output 1` FROM `shop`.`things` GROUP BY `date`, addHours(toDateTime64(toDate32(toTimeZone(`timestamptz`, 'UTC')), 3, 'UTC'), toHour(toTimeZone(`timestamptz`, 'UTC'))) ORDER BY `date` ASC NULLS FIRST, addHours(toDateTime64(toDate32(toTimeZone(`timestamptz`, 'UTC')), 3, 'UTC'), toHour(toTimeZone(`timestamptz`, 'UTC'))) ASC NULLS FIRST LIMIT {p1:UInt64}
   "20" int
## by minute
SELECT `date` AS `output 0`, addMinutes(toDateTime64(toDate32(toTimeZone(`timestamptz`, 'UTC')), 3, 'UTC'), toHour(toTimeZone(`timestamptz`, 'UTC')) * 60 + toMinute(toTimeZone(`timestamptz`, 'UTC'))) AS `output 1` FROM `shop`.`things` GROUP BY `date`, addMinutes(toDateTime64(toDate32(toTimeZone(`timestamptz`, 'UTC')), 3, 'UTC'), toHour(toTimeZone(`timestamptz`, 'UTC')) * 60 + toMinute(toTimeZone(`timestamptz`, 'UTC'))) ORDER BY `date` ASC NULLS FIRST, addMinutes(toDateTime64(toDate32(toTimeZone(`timestamptz`, 'UTC')), 3, 'UTC'), toHour(toTimeZone(`timestamptz`, 'UTC')) * 60 + toMinute(toTimeZone(`timestamptz`, 'UTC'))) ASC NULLS FIRST LIMIT {p1:UInt64}
   "20" int
## PUT int
SELECT count() FROM `shop`.`things` WHERE `id` = {p2:Int32}
   or ALTER TABLE `shop`.`things` UPDATE `int` = {p1:Int32} WHERE (`id` = {p2:Int32}) AND {tag:String} != ''
   "7" int, "1" int
## PUT decimal
SELECT count() FROM `shop`.`things` WHERE `id` = {p2:Int32}
   or ALTER TABLE `shop`.`things` UPDATE `decimal` = {p1:Decimal(10, 2)} WHERE (`id` = {p2:Int32}) AND {tag:String} != ''
   "2.25" decimal, "1" int
## PUT float
SELECT count() FROM `shop`.`things` WHERE `id` = {p2:Int32}
   or ALTER TABLE `shop`.`things` UPDATE `float` = {p1:Float64} WHERE (`id` = {p2:Int32}) AND {tag:String} != ''
   "1.5e3" float, "1" int
## PUT bool
SELECT count() FROM `shop`.`things` WHERE `id` = {p2:Int32}
   or ALTER TABLE `shop`.`things` UPDATE `bool` = {p1:Bool} WHERE (`id` = {p2:Int32}) AND {tag:String} != ''
   "true" bool, "1" int
## PUT text
SELECT count() FROM `shop`.`things` WHERE `id` = {p2:Int32}
   or ALTER TABLE `shop`.`things` UPDATE `text` = {p1:String} WHERE (`id` = {p2:Int32}) AND {tag:String} != ''
   "Ünï" text, "1" int
## PUT enum
SELECT count() FROM `shop`.`things` WHERE `id` = {p2:Int32}
   or ALTER TABLE `shop`.`things` UPDATE `enum` = {p1:Enum8('fine' = 1, 'bad' = 2)} WHERE (`id` = {p2:Int32}) AND {tag:String} != ''
   "fine" text, "1" int
## PUT uuid
SELECT count() FROM `shop`.`things` WHERE `id` = {p2:Int32}
   or ALTER TABLE `shop`.`things` UPDATE `uuid` = {p1:UUID} WHERE (`id` = {p2:Int32}) AND {tag:String} != ''
   "00000000-0000-0000-0000-0000000000ff" other, "1" int
## PUT date
SELECT count() FROM `shop`.`things` WHERE `id` = {p2:Int32}
   or ALTER TABLE `shop`.`things` UPDATE `date` = {p1:Date32} WHERE (`id` = {p2:Int32}) AND {tag:String} != ''
   "2024-02-29" temporal, "1" int
## PUT timestamptz
SELECT count() FROM `shop`.`things` WHERE `id` = {p2:Int32}
   or ALTER TABLE `shop`.`things` UPDATE `timestamptz` = CAST({p1:String} AS DateTime64(3, 'UTC')) WHERE (`id` = {p2:Int32}) AND {tag:String} != ''
   "2024-02-29T10:00:00.5Z" temporal, "1" int
## PUT json
SELECT count() FROM `shop`.`things` WHERE `id` = {p2:Int32}
   or ALTER TABLE `shop`.`things` UPDATE `json` = {p1:Array(Int32)} WHERE (`id` = {p2:Int32}) AND {tag:String} != ''
   "[1,2]" json, "1" int
## PUT other
SELECT count() FROM `shop`.`things` WHERE `id` = {p2:Int32}
   or ALTER TABLE `shop`.`things` UPDATE `other` = {p1:IPv6} WHERE (`id` = {p2:Int32}) AND {tag:String} != ''
   "::2" other, "1" int
## POST of a row
INSERT INTO `shop`.`things` (`id`, `text`, `int`) FORMAT Native
## POST of rows
INSERT INTO `shop`.`things` (`id`, `text`, `int`) FORMAT Native
## POST of rows with different keys
INSERT INTO `shop`.`things` (`id`, `text`, `int`) SELECT `id`, if(`absent 1`, CAST((NULL), 'Nullable(String)'), `text`), if(`absent 2`, CAST((NULL), 'Nullable(Int32)'), `int`) FROM input('`id` Int32, `text` Nullable(String), `int` Nullable(Int32), `absent 1` UInt8, `absent 2` UInt8') FORMAT Native
## upsert of a row
refused: ClickHouse has no unique keys, so a row cannot be updated by inserting it again ($upsert)
## upsert of rows
refused: ClickHouse has no unique keys, so a row cannot be updated by inserting it again ($upsert)
