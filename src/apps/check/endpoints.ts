/** Compares calls with the endpoints of the space: versions, declared input, and forms. */
import { chooseDefinition } from '../../custom/call/endpoint-resolver.ts';
import { readDocumentSlices } from '../../custom/document/document.ts';
import { bracesOf } from '../../custom/document/uri.ts';
import { compileCheck, type FieldProblem } from '../../custom/inputs/checks.ts';
import type { Declarations } from '../../custom/inputs/declaration.ts';
import { ApiError } from '../../errors.ts';
import { runCooperatively } from '../../util/concurrency/slices.ts';
import type { PlainValue } from '../../util/text/decimal.ts';
import type { EndpointNeed } from '../document/app-document.ts';
import { checkNarrowing, type FieldTarget } from './fields.ts';
import { reasonOf, type TargetSpace } from './space.ts';
import type { Refuse } from './tables.ts';

interface Declared {
  /** `undefined` if any input is accepted. */
  readonly inputs: Declarations | undefined;
  /** Names in the braces of the uri that the caller must fill in. */
  readonly braces: readonly string[];
  /** Names that the path gives already. */
  readonly inPath: ReadonlySet<string>;
}

export async function checkEndpoint(need: EndpointNeed, space: TargetSpace, refuse: Refuse): Promise<void> {
  const declared = await find(need, space, refuse);
  if (declared === undefined) return;
  const sent = new Set([...need.inputs.map(({ value }) => value.name), ...need.fields.map(({ name }) => name)]);
  checkNames(need, declared, refuse);
  checkLiterals(need, declared, refuse);
  checkMissing(need, declared, sent, refuse);
  for (const field of need.fields) {
    const target = targetOf(declared, field.name);
    if (target !== undefined) checkNarrowing(field, target, refuse);
  }
}

async function find({ uri, method, version }: EndpointNeed, space: TargetSpace, refuse: Refuse): Promise<Declared | undefined> {
  const { resolver, scope, engines } = space.parts;
  const refused = (spot: typeof uri, error: unknown): undefined => {
    if (!(error instanceof ApiError)) throw error;
    refuse(spot, `cannot be called: ${reasonOf(error)}`);
    return undefined;
  };
  try {
    const endpoint = await resolver.endpoint(scope, { uri: uri.value, segments: uri.value.split('/') }, method);
    const { document } = chooseDefinition(endpoint, method, version?.value);
    const definition = await runCooperatively(readDocumentSlices(document, engines), scope.projectId);
    return declaredOf(definition.uri, definition.inputs, uri.value);
  } catch (error) {
    return refused(error instanceof ApiError && error.key === 'endpoint_version_unknown' ? (version ?? uri) : uri, error);
  }
}

/** The path may have braces like that of the definition, or values in their places. */
function declaredOf(defined: string, inputs: Declarations | undefined, called: string): Declared {
  const own = bracesOf(called);
  const given = bracesOf(defined).filter(({ at }) => !own.some((brace) => brace.at === at));
  return { inputs, braces: own.map(({ name }) => name), inPath: new Set(given.map(({ name }) => name)) };
}

function checkNames({ inputs: sent, fields }: EndpointNeed, { inputs, braces }: Declared, refuse: Refuse): void {
  const isKnown = (name: string): boolean => inputs === undefined || inputs.has(name) || braces.includes(name);
  for (const { value, ...spot } of sent) if (!isKnown(value.name)) refuse(spot, 'is not declared by the endpoint');
  for (const field of fields)
    if (!isKnown(field.name)) refuse(field, `names ${JSON.stringify(field.name)}, which the endpoint does not declare`);
}

/** Literals are sent as texts. */
function textOf(value: PlainValue): PlainValue {
  if (Array.isArray(value)) return (value as readonly PlainValue[]).map(textOf);
  return value === null || value instanceof Map ? value : String(value instanceof Object && 'text' in value ? value.text : value);
}

function checkLiterals({ inputs: sent }: EndpointNeed, { inputs }: Declared, refuse: Refuse): void {
  for (const { value, ...spot } of sent) {
    const declaration = inputs?.get(value.name);
    if (declaration === undefined || value.literal === undefined || value.literal === null) continue;
    const problems: FieldProblem[] = [];
    compileCheck(declaration)(textOf(value.literal), 'text', '', problems);
    for (const { message } of problems) refuse(spot, message);
  }
}

function checkMissing(need: EndpointNeed, { inputs, braces, inPath }: Declared, sent: ReadonlySet<string>, refuse: Refuse): void {
  const required = [...(inputs ?? [])].filter(([, { required: is, default: fallback }]) => is && fallback === undefined);
  const declared = required.map(([name]) => name).filter((name) => !need.sendsAll && !inPath.has(name));
  const names = new Set([...declared, ...braces.filter((name) => !need.sendsAll || inputs?.has(name) !== true)]);
  for (const name of names) if (!sent.has(name)) refuse(need.uri, `needs ${JSON.stringify(name)}, which is not given`);
}

function targetOf({ inputs }: Declared, name: string): FieldTarget | undefined {
  const declaration = inputs?.get(name);
  if (declaration === undefined) return undefined;
  const { type, required, default: fallback, enum: values } = declaration;
  return { type, isRequired: required && fallback === undefined, values };
}
