/** Tools for apps: list, get, check and deploy, with the results of the HTTP API. */
import type { PlainMap, PlainValue } from '../util/text/decimal.ts';
import type { Arguments } from './arguments.ts';
import { ToolError, type ToolResult, type ToolSession } from './session.ts';
import { bodyOf, forClients, mapOf } from './values.ts';

const PATH = 'app/v1';
const YAML = 'application/x-yaml';

export async function listApps(session: ToolSession): Promise<ToolResult> {
  const apps = bodyOf(await session.send({ method: 'GET', path: `${PATH}/list`, query: [] })) as readonly PlainValue[];
  return { value: mapOf({ apps: forClients(apps) }) };
}

export async function getApp(session: ToolSession, args: Arguments): Promise<ToolResult> {
  const query = [['app', args.text('app')] as const];
  return { value: forClients(bodyOf(await session.send({ method: 'GET', path: `${PATH}/detail`, query }))) as PlainMap };
}

async function send(session: ToolSession, path: string, args: Arguments): Promise<ToolResult> {
  const body = Buffer.from(args.text('document'));
  return { value: forClients(bodyOf(await session.send({ method: 'POST', path, query: [], body, type: YAML }))) as PlainMap };
}

export function checkApp(session: ToolSession, args: Arguments): Promise<ToolResult> {
  return send(session, `${PATH}/check`, args);
}

export async function deployApp(session: ToolSession, args: Arguments): Promise<ToolResult> {
  const { space } = await session.outline();
  if (space !== 'dev') throw new ToolError('Apps are deployed in the dev space only; copy them from there.');
  return send(session, PATH, args);
}
