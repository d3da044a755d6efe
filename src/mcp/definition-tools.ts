/** Tools for authors of Custom APIs: check, deploy, list and get definitions. */
import type { PlainMap, PlainValue } from '../util/text/decimal.ts';
import type { Arguments } from './arguments.ts';
import { countFitting } from './result-size.ts';
import { ToolError, type ToolResult, type ToolSession } from './session.ts';
import { bodyOf, forClients, mapOf } from './values.ts';

const PATH = 'rest/definition/v1';
const YAML = 'application/x-yaml';

export async function checkDefinition(session: ToolSession, args: Arguments): Promise<ToolResult> {
  const body = Buffer.from(args.text('definition'));
  const response = await session.send({ method: 'POST', path: `${PATH}/check`, query: [], body, type: YAML });
  const report = bodyOf(response) as PlainMap;
  const result = { valid: report.get('valid') ?? true, problems: [], warnings: listed(report.get('warnings')) };
  return { value: mapOf({ ...result, ...fitting('problems', listed(report.get('problems')), mapOf(result)) }) };
}

const listed = (value: PlainValue | undefined): readonly PlainValue[] => (Array.isArray(value) ? (value as readonly PlainValue[]) : []);

/** The items of a list that fit into the result. `truncated` marks a shortened list. */
function fitting(name: string, items: readonly PlainValue[], rest: PlainMap): Readonly<Record<string, PlainValue>> {
  const count = countFitting(items, new Map([...rest, ['truncated', true]]));
  return { [name]: items.slice(0, count), ...(count < items.length ? { truncated: true } : {}) };
}

export async function deployDefinition(session: ToolSession, args: Arguments): Promise<ToolResult> {
  const { space } = await session.outline();
  if (space !== 'dev') throw new ToolError('Definitions are deployed in the dev space only; copy them from there.');
  const body = Buffer.from(args.text('definition'));
  const created = bodyOf(await session.send({ method: 'POST', path: PATH, query: [], body, type: YAML })) as PlainMap;
  const result = { definition_id: created.get('definition_id') ?? '', warnings: [] };
  return { value: mapOf({ ...result, ...fitting('warnings', listed(created.get('warnings')), mapOf(result)) }) };
}

export async function listDefinitions(session: ToolSession, args: Arguments): Promise<ToolResult> {
  const query = args.has('method') ? [['method', args.text('method')] as const] : [];
  const definitions = bodyOf(await session.send({ method: 'GET', path: `${PATH}/list`, query })) as readonly PlainValue[];
  const shown = definitions.map(forClients);
  const result = { definitions: [], truncated: false };
  return { value: mapOf({ ...result, ...fitting('definitions', shown, mapOf(result)) }) };
}

export async function getDefinition(session: ToolSession, args: Arguments): Promise<ToolResult> {
  const query = [['definition_id', args.text('definition_id')] as const];
  return { value: forClients(bodyOf(await session.send({ method: 'GET', path: PATH, query }))) as PlainMap };
}
