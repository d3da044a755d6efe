/** Reads links to other apps. Whether the app exists is checked later, and only warned about. */
import { APP_NAME } from '../../model/app.ts';
import type { AppNeed } from './app-document.ts';
import { type DocumentContext, placed, readValue, type ValueScope } from './context.ts';
import { inputName } from './inputs.ts';
import { type MapTree, matching, type Tree } from './reader.ts';

const FIELDS = ['app', 'inputs'];

export const appName = matching(APP_NAME, 'must begin with a lower-case letter and have at most 63 lower-case letters, digits, _ and -');

export function readLink(context: DocumentContext, parent: MapTree, name: string, scope: ValueScope): void {
  const tree = parent.fields.get(name);
  if (tree !== undefined) readLinkAt(context, tree, scope);
}

export function readLinkAt(context: DocumentContext, tree: Tree, scope: ValueScope): void {
  const { reader, needs } = context;
  const map = reader.mapping(tree, FIELDS, 'a mapping of app and inputs');
  if (map === undefined) return;
  const app = reader.requiredString(map, 'app', appName);
  const inputs = readLinkInputs(context, map, scope);
  if (app !== undefined) needs.push({ of: 'app', app: placed(context, map.fields.get('app') ?? map, app), inputs });
}

function readLinkInputs(context: DocumentContext, map: MapTree, scope: ValueScope): AppNeed['inputs'] {
  const { reader } = context;
  const tree = map.fields.get('inputs');
  if (tree === undefined) return [];
  if (tree.kind !== 'map') {
    reader.problem(tree, 'must be a mapping of names to values');
    return [];
  }
  return [...tree.fields].map(([name, value]) => {
    const problem = inputName(name);
    if (problem !== undefined) reader.problem(value, problem);
    readValue(context, value, scope);
    return placed(context, value, name);
  });
}
