/** Warnings about valid but probably unintended definitions. Deploy and check report them. Pure. */
import { braceNames } from '../document/uri.ts';
import type { Compiled } from '../program/compile.ts';

export function warningsOf(compiled: Compiled): readonly string[] {
  return [...undeclared(compiled), ...unread(compiled)];
}

function undeclared({ document, steps, response }: Compiled): readonly string[] {
  const { inputs, uri } = document;
  if (inputs === undefined) return [];
  const known = new Set([...inputs.keys(), ...braceNames(uri), 'version']);
  const readers = [
    ...steps.map(({ label, inputNames }) => ({ reader: `step ${label}`, inputNames })),
    ...(response === undefined ? [] : [{ reader: 'response', inputNames: response.inputNames }]),
  ];
  return readers.flatMap(({ reader, inputNames }) =>
    inputNames.filter((name) => !known.has(name)).map((name) => `${reader} reads input.${name}, which input does not declare`),
  );
}

function unread({ steps, answer, read, response }: Compiled): readonly string[] {
  return steps.flatMap(({ label, sql }, index) =>
    sql?.reads === true && !read.has(index) && (index !== answer || response?.hasBody === true || response?.answersFile === true)
      ? [`the result of step ${label} is never read`]
      : [],
  );
}
