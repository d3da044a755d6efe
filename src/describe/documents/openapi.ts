/**
 * Description → OpenAPI 3.1 document, table by table.
 * Parts that tables or operations share are components. Must not depend on the caller.
 */
import { mapCooperatively } from '../../util/concurrency/slices.ts';
import type { Description } from '../description.ts';
import type { DocumentWriter } from './document-writer.ts';
import type { Json } from './notation.ts';
import { callPaths } from './openapi-calls.ts';
import { FilterParameters } from './openapi-filters.ts';
import { tableParameters } from './openapi-own-parameters.ts';
import { tablePaths } from './openapi-paths.ts';
import { HEADERS, tableResponses, tableSchemas } from './openapi-schemas.ts';
import { CONDITIONS, SECURITY_SCHEMES, SHARED_RESPONSES, SHARED_SCHEMAS, sharedParameters } from './openapi-shared.ts';
import { type DocumentedTable, documentTable } from './openapi-tables.ts';

export async function writeOpenApi(description: Description, writer: DocumentWriter): Promise<void> {
  const { project, endpoints } = description;
  const filters = new FilterParameters();
  const tables = await mapCooperatively(await description.tables(), project, (table) => documentTable(description, table, filters));
  await writer.members(headOf(description, tables));
  if (tables.length + endpoints.length === 0) await writer.members({ paths: {} });
  else {
    writer.open('paths');
    for (const table of tables) await writer.cachedMembers(`paths ${table.fingerprint}`, () => tablePaths(description, table));
    for (const paths of callPaths(description)) await writer.members(paths);
    writer.close();
  }
  writer.open('components');
  writer.open('schemas');
  await writer.members(SHARED_SCHEMAS);
  for (const table of tables) await writer.cachedMembers(`schemas ${table.fingerprint}`, () => tableSchemas(table));
  writer.close();
  writer.open('parameters');
  await writer.members(sharedParameters(description));
  await writer.members(CONDITIONS);
  await writer.members(filters.components());
  for (const table of tables) await writer.cachedMembers(`parameters ${table.fingerprint}`, () => tableParameters(table));
  writer.close();
  writer.open('responses');
  await writer.members(SHARED_RESPONSES);
  for (const table of tables) await writer.cachedMembers(`responses ${table.fingerprint}`, () => tableResponses(table));
  writer.close();
  await writer.members({ headers: HEADERS, securitySchemes: SECURITY_SCHEMES });
  writer.close();
  writer.end();
}

function headOf({ org, project, space, prefix, endpoints, apps, unreachable }: Description, tables: readonly DocumentedTable[]): Json {
  const databases = [...new Set(tables.map(({ type, database }) => `${type}/${database}`))];
  const tags = [...new Set(endpoints.flatMap(({ about }) => (about.tags.length === 0 ? ['custom'] : about.tags)))];
  return {
    openapi: '3.1.1',
    info: {
      title: `${org}/${project} (${space})`,
      version: '1',
      description: 'What the caller who asked for this document may do: tables as REST, and Custom endpoints.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The service that gave this document' }],
    security: [
      { orgId: [], projectId: [], spaceId: [], userId: [], userRoles: [] },
      { bearer: [] },
      { powerToken: [], powerTokenInQuery: [] },
    ],
    tags: [...new Set([...databases, ...tags])].map((name) => ({ name })),
    'x-unreachable': unreachable,
    ...(apps && { 'x-apps': apps.map(({ app, title }) => ({ app, title, path: `/${prefix}/app/v1/render?app=${app}` })) }),
  };
}
