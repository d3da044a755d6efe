/** The uri of a definition: literal segments, and segments in braces that are inputs. Knows no definitions. */

const LITERAL = /^[A-Za-z0-9._~-]+$/;
const BRACED = /^\{([A-Za-z_][A-Za-z0-9_]{0,63})\}$/;
const LONGEST = 1024;

/** What is wrong with it, or undefined. */
export function checkUri(uri: string): string | undefined {
  const segments = uri.split('/');
  const isRight = segments.every((segment) => BRACED.test(segment) || (LITERAL.test(segment) && segment !== '.' && segment !== '..'));
  if (!isRight || uri.length > LONGEST)
    return 'must be path segments of letters, digits, . _ ~ and -, or a name in braces, without a slash at either end';
  const names = braceNames(uri);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  return twice === undefined ? undefined : `has the name ${twice} twice`;
}

export interface Brace {
  readonly name: string;
  /** Which segment of the path it is, from 0. */
  readonly at: number;
}

export function bracesOf(uri: string): readonly Brace[] {
  if (!uri.includes('{')) return [];
  return uri.split('/').flatMap((segment, at) => {
    const name = BRACED.exec(segment)?.[1];
    return name === undefined ? [] : [{ name, at }];
  });
}

/** The names in braces, in order. */
export function braceNames(uri: string): readonly string[] {
  return bracesOf(uri).map(({ name }) => name);
}
