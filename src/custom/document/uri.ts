/** The uri of a definition: literal segments, and segments in braces that are inputs. Pure. */
const LITERAL = /^[A-Za-z0-9._~-]+$/;
const BRACED = /^\{([A-Za-z_][A-Za-z0-9_]{0,63})\}$/;
const MAX_LENGTH = 1024;

/** Returns the problem of a uri, or `undefined`. */
export function checkUri(uri: string): string | undefined {
  const segments = uri.split('/');
  const isValid = segments.every((segment) => BRACED.test(segment) || (LITERAL.test(segment) && segment !== '.' && segment !== '..'));
  if (!isValid || uri.length > MAX_LENGTH)
    return 'must be path segments of letters, digits, . _ ~ and -, or a name in braces, without a slash at either end';
  const names = braceNames(uri);
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  return repeated === undefined ? undefined : `has the name ${repeated} twice`;
}

export interface Brace {
  readonly name: string;
  /** Index of the segment in the path. */
  readonly at: number;
}

export function bracesOf(uri: string): readonly Brace[] {
  if (!uri.includes('{')) return [];
  return uri.split('/').flatMap((segment, at) => {
    const name = BRACED.exec(segment)?.[1];
    return name === undefined ? [] : [{ name, at }];
  });
}

export function braceNames(uri: string): readonly string[] {
  return bracesOf(uri).map(({ name }) => name);
}
