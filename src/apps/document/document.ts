/** Reads an app's document: head, inputs and blocks. No I/O. */
import type { Engines } from '../../engines/registry.ts';
import type { Slices } from '../../util/concurrency/slices.ts';
import type { AppDocument, Need } from './app-document.ts';
import { BlockList } from './block-list.ts';
import type { DocumentContext } from './context.ts';
import { readInputs } from './inputs.ts';
import { appName } from './links.ts';
import { readOptions } from './options.ts';
import type { AppProblem } from './problems.ts';
import { AppReader, atMost, type MapTree } from './reader.ts';
import { type AppSourceType, documentValue, MAX_APP_BYTES, READ_ONLY_FIELDS, readSource } from './source.ts';

export { type AppSourceType, MAX_APP_BYTES };

const FIELDS = ['app', 'title', 'description', 'permission', 'locale', 'timezone', 'refresh', 'inputs', 'blocks', ...READ_ONLY_FIELDS];
const MAX_TITLE = 100;
const MAX_DESCRIPTION = 500;
const MAX_ROLE = 128;
const MIN_REFRESH = 5;
const MAX_REFRESH = 86_400;

export interface ReadApp {
  readonly document: AppDocument;
  readonly needs: readonly Need[];
  /** Faults of the text; the document is used only without any. */
  readonly malformed: readonly AppProblem[];
}

/** Reads as much as possible. Throws UnreadableApp if the text cannot be parsed. */
export function* readApp(text: string, type: AppSourceType, engines: Engines): Slices<ReadApp> {
  const tree = yield* readSource(text, type);
  yield;
  const reader = new AppReader(tree);
  const needs: Need[] = [];
  const root = reader.mapping(tree, FIELDS);
  if (root === undefined) return { document: EMPTY, needs, malformed: reader.malformed };
  const head = readHead(reader, root);
  const inputs = readInputs(reader, root);
  const context = { reader, engines, inputs, needs };
  readChoices({ ...context, readBlocks: () => [] }, inputs);
  reader.required(root, 'blocks');
  const blocks = new BlockList(context).read(reader.items(root, 'blocks', 1), false);
  return { document: { ...head, inputs, blocks, value: documentValue(tree) }, needs, malformed: reader.malformed };
}

const EMPTY: AppDocument = {
  app: '',
  title: '',
  description: undefined,
  permission: [],
  locale: undefined,
  inputs: new Map(),
  blocks: [],
  value: new Map(),
};

function readHead(reader: AppReader, root: MapTree): Omit<AppDocument, 'inputs' | 'blocks' | 'value'> {
  const app = reader.requiredString(root, 'app', appName) ?? '';
  const title = reader.requiredString(root, 'title', atMost(MAX_TITLE, 1)) ?? '';
  const description = reader.string(root, 'description', atMost(MAX_DESCRIPTION));
  const permission = readPermission(reader, root);
  const locale = reader.string(root, 'locale', checkLocale);
  reader.string(root, 'timezone', checkZone);
  reader.integer(root, 'refresh', MIN_REFRESH, MAX_REFRESH);
  return { app, title, description, permission, locale };
}

function readPermission(reader: AppReader, root: MapTree): readonly string[] {
  reader.required(root, 'permission');
  const roles = reader.items(root, 'permission', 1).flatMap((item) => reader.stringAt(item, checkRole) ?? []);
  return [...new Set(roles)];
}

function checkRole(role: string): string | undefined {
  if (role.trim() !== role || role === '') return 'must be a role without blanks around it';
  if (role.length > MAX_ROLE) return `must have at most ${MAX_ROLE} characters`;
  return /[,\u0000-\u001f]/.test(role) ? 'must not have a comma or a control character' : undefined;
}

function isAccepted(check: () => unknown): boolean {
  try {
    check();
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

function checkLocale(locale: string): string | undefined {
  return isAccepted(() => Intl.getCanonicalLocales(locale)) ? undefined : 'must be a language tag, such as de-DE';
}

/** Offsets such as `+01:00` are not names of zones. */
function checkZone(zone: string): string | undefined {
  const isZone = zone === 'local' || (/^[A-Za-z]/.test(zone) && isAccepted(() => new Intl.DateTimeFormat('en', { timeZone: zone })));
  return isZone ? undefined : 'must be local or the name of a time zone, such as Europe/Berlin';
}

function readChoices(context: DocumentContext, inputs: ReturnType<typeof readInputs>): void {
  for (const { options } of inputs.values()) readOptions(context, options);
}
