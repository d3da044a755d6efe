/** Compares forms that write to a table with its columns. */
import type { DeclaredType } from '../../custom/inputs/declaration.ts';
import type { Column, Kind } from '../../model/table.ts';
import type { WriteNeed } from '../document/app-document.ts';
import type { Spot } from '../document/problems.ts';
import { checkNarrowing, type FieldTarget } from './fields.ts';
import type { TargetSpace } from './space.ts';
import { checkKey, type Refuse } from './tables.ts';

const TYPES: Readonly<Record<Kind, DeclaredType>> = {
  int: 'integer',
  decimal: 'number',
  float: 'number',
  bool: 'boolean',
  text: 'string',
  enum: 'string',
  set: 'string',
  uuid: 'uuid',
  date: 'date',
  time: 'any',
  timestamp: 'timestamp',
  timestamptz: 'timestamp',
  bytes: 'any',
  json: 'any',
  other: 'any',
};

export async function checkWrite(need: WriteNeed, space: TargetSpace, refuse: Refuse): Promise<void> {
  const { operation, fields, values, key, sendsAll } = need;
  const found = await space.table(need.table.value);
  if (found.kind === 'absent') refuse(need.table, found.reason);
  if (found.kind !== 'found') return;
  const { table } = found;
  if (table.kind === 'view') refuse(need.table, 'is a view, which cannot be written');
  if (key !== undefined) checkKey(table, key, refuse);
  const check = (spot: Spot, name: string): Column | undefined => {
    const column = table.byName.get(name);
    if (column === undefined) refuse(spot, `names ${JSON.stringify(name)}, a column that ${table.name} does not have`);
    else if (column.readOnly) refuse(spot, `names the column ${JSON.stringify(name)}, which cannot be written`);
    return column;
  };
  for (const value of values) check(value, value.value);
  for (const field of fields) {
    const column = check(field, field.name);
    if (column !== undefined) checkNarrowing(field, targetOf(column, operation), refuse);
  }
  const sent = new Set([...fields.map(({ name }) => name), ...values.map(({ value }) => value)]);
  const missing = operation === 'insert' && !sendsAll ? table.columns.filter(({ required, name }) => required && !sent.has(name)) : [];
  for (const { name } of missing) refuse(need.table, `needs the column ${JSON.stringify(name)}, which the form does not send`);
}

function targetOf({ kind, required, values }: Column, operation: WriteNeed['operation']): FieldTarget {
  return { type: TYPES[kind], isRequired: required && operation === 'insert', values };
}
