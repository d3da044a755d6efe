/**
 * Parameters that differ between tables, as components: the key, `set`, and a limited `ps`. Pure.
 */
import { PARAMETERS } from '../../auto/request/parameters.ts';
import { memo } from '../../util/memo.ts';
import { keyOf } from '../description.ts';
import type { Json, Members } from './notation.ts';
import { changeExample, keyExample } from './openapi-examples.ts';
import type { DocumentedTable } from './openapi-tables.ts';

export interface OwnParameter {
  /** Name of the component. */
  readonly name: string;
  /** The shared parameter that it replaces. */
  readonly replaces?: string;
  readonly parameter: Json;
}

export const ownParameters = memo((documented: DocumentedTable): readonly OwnParameter[] =>
  [keyParameter, setParameter, pageSizeParameter].flatMap((make) => make(documented) ?? []),
);

export function tableParameters(documented: DocumentedTable): Members {
  return ownParameters(documented).map(({ name, parameter }) => [name, parameter]);
}

function keyParameter(documented: DocumentedTable): OwnParameter | undefined {
  const names = keyOf(documented.table).map(({ name }) => name);
  if (!documented.isAddressable) return undefined;
  const parameter = {
    name: 'key',
    in: 'path',
    required: true,
    description: `The values of ${names.join(', ')}, separated by commas; quoted where they hold commas or quotes.`,
    schema: { type: 'string' },
    example: keyExample(documented),
  };
  return { name: `${documented.name}.key`, parameter };
}

/** The shared parameter with an example for this table. */
function setParameter(documented: DocumentedTable): OwnParameter | undefined {
  const change = changeExample(documented);
  if (change === undefined) return undefined;
  return { name: `${documented.name}.set`, replaces: 'set', parameter: { ...queryParameter('set'), example: setText(change) } };
}

function setText([name, value]: readonly [string, unknown]): string {
  return `${/[."]/.test(name) ? JSON.stringify(name) : name}.${String(value)}`;
}

/** The shared parameter with the maximum of the caller's persona. */
function pageSizeParameter({ name, rights: { read } }: DocumentedTable): OwnParameter | undefined {
  if (read?.maxPageSize === undefined) return undefined;
  const schema = { ...PARAMETERS['ps']?.schema, maximum: read.maxPageSize };
  return { name: `${name}.ps`, replaces: 'ps', parameter: { ...queryParameter('ps'), schema, example: 1 } };
}

function queryParameter(name: string): Json {
  const { schema, description } = PARAMETERS[name] ?? {};
  return { name, in: 'query', required: true, description, schema };
}
