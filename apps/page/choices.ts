/** Choices of an input or a field: those of its `enum`, or rows. */
import { useEffect, useState } from 'preact/hooks';
import type { Declaration, Options } from './document.ts';
import { inputNamesIn, textOf, valueAt } from './fill.ts';
import { generation } from './generation.ts';
import { inputOf } from './inputs.ts';
import { dataUrl, isTable, type Pair, readRows } from './rows.ts';

export interface Choice {
  readonly value: string;
  readonly text: string;
}

const MAX_CHOICES = 1000;

/** `undefined` if the value is free; empty until the rows have arrived. */
export function useChoices(declaration: Pick<Declaration, 'enum'>, options: Options | undefined): readonly Choice[] | undefined {
  const [rows, setRows] = useState<readonly Choice[]>([]);
  const needs = inputNamesIn(options).map((name) => inputOf(name)?.texts);
  useEffect(() => {
    if (options === undefined) return;
    let isCurrent = true;
    readChoices(options).then(
      (found) => isCurrent && setRows(found),
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [options, JSON.stringify(needs), generation.value]);
  if (options !== undefined) return rows;
  return declaration.enum?.map((value) => ({ value: String(value), text: String(value) }));
}

async function readChoices(options: Options): Promise<readonly Choice[]> {
  const { value, text = value } = options;
  const paging: readonly Pair[] = isTable(options.from)
    ? [
        ['pg', '0'],
        ['ps', String(MAX_CHOICES)],
      ]
    : [];
  const { rows } = await readRows(await dataUrl(options, paging));
  const choices = rows.slice(0, MAX_CHOICES).map((row) => ({
    value: textOf(valueAt(row, value) ?? ''),
    text: textOf(valueAt(row, text) ?? ''),
  }));
  // Rows of a table may repeat a value; each is offered once.
  return [...new Map(choices.map((choice) => [choice.value, choice])).values()];
}
