/** What is allowed in a definition and hardly meant: told at deploy and check, never refused. */
import type { Compiled } from './compile.ts';
import { braceNames } from './uri.ts';

export function warningsOf(compiled: Compiled): readonly string[] {
  return [...undeclared(compiled), ...unread(compiled)];
}

function undeclared({ document, steps }: Compiled): readonly string[] {
  const { inputs, uri } = document;
  if (inputs === undefined) return [];
  const known = new Set([...inputs.keys(), ...braceNames(uri), 'version']);
  return steps.flatMap(({ label, inputNames }) =>
    inputNames.filter((name) => !known.has(name)).map((name) => `step ${label} reads input.${name}, which input does not declare`),
  );
}

function unread({ steps, answer, read }: Compiled): readonly string[] {
  return steps.flatMap(({ label, sql }, index) =>
    sql?.reads === true && index !== answer && !read.has(index) ? [`nobody reads the result of step ${label}`] : [],
  );
}
