/**
 * Natures: static types of expressions, as far as they are known before the run. Follows the
 * reference's type system: a kind, a named type, an element.
 */
export type NatureKind =
  | 'invalid'
  | 'interface'
  | 'bool'
  | 'int'
  | 'uint8'
  | 'int64'
  | 'float'
  | 'string'
  | 'slice'
  | 'map'
  | 'struct'
  | 'pointer'
  | 'func';

export interface Nature {
  readonly kind: NatureKind;
  /**
   * Name of the type; empty if unknown. Two natures with the same name have the same type, whatever
   * their elements.
   */
  readonly type: string;
  /** Nature of the elements of a list or map. */
  readonly elem?: Nature;
  readonly key?: Nature;
  /** Set if the nature is a function. */
  readonly callable?: Callable;
}

export interface Callable {
  readonly name: string;
  readonly params: readonly Nature[];
  /** `undefined` if the function returns several values and cannot be called. */
  readonly result: Nature | undefined;
  /** Name of a builtin, whose arguments are checked by their own rules. */
  readonly builtin?: string;
}

export const UNKNOWN: Nature = { kind: 'invalid', type: '' };
export const NIL: Nature = { kind: 'invalid', type: 'nil' };
export const ANY: Nature = { kind: 'interface', type: 'any' };
export const BOOL: Nature = { kind: 'bool', type: 'bool' };
export const INT: Nature = { kind: 'int', type: 'int' };
/** Result of `Unix`, `Milliseconds` and the like: a type other than int. */
export const INT64: Nature = { kind: 'int64', type: 'int64' };
const BYTE: Nature = { kind: 'uint8', type: 'byte' };
export const FLOAT: Nature = { kind: 'float', type: 'float' };
export const STRING: Nature = { kind: 'string', type: 'string' };
export const BYTES: Nature = { kind: 'slice', type: 'bytes', elem: BYTE };
export const STRINGS: Nature = { kind: 'slice', type: 'array of strings', elem: STRING };
export const ARRAY: Nature = { kind: 'slice', type: 'array', elem: ANY };
export const MAP: Nature = { kind: 'map', type: 'map', key: STRING, elem: ANY };
export const ANY_MAP: Nature = { kind: 'map', type: 'map with any keys', key: ANY, elem: ANY };
export const GROUPS: Nature = { kind: 'map', type: 'map of groups', key: ANY, elem: ARRAY };
export const TIME: Nature = { kind: 'struct', type: 'time' };
export const DURATION: Nature = { kind: 'int64', type: 'duration' };
export const MONTH: Nature = { kind: 'int', type: 'month' };
export const WEEKDAY: Nature = { kind: 'int', type: 'weekday' };
export const ZONE: Nature = { kind: 'pointer', type: 'timezone' };
const ZONE_ITSELF: Nature = { kind: 'struct', type: 'timezone itself' };

export function arrayOf(elem: Nature): Nature {
  return { kind: 'slice', type: 'array', elem };
}

/** Nature of a function. Functions with the same `signature` are assignable to each other. */
export function functionNature(signature: string, callable: Callable): Nature {
  return { kind: 'func', type: `function ${signature}`, callable };
}

export function isUnknown(n: Nature): boolean {
  return n.type === '' || n.kind === 'interface';
}
export function isNil(n: Nature): boolean {
  return n.type === 'nil';
}
export function isInteger(n: Nature): boolean {
  return n.type === 'int' || n.type === 'byte' || n.type === 'int64';
}
export function isNumber(n: Nature): boolean {
  return isInteger(n) || n.type === 'float';
}
function isType(type: Nature): (n: Nature) => boolean {
  return (n) => n.type === type.type;
}
export const isBool = isType(BOOL);
export const isString = isType(STRING);
export const isTime = isType(TIME);
export const isDuration = isType(DURATION);

export function isArray(n: Nature): boolean {
  return n.kind === 'slice';
}

export function deref(n: Nature): Nature {
  return n.kind === 'pointer' ? ZONE_ITSELF : n;
}

export function elemOf(n: Nature): Nature {
  return n.elem ?? UNKNOWN;
}

/** The same type without knowledge of the elements. */
export function bare(n: Nature): Nature {
  return n.type === ARRAY.type ? ARRAY : n;
}

const NIL_FITS: ReadonlySet<NatureKind> = new Set<NatureKind>(['pointer', 'interface', 'func', 'map', 'slice']);

export function isAssignable(n: Nature, to: Nature): boolean {
  if (isNil(n)) return NIL_FITS.has(to.kind);
  if (n.type === '' || to.type === '' || isNil(to)) return false;
  return to.kind === 'interface' || n.type === to.type;
}

export function isComparable(l: Nature, r: Nature): boolean {
  if (isUnknown(l) || isUnknown(r) || isNil(l) || isNil(r)) return true;
  return (isNumber(l) && isNumber(r)) || (isArray(l) && isArray(r)) || isAssignable(l, r);
}

/**
 * `true` if an operation with an unknown operand may be valid: the known operand passes a check, or
 * neither is known.
 */
export function maybe(l: Nature, r: Nature, ...checks: readonly ((n: Nature) => boolean)[]): boolean {
  const passes = (n: Nature): boolean => checks.some((check) => check(n));
  if (isUnknown(l)) return isUnknown(r) || passes(r);
  return isUnknown(r) && passes(l);
}

export function describe(n: Nature): string {
  return n.type === '' ? 'unknown' : n.type;
}
