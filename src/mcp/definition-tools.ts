/** Tools for authors of Custom APIs: check, deploy, list and get definitions. */
import { writeJson } from '../util/json/json.ts';
import type { PlainMap, PlainValue } from '../util/text/decimal.ts';
import type { Arguments } from './arguments.ts';
import { ToolError, type ToolResult, type ToolSession } from './session.ts';
import { bodyOf, forClients, mapOf } from './values.ts';

const PATH = 'rest/definition/v1';
const YAML = 'application/x-yaml';
const MAX_CHARACTERS = 16 * 1024;

export async function checkDefinition(session: ToolSession, args: Arguments): Promise<ToolResult> {
  const body = Buffer.from(args.text('definition'));
  const response = await session.send({ method: 'POST', path: `${PATH}/check`, query: [], body, type: YAML });
  const report = bodyOf(response) as PlainMap;
  return {
    value: mapOf({ valid: report.get('valid') ?? true, problems: report.get('problems') ?? [], warnings: report.get('warnings') ?? [] }),
  };
}

export async function deployDefinition(session: ToolSession, args: Arguments): Promise<ToolResult> {
  const { space } = await session.outline();
  if (space !== 'dev') throw new ToolError('Definitions are deployed in the dev space only; copy them from there.');
  const body = Buffer.from(args.text('definition'));
  const created = bodyOf(await session.send({ method: 'POST', path: PATH, query: [], body, type: YAML })) as PlainMap;
  return { value: mapOf({ definition_id: created.get('definition_id') ?? '', warnings: created.get('warnings') ?? [] }) };
}

export async function listDefinitions(session: ToolSession, args: Arguments): Promise<ToolResult> {
  const query = args.has('method') ? [['method', args.text('method')] as const] : [];
  const definitions = bodyOf(await session.send({ method: 'GET', path: `${PATH}/list`, query })) as readonly PlainValue[];
  let characters = 0;
  const end = definitions.findIndex((item) => {
    characters += writeJson(item).length;
    return characters > MAX_CHARACTERS;
  });
  return { value: mapOf({ definitions: forClients(end < 0 ? definitions : definitions.slice(0, end)), truncated: end >= 0 }) };
}

export async function getDefinition(session: ToolSession, args: Arguments): Promise<ToolResult> {
  const query = [['definition_id', args.text('definition_id')] as const];
  return { value: forClients(bodyOf(await session.send({ method: 'GET', path: PATH, query }))) as PlainMap };
}
