/** Tools for authors of Custom APIs: check, deploy, list and get, as over HTTP. */

import { writeJson } from '../util/json/json.ts';
import type { PlainMap, PlainValue } from '../util/text/decimal.ts';
import type { Arguments } from './arguments.ts';
import { ToolError, type ToolResult, type ToolSession } from './session.ts';
import { bodyOf, forClients, mapOf } from './values.ts';

const PATH = 'rest/definition/v1';
const YAML = 'application/x-yaml';
const MOST_CHARACTERS = 16 * 1024;

export async function checkDefinition(session: ToolSession, given: Arguments): Promise<ToolResult> {
  const body = Buffer.from(given.text('definition'));
  const answer = await session.send({ method: 'POST', path: `${PATH}/check`, query: [], body, type: YAML });
  const found = bodyOf(answer) as PlainMap;
  return {
    value: mapOf({ valid: found.get('valid') ?? true, problems: found.get('problems') ?? [], warnings: found.get('warnings') ?? [] }),
  };
}

export async function deployDefinition(session: ToolSession, given: Arguments): Promise<ToolResult> {
  const { space } = await session.outline();
  if (space !== 'dev') throw new ToolError('Definitions are deployed in the dev space only; copy them from there.');
  const body = Buffer.from(given.text('definition'));
  const made = bodyOf(await session.send({ method: 'POST', path: PATH, query: [], body, type: YAML })) as PlainMap;
  return { value: mapOf({ definition_id: made.get('definition_id') ?? '', warnings: made.get('warnings') ?? [] }) };
}

export async function listDefinitions(session: ToolSession, given: Arguments): Promise<ToolResult> {
  const query = given.has('method') ? [['method', given.text('method')] as const] : [];
  const found = bodyOf(await session.send({ method: 'GET', path: `${PATH}/list`, query })) as readonly PlainValue[];
  let characters = 0;
  const end = found.findIndex((item) => {
    characters += writeJson(item).length;
    return characters > MOST_CHARACTERS;
  });
  return { value: mapOf({ definitions: forClients(end < 0 ? found : found.slice(0, end)), truncated: end >= 0 }) };
}

export async function getDefinition(session: ToolSession, given: Arguments): Promise<ToolResult> {
  const query = [['definition_id', given.text('definition_id')] as const];
  return { value: forClients(bodyOf(await session.send({ method: 'GET', path: PATH, query }))) as PlainMap };
}
