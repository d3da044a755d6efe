/** Warnings about valid but probably unintended definitions. Deploy and check report them. Pure. */
import type { DefinitionDocument } from '../document/document.ts';
import { placeAtOffset, type StepSource } from '../document/document-logic.ts';
import { braceNames } from '../document/uri.ts';
import type { Compiled } from '../program/compile.ts';
import type { CodeProblem } from '../steps/step.ts';

/** `others`: bare placeholders of undeclared inputs are reported as problems instead. */
export function warningsOf(compiled: Compiled, of: 'all' | 'others' = 'all'): readonly string[] {
  return [...undeclared(compiled, of), ...unread(compiled)];
}

function undeclared({ document, steps, response }: Compiled, of: 'all' | 'others'): readonly string[] {
  const known = knownInputs(document);
  if (known === undefined) return [];
  const readers = [
    ...steps.map(({ label, source, inputNames }) => ({
      reader: `step ${label}`,
      inputNames: of === 'all' ? inputNames : inputNames.filter((name) => placeholderAt(source, name) < 0),
    })),
    ...(response === undefined ? [] : [{ reader: 'response', inputNames: response.inputNames }]),
  ];
  return readers.flatMap(({ reader, inputNames }) =>
    inputNames.filter((name) => !known.has(name)).map((name) => `${reader} reads input.${name}, which input does not declare`),
  );
}

/** Names that a call may send; `undefined` if the definition accepts any. */
function knownInputs({ inputs, uri }: DefinitionDocument): ReadonlySet<string> | undefined {
  return inputs === undefined ? undefined : new Set([...inputs.keys(), ...braceNames(uri), 'version']);
}

/** Offset of `?:name` in an sql step; -1 if the step reads the input in another way. */
function placeholderAt({ kind, code }: StepSource, name: string): number {
  return kind === 'sql' ? code.search(new RegExp(`\\?:${name}(?![\\p{L}\\p{M}\\p{N}_])`, 'u')) : -1;
}

/** Bare placeholders that no call can fill, because the input declares other names. */
export function undeclaredPlaceholders({ document, steps }: Pick<Compiled, 'document' | 'steps'>): readonly CodeProblem[] {
  const known = knownInputs(document);
  if (known === undefined) return [];
  const declared = [...(document.inputs?.keys() ?? [])].join(', ');
  return steps.flatMap(({ source, label, inputNames }) =>
    inputNames
      .filter((name) => !known.has(name) && placeholderAt(source, name) >= 0)
      .map((name) => ({
        ...placeAtOffset(source, placeholderAt(source, name)),
        message: `step ${label}: ?:${name} is not an input; input declares ${declared === '' ? 'nothing' : declared}`,
        kind: 'document' as const,
        step: source.index,
      })),
  );
}

function unread({ steps, answer, read, response }: Compiled): readonly string[] {
  return steps.flatMap(({ label, sql }, index) =>
    sql?.reads === true && !read.has(index) && (index !== answer || response?.hasBody === true || response?.answersFile === true)
      ? [`the result of step ${label} is never read`]
      : [],
  );
}
