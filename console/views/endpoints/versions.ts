/** Order of versions, and the proposal of the next one. Pure. */

const VERSION = /^(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:-(.+))?$/;

interface Parts {
  readonly numbers: readonly [bigint, bigint, bigint];
  readonly preRelease: string | undefined;
}

function partsOf(version: string): Parts | undefined {
  const match = VERSION.exec(version);
  if (match === null) return undefined;
  const [, major = '0', minor = '0', patch = '0', preRelease] = match;
  return { numbers: [BigInt(major), BigInt(minor), BigInt(patch)], preRelease };
}

/** The version of the text if it is free, else the first free patch behind it. */
export function nextVersion(version: string, taken: readonly string[]): string {
  const used = new Set(taken);
  const parts = partsOf(version);
  if (!used.has(version) || parts === undefined) return version;
  const [major, minor, patch] = parts.numbers;
  let next = parts.preRelease === undefined ? patch + 1n : patch;
  while (used.has(`${major}.${minor}.${next}`)) next++;
  return `${major}.${minor}.${next}`;
}

/** `orders/{id}` and `orders/{nr}` are one endpoint. */
export const shapeOf = (uri: string): string => uri.replace(/\{[^/}]*\}/g, '{}');
