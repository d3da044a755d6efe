/**
 * The uris with braces of a space as a tree of segments: maps a path to the uris that fit it, the most literal first, from left to right.
 * Knows no definitions.
 */
const BRACES = '{}';

interface Branch {
  readonly branches: Map<string, Branch>;
  /** The uri that ends here. */
  shape: string | undefined;
}

export class UriPatterns {
  readonly #root: Branch = { branches: new Map(), shape: undefined };

  /** `shapes`: uris without the names in their braces. */
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
    const found: string[] = [];
    const walk = (branch: Branch, at: number): void => {
      const segment = segments[at];
      if (segment === undefined) {
        if (branch.shape !== undefined) found.push(branch.shape);
        return;
      }
      const literal = segment === BRACES ? undefined : branch.branches.get(segment);
      if (literal !== undefined) walk(literal, at + 1);
      const braced = segment === '' ? undefined : branch.branches.get(BRACES);
      if (braced !== undefined) walk(braced, at + 1);
    };
    walk(this.#root, 0);
    return found;
  }
}
