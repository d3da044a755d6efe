/** Values of the inputs, read from and written to the address. */
import { batch, computed, signal } from '@preact/signals';
import { forgetReads } from './api.ts';
import { checkValue } from './check.ts';
import { resolveRelative, startOfDay, todayIn, zoneOf } from './dates.ts';
import type { AppDocument, Declaration } from './document.ts';

/** Texts of an input; none means that it has no value. A list has one for each item. */
export type Texts = readonly string[];

export interface InputState {
  readonly name: string;
  readonly declaration: Declaration;
  readonly texts: Texts;
  /** Why the texts are not accepted. */
  readonly problem: string | undefined;
}

const declared = signal<ReadonlyMap<string, Declaration>>(new Map());
/** Texts by input, as the address has them. */
const chosen = signal<ReadonlyMap<string, Texts>>(new Map());
let defaults: ReadonlyMap<string, Texts> = new Map();
let statesOfBlocks: ReadonlySet<string> = new Set();

/** Parameters of the address that are not inputs, nor the state of a block. */
export const unknownParameters = signal<readonly string[]>([]);

/** State of tables and tabs, such as `orders.sort`. */
export const viewState = signal<ReadonlyMap<string, string>>(new Map());

const RESERVED = new Set(['app', 'pwt']);

/** All inputs with their values. */
export const inputs = computed<readonly InputState[]>(() =>
  [...declared.value].map(([name, declaration]) => {
    const texts = chosen.value.get(name) ?? [];
    return { name, declaration, texts, problem: checkValue(declaration, texts) };
  }),
);

export const inputOf = (name: string): InputState | undefined => inputs.value.find((input) => input.name === name);

/** Starts with the values of the address. `stateNames`: parameters that belong to blocks. */
export function startInputs({ inputs: all = {}, timezone }: AppDocument, stateNames: ReadonlySet<string>): void {
  declared.value = new Map(Object.entries(all));
  const zone = zoneOf(timezone);
  defaults = new Map(Object.entries(all).map(([name, declaration]) => [name, defaultOf(declaration, zone)]));
  statesOfBlocks = stateNames;
  readAddress();
}

/** Takes over the view of the address, at the start and after Back. */
export function readAddress(): void {
  const query = new URLSearchParams(location.search);
  const others = [...new Set(query.keys())].filter((name) => !declared.value.has(name) && !RESERVED.has(name));
  batch(() => {
    choose(new Map([...declared.value.keys()].map((name) => [name, textsFrom(query.getAll(name)) ?? defaults.get(name) ?? []])));
    viewState.value = new Map(others.filter((name) => statesOfBlocks.has(name)).map((name) => [name, query.get(name) ?? '']));
    unknownParameters.value = others.filter((name) => !statesOfBlocks.has(name));
  });
}

/** After a change, blocks read again instead of sharing answers of before. */
function choose(next: ReadonlyMap<string, Texts>): void {
  const isChanged = [...next].some(([name, texts]) => !isSame(texts, chosen.value.get(name) ?? []));
  chosen.value = next;
  if (isChanged) forgetReads();
}

/** An empty parameter means that there is no value. */
const textsFrom = (values: readonly string[]): Texts | undefined =>
  values.length === 0 ? undefined : values.length === 1 && values[0] === '' ? [] : values;

function defaultOf({ default: given, type, items, required }: Declaration, zone: string): Texts {
  // A checkbox has two states.
  if (given === undefined || given === null) return type === 'boolean' && required === true ? ['false'] : [];
  const list = Array.isArray(given) ? (given as readonly unknown[]) : [given];
  const kind = items?.type ?? type;
  return list.map((item) => {
    const text = String(item);
    const day = kind === 'date' || kind === 'timestamp' ? resolveRelative(text, todayIn(zone)) : undefined;
    if (day === undefined) return text;
    return kind === 'date' ? day : startOfDay(day, zone);
  });
}

export function setInput(name: string, texts: Texts): void {
  setInputs(new Map(chosen.value).set(name, texts));
}

export function resetInputs(): void {
  setInputs(new Map(defaults));
}

/** Other values have other pages. */
function setInputs(next: ReadonlyMap<string, Texts>): void {
  batch(() => {
    choose(next);
    viewState.value = new Map([...viewState.value].filter(([name]) => !name.endsWith('.page')));
  });
  writeAddress();
}

export const isDefault = computed(() => [...chosen.value].every(([name, texts]) => isSame(texts, defaults.get(name) ?? [])));

/** Sets or removes states of a block, as one step of the history. */
export function setViewState(changes: Readonly<Record<string, string | undefined>>): void {
  const next = new Map(viewState.value);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) next.delete(name);
    else next.set(name, value);
  }
  viewState.value = next;
  writeAddress();
}

const isSame = (a: Texts, b: Texts): boolean => a.length === b.length && a.every((text, at) => text === b[at]);

/** Parameters of an address that shows these values. Defaults are left out. */
function parametersOf(): URLSearchParams {
  const before = new URLSearchParams(location.search);
  const query = new URLSearchParams();
  for (const name of RESERVED) for (const value of before.getAll(name)) query.append(name, value);
  for (const [name, texts] of chosen.value) {
    if (isSame(texts, defaults.get(name) ?? [])) continue;
    for (const text of texts.length === 0 ? [''] : texts) query.append(name, text);
  }
  for (const [name, value] of viewState.value) query.append(name, value);
  for (const name of unknownParameters.value) for (const value of before.getAll(name)) query.append(name, value);
  return query;
}

function writeAddress(): void {
  const search = `?${parametersOf().toString()}`;
  if (search !== location.search) history.pushState(null, '', search);
}
