eq on int: `int` = {p1:Int32}   <- "-5" int
ne on int: `int` <> {p1:Int32}   <- "-5" int
lt on int: `int` < {p1:Int32}   <- "-5" int
le on int: `int` <= {p1:Int32}   <- "-5" int
gt on int: `int` > {p1:Int32}   <- "-5" int
ge on int: `int` >= {p1:Int32}   <- "-5" int
bw on int: `int` >= {p1:Int32} AND `int` <= {p2:Int32}   <- "-5" int, "7" int
in on int: `int` IN ({p1:Int32}, {p2:Int32})   <- "-5" int, "7" int
nin on int: `int` NOT IN ({p1:Int32}, {p2:Int32})   <- "-5" int, "7" int
li on int: refused: The operator li requires a text column; "int" is not one.
rli on int: refused: The operator rli requires a text column; "int" is not one.
nli on int: refused: The operator nli requires a text column; "int" is not one.
il on int: refused: The operator il requires a text column; "int" is not one.
eq on decimal: `decimal` = {p1:Decimal(10, 2)}   <- "-1.50" decimal
ne on decimal: `decimal` <> {p1:Decimal(10, 2)}   <- "-1.50" decimal
lt on decimal: `decimal` < {p1:Decimal(10, 2)}   <- "-1.50" decimal
le on decimal: `decimal` <= {p1:Decimal(10, 2)}   <- "-1.50" decimal
gt on decimal: `decimal` > {p1:Decimal(10, 2)}   <- "-1.50" decimal
ge on decimal: `decimal` >= {p1:Decimal(10, 2)}   <- "-1.50" decimal
bw on decimal: `decimal` >= {p1:Decimal(10, 2)} AND `decimal` <= {p2:Decimal(10, 2)}   <- "-1.50" decimal, "2.25" decimal
in on decimal: `decimal` IN ({p1:Decimal(10, 2)}, {p2:Decimal(10, 2)})   <- "-1.50" decimal, "2.25" decimal
nin on decimal: `decimal` NOT IN ({p1:Decimal(10, 2)}, {p2:Decimal(10, 2)})   <- "-1.50" decimal, "2.25" decimal
li on decimal: refused: The operator li requires a text column; "decimal" is not one.
rli on decimal: refused: The operator rli requires a text column; "decimal" is not one.
nli on decimal: refused: The operator nli requires a text column; "decimal" is not one.
il on decimal: refused: The operator il requires a text column; "decimal" is not one.
eq on float: `float` = {p1:Float64}   <- "-0.5" float
ne on float: NOT (`float` = {p1:Float64})   <- "-0.5" float
lt on float: `float` < {p1:Float64}   <- "-0.5" float
le on float: `float` <= {p1:Float64}   <- "-0.5" float
gt on float: (`float` > {p1:Float64} OR isNaN(`float`))   <- "-0.5" float
ge on float: (`float` >= {p1:Float64} OR isNaN(`float`))   <- "-0.5" float
bw on float: (`float` >= {p1:Float64} OR isNaN(`float`)) AND `float` <= {p2:Float64}   <- "-0.5" float, "1.5e3" float
in on float: `float` = {p1:Float64} OR `float` = {p2:Float64}   <- "-0.5" float, "1.5e3" float
nin on float: NOT (`float` = {p1:Float64} OR `float` = {p2:Float64})   <- "-0.5" float, "1.5e3" float
li on float: refused: The operator li requires a text column; "float" is not one.
rli on float: refused: The operator rli requires a text column; "float" is not one.
nli on float: refused: The operator nli requires a text column; "float" is not one.
il on float: refused: The operator il requires a text column; "float" is not one.
eq on bool: `bool` = {p1:Bool}   <- "false" bool
ne on bool: `bool` <> {p1:Bool}   <- "false" bool
lt on bool: `bool` < {p1:Bool}   <- "false" bool
le on bool: `bool` <= {p1:Bool}   <- "false" bool
gt on bool: `bool` > {p1:Bool}   <- "false" bool
ge on bool: `bool` >= {p1:Bool}   <- "false" bool
bw on bool: `bool` >= {p1:Bool} AND `bool` <= {p2:Bool}   <- "false" bool, "true" bool
in on bool: `bool` IN ({p1:Bool}, {p2:Bool})   <- "false" bool, "true" bool
nin on bool: `bool` NOT IN ({p1:Bool}, {p2:Bool})   <- "false" bool, "true" bool
li on bool: refused: The operator li requires a text column; "bool" is not one.
rli on bool: refused: The operator rli requires a text column; "bool" is not one.
nli on bool: refused: The operator nli requires a text column; "bool" is not one.
il on bool: refused: The operator il requires a text column; "bool" is not one.
eq on text: `text` = {p1:String}   <- "50%_!" text
ne on text: `text` <> {p1:String}   <- "50%_!" text
lt on text: `text` < {p1:String}   <- "50%_!" text
le on text: `text` <= {p1:String}   <- "50%_!" text
gt on text: `text` > {p1:String}   <- "50%_!" text
ge on text: `text` >= {p1:String}   <- "50%_!" text
bw on text: `text` >= {p1:String} AND `text` <= {p2:String}   <- "50%_!" text, "Ünï" text
in on text: `text` IN ({p1:String}, {p2:String})   <- "50%_!" text, "Ünï" text
nin on text: `text` NOT IN ({p1:String}, {p2:String})   <- "50%_!" text, "Ünï" text
li on text: position(`text`, {p1:String}) > 0   <- "50%_!" text
rli on text: startsWith(`text`, {p1:String})   <- "50%_!" text
nli on text: position(`text`, {p1:String}) = 0   <- "50%_!" text
il on text: position(lowerUTF8(`text`), lowerUTF8({p1:String})) > 0   <- "50%_!" text
eq on enum: `enum` = {p1:Enum8('fine' = 1, 'bad' = 2)}   <- "bad" text
ne on enum: `enum` <> {p1:Enum8('fine' = 1, 'bad' = 2)}   <- "bad" text
lt on enum: `enum` < {p1:Enum8('fine' = 1, 'bad' = 2)}   <- "bad" text
le on enum: `enum` <= {p1:Enum8('fine' = 1, 'bad' = 2)}   <- "bad" text
gt on enum: `enum` > {p1:Enum8('fine' = 1, 'bad' = 2)}   <- "bad" text
ge on enum: `enum` >= {p1:Enum8('fine' = 1, 'bad' = 2)}   <- "bad" text
bw on enum: `enum` >= {p1:Enum8('fine' = 1, 'bad' = 2)} AND `enum` <= {p2:Enum8('fine' = 1, 'bad' = 2)}   <- "bad" text, "fine" text
in on enum: `enum` IN ({p1:Enum8('fine' = 1, 'bad' = 2)}, {p2:Enum8('fine' = 1, 'bad' = 2)})   <- "bad" text, "fine" text
nin on enum: `enum` NOT IN ({p1:Enum8('fine' = 1, 'bad' = 2)}, {p2:Enum8('fine' = 1, 'bad' = 2)})   <- "bad" text, "fine" text
li on enum: position(toString(`enum`), {p1:String}) > 0   <- "bad" text
rli on enum: startsWith(toString(`enum`), {p1:String})   <- "bad" text
nli on enum: position(toString(`enum`), {p1:String}) = 0   <- "bad" text
il on enum: position(lowerUTF8(toString(`enum`)), lowerUTF8({p1:String})) > 0   <- "bad" text
eq on uuid: `uuid` = {p1:UUID}   <- "00000000-0000-0000-0000-000000000001" other
ne on uuid: `uuid` <> {p1:UUID}   <- "00000000-0000-0000-0000-000000000001" other
lt on uuid: `uuid` < {p1:UUID}   <- "00000000-0000-0000-0000-000000000001" other
le on uuid: `uuid` <= {p1:UUID}   <- "00000000-0000-0000-0000-000000000001" other
gt on uuid: `uuid` > {p1:UUID}   <- "00000000-0000-0000-0000-000000000001" other
ge on uuid: `uuid` >= {p1:UUID}   <- "00000000-0000-0000-0000-000000000001" other
bw on uuid: `uuid` >= {p1:UUID} AND `uuid` <= {p2:UUID}   <- "00000000-0000-0000-0000-000000000001" other, "00000000-0000-0000-0000-0000000000ff" other
in on uuid: `uuid` IN ({p1:UUID}, {p2:UUID})   <- "00000000-0000-0000-0000-000000000001" other, "00000000-0000-0000-0000-0000000000ff" other
nin on uuid: `uuid` NOT IN ({p1:UUID}, {p2:UUID})   <- "00000000-0000-0000-0000-000000000001" other, "00000000-0000-0000-0000-0000000000ff" other
li on uuid: refused: The operator li requires a text column; "uuid" is not one.
rli on uuid: refused: The operator rli requires a text column; "uuid" is not one.
nli on uuid: refused: The operator nli requires a text column; "uuid" is not one.
il on uuid: refused: The operator il requires a text column; "uuid" is not one.
eq on date: `date` = {p1:Date32}   <- "2024-01-31" temporal
ne on date: `date` <> {p1:Date32}   <- "2024-01-31" temporal
lt on date: `date` < {p1:Date32}   <- "2024-01-31" temporal
le on date: `date` <= {p1:Date32}   <- "2024-01-31" temporal
gt on date: `date` > {p1:Date32}   <- "2024-01-31" temporal
ge on date: `date` >= {p1:Date32}   <- "2024-01-31" temporal
bw on date: `date` >= {p1:Date32} AND `date` <= {p2:Date32}   <- "2024-01-31" temporal, "2024-02-29" temporal
in on date: `date` IN ({p1:Date32}, {p2:Date32})   <- "2024-01-31" temporal, "2024-02-29" temporal
nin on date: `date` NOT IN ({p1:Date32}, {p2:Date32})   <- "2024-01-31" temporal, "2024-02-29" temporal
li on date: refused: The operator li requires a text column; "date" is not one.
rli on date: refused: The operator rli requires a text column; "date" is not one.
nli on date: refused: The operator nli requires a text column; "date" is not one.
il on date: refused: The operator il requires a text column; "date" is not one.
eq on timestamptz: `timestamptz` = CAST({p1:String} AS DateTime64(3, 'UTC'))   <- "2024-01-31T10:00:00.000Z" temporal
ne on timestamptz: `timestamptz` <> CAST({p1:String} AS DateTime64(3, 'UTC'))   <- "2024-01-31T10:00:00.000Z" temporal
lt on timestamptz: `timestamptz` < CAST({p1:String} AS DateTime64(3, 'UTC'))   <- "2024-01-31T10:00:00.000Z" temporal
le on timestamptz: `timestamptz` <= CAST({p1:String} AS DateTime64(3, 'UTC'))   <- "2024-01-31T10:00:00.000Z" temporal
gt on timestamptz: `timestamptz` > CAST({p1:String} AS DateTime64(3, 'UTC'))   <- "2024-01-31T10:00:00.000Z" temporal
ge on timestamptz: `timestamptz` >= CAST({p1:String} AS DateTime64(3, 'UTC'))   <- "2024-01-31T10:00:00.000Z" temporal
bw on timestamptz: `timestamptz` >= CAST({p1:String} AS DateTime64(3, 'UTC')) AND `timestamptz` <= CAST({p2:String} AS DateTime64(3, 'UTC'))   <- "2024-01-31T10:00:00.000Z" temporal, "2024-02-29T10:00:00.500Z" temporal
in on timestamptz: `timestamptz` IN (CAST({p1:String} AS DateTime64(3, 'UTC')), CAST({p2:String} AS DateTime64(3, 'UTC')))   <- "2024-01-31T10:00:00.000Z" temporal, "2024-02-29T10:00:00.500Z" temporal
nin on timestamptz: `timestamptz` NOT IN (CAST({p1:String} AS DateTime64(3, 'UTC')), CAST({p2:String} AS DateTime64(3, 'UTC')))   <- "2024-01-31T10:00:00.000Z" temporal, "2024-02-29T10:00:00.500Z" temporal
li on timestamptz: refused: The operator li requires a text column; "timestamptz" is not one.
rli on timestamptz: refused: The operator rli requires a text column; "timestamptz" is not one.
nli on timestamptz: refused: The operator nli requires a text column; "timestamptz" is not one.
il on timestamptz: refused: The operator il requires a text column; "timestamptz" is not one.
eq on json: `json` = {p1:Array(Int32)}   <- "[1]" json
ne on json: `json` <> {p1:Array(Int32)}   <- "[1]" json
lt on json: `json` < {p1:Array(Int32)}   <- "[1]" json
le on json: `json` <= {p1:Array(Int32)}   <- "[1]" json
gt on json: `json` > {p1:Array(Int32)}   <- "[1]" json
ge on json: `json` >= {p1:Array(Int32)}   <- "[1]" json
bw on json: `json` >= {p1:Array(Int32)} AND `json` <= {p2:Array(Int32)}   <- "[1]" json, "[1,2]" json
in on json: `json` IN ({p1:Array(Int32)}, {p2:Array(Int32)})   <- "[1]" json, "[1,2]" json
nin on json: `json` NOT IN ({p1:Array(Int32)}, {p2:Array(Int32)})   <- "[1]" json, "[1,2]" json
li on json: refused: The operator li requires a text column; "json" is not one.
rli on json: refused: The operator rli requires a text column; "json" is not one.
nli on json: refused: The operator nli requires a text column; "json" is not one.
il on json: refused: The operator il requires a text column; "json" is not one.
eq on other: `other` = {p1:IPv6}   <- "::1" other
ne on other: `other` <> {p1:IPv6}   <- "::1" other
lt on other: `other` < {p1:IPv6}   <- "::1" other
le on other: `other` <= {p1:IPv6}   <- "::1" other
gt on other: `other` > {p1:IPv6}   <- "::1" other
ge on other: `other` >= {p1:IPv6}   <- "::1" other
bw on other: `other` >= {p1:IPv6} AND `other` <= {p2:IPv6}   <- "::1" other, "::2" other
in on other: `other` IN ({p1:IPv6}, {p2:IPv6})   <- "::1" other, "::2" other
nin on other: `other` NOT IN ({p1:IPv6}, {p2:IPv6})   <- "::1" other, "::2" other
li on other: refused: The operator li requires a text column; "other" is not one.
rli on other: refused: The operator rli requires a text column; "other" is not one.
nli on other: refused: The operator nli requires a text column; "other" is not one.
il on other: refused: The operator il requires a text column; "other" is not one.
