/** The rows of a view as a program with the typed client. Pure but for the service's address. */
import type { Column, TableDetail } from '../../../api/types.ts';
import { baseRoot } from '../../../root.ts';
import { type Comparison, type Filter, isRelated } from '../query/filters.ts';
import { formOf } from '../query/operators.ts';
import { isGrouped, type TableQuery } from '../query/query.ts';

const NAME = /^[A-Za-z_$][\w$]*$/;
const property = (name: string): string => (NAME.test(name) ? name : JSON.stringify(name));
const member = (name: string): string => (NAME.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`);

export function clientCode(database: string, table: TableDetail, query: TableQuery, size: number): string {
  const options = [
    ...(query.filters.length === 0 ? [] : [`where: ${where(query.filters, table.columns)}`]),
    ...(query.select.length === 0 ? [] : [`select: [${query.select.map((name) => JSON.stringify(name)).join(', ')}]`]),
    ...(query.order.length === 0
      ? []
      : [
          `order: { ${query.order.map(({ column, isDescending }) => `${property(column)}: '${isDescending ? 'desc' : 'asc'}'`).join(', ')} }`,
        ]),
    ...(query.expand.length === 0 ? [] : [`expand: { ${query.expand.map((item) => `${property(item)}: true`).join(', ')} }`]),
    ...(isGrouped(query) ? [`group: ${JSON.stringify(query.group)}`, `agg: ${JSON.stringify(query.agg)}`] : []),
    `size: ${size}`,
  ];
  const call = isGrouped(query) ? 'aggregate' : 'read';
  return [
    "import { createClient } from './api.js'; // made by: npx millrace client generate --out api.ts",
    '',
    `const db = createClient({ url: ${JSON.stringify(baseRoot.href.replace(/\/$/, ''))}, token: process.env.MILLRACE_TOKEN ?? '' }).db(${JSON.stringify(database)});`,
    `const rows = await db${member(table.table)}.${call}({ ${options.join(', ')} });`,
    '',
  ].join('\n');
}

function where(filters: readonly Filter[], columns: readonly Column[]): string {
  const parts = filters.map((filter) => condition(filter, columns));
  return parts.length === 1 ? (parts[0] ?? '{}') : `{ $and: [${parts.join(', ')}] }`;
}

function condition(filter: Filter, columns: readonly Column[]): string {
  if (filter.type === 'comparison') return `{ ${property(filter.column)}: ${comparison(filter, columns)} }`;
  if (filter.type === 'raw') return `{ /* ${filter.name.replace(/\*\//g, '* /')} */ }`;
  if (isRelated(filter)) return `{ $${filter.type}: { ${property(filter.relation)}: ${where(filter.filters, [])} } }`;
  return `{ $${filter.type}: [${filter.filters.map((item) => condition(item, columns)).join(', ')}] }`;
}

function comparison({ column, operator, values }: Comparison, columns: readonly Column[]): string {
  const kind = columns.find(({ name }) => name === column)?.kind;
  const literal = (text: string): string => {
    if (kind === 'int' && /^-?\d+$/.test(text)) return text.length < 16 ? text : `${text}n`;
    return JSON.stringify(text);
  };
  if (operator === 'null' || operator === 'notnull') return `{ null: ${operator === 'null'} }`;
  if (formOf(operator) !== 'one') return `{ ${operator}: [${values.map(literal).join(', ')}] }`;
  const value = literal(values[0] ?? '');
  return operator === 'eq' ? value : `{ ${operator}: ${value} }`;
}
