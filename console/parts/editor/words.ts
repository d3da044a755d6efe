/** Words of the languages that completion proposes. */
const list = (text: string): readonly string[] => text.split(' ');

export const SQL_WORDS = list(
  'SELECT FROM WHERE JOIN LEFT INNER ON AS AND OR NOT IN IS NULL LIKE BETWEEN EXISTS CASE WHEN THEN ELSE END GROUP ORDER BY HAVING LIMIT OFFSET DISTINCT UNION ALL WITH INSERT INTO VALUES UPDATE SET DELETE RETURNING ASC DESC COUNT SUM MIN MAX AVG COALESCE CAST',
);

export const LARK_WORDS = list(
  'def for if else elif in not and or return load lambda pass True False None abs all any bool dict dir enumerate fail float getattr hasattr hash int len list max min print range refuse repr reversed set sorted str tuple type zip json math time struct',
);

export const EXPR_WORDS = list(
  'len filter map all any one none count sum mean min max first last take groupBy countBy sortBy find findIndex reduce keys values string int float join split upper lower trim now date duration refuse nil true false',
);
