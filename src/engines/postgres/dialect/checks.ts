/**
 * Check constraints that list the values of a column, as PostgreSQL prints them: `CHECK (status IN
 * ('new', 'paid'))`.
 */
import type { Statement } from '../../../sql/statement.ts';

/** Check constraints of a single column, as table, column and definition. */
export const LISTED_VALUES: Statement = {
  text: `
SELECT s.relname, a.attname, pg_get_constraintdef(c.oid)
FROM pg_namespace n JOIN pg_class s ON s.relnamespace = n.oid
JOIN pg_constraint c ON c.conrelid = s.oid AND c.contype = 'c' AND c.convalidated AND array_length(c.conkey, 1) = 1
JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
WHERE n.nspname = $1 ORDER BY s.relname, c.conname`,
  types: [{ kind: 'text', cast: 'text' }],
};

const NAME = `(?:"(?:[^"]|"")*"|[^\\s"()':]+)`;
const TYPE = `(?:::[a-z][a-z ]*(?:\\(\\d+\\))?(?:\\[\\])?)?`;
const LITERAL = `'(?:[^']|'')*'${TYPE}`;
const LIST = new RegExp(
  `^CHECK \\(\\(\\(*${NAME}\\)*${TYPE} = ANY \\(+ARRAY\\[(${LITERAL}(?:, ${LITERAL})*)\\]\\)*${TYPE}\\)+(?: NO INHERIT)?$`,
);

/** Returns the listed values. `undefined` if the constraint is not a list of strings. */
export function listedValues(definition: string): readonly string[] | undefined {
  const list = LIST.exec(definition)?.[1];
  return list === undefined ? undefined : Array.from(list.matchAll(/'((?:[^']|'')*)'/g), ([, text = '']) => text.replaceAll("''", "'"));
}
