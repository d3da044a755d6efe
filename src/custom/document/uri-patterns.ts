/**
 * Matches a path against the uris with braces of a space, which form a tree of segments. The most
 * literal match comes first, from left to right. Independent of definitions.
 */
const BRACES = '{}';

interface Branch {
  readonly branches: Map<string, Branch>;
  /** Uri that ends at this segment. */
  shape: string | undefined;
}

export class UriPatterns {
  readonly #root: Branch = { branches: new Map(), shape: undefined };

  /** `shapes` are uris without the names in braces. */
  constructor(shapes: readonly string[]) {
    for (const shape of shapes) {
      let at = this.#root;
      for (const segment of shape.split('/')) {
        let next = at.branches.get(segment);
        if (next === undefined) {
          next = { branches: new Map(), shape: undefined };
          at.branches.set(segment, next);
        }
        at = next;
      }
      at.shape = shape;
    }
  }

  match(segments: readonly string[]): readonly string[] {
    const matches: string[] = [];
    const walk = (branch: Branch, at: number): void => {
      const segment = segments[at];
      if (segment === undefined) {
        if (branch.shape !== undefined) matches.push(branch.shape);
        return;
      }
      const literal = segment === BRACES ? undefined : branch.branches.get(segment);
      if (literal !== undefined) walk(literal, at + 1);
      const wildcard = segment === '' ? undefined : branch.branches.get(BRACES);
      if (wildcard !== undefined) walk(wildcard, at + 1);
    };
    walk(this.#root, 0);
    return matches;
  }
}
