/** The form of a new row. Each field is a value, NULL, or the column's default. */
import { useState } from 'preact/hooks';
import type { Column } from '../../../api/types.ts';
import { Dialog } from '../../../parts/dialog.tsx';
import type { TableSession } from '../table-session.ts';
import { problemOfTyped, rawOfTyped } from './pending.ts';

type FieldState = 'value' | 'null' | 'default';

interface Field {
  readonly state: FieldState;
  readonly text: string;
}

const statesOf = ({ nullable, required }: Column): readonly FieldState[] => [
  'value',
  ...(nullable ? (['null'] as const) : []),
  ...(required ? [] : (['default'] as const)),
];

const STATE_LABELS: Readonly<Record<FieldState, string>> = { value: 'value', null: 'NULL', default: 'default' };

/** Values that may have line breaks. */
const LINES = new Set(['text', 'json', 'other']);

export function InsertForm({ session }: { readonly session: TableSession }) {
  const columns = session.detail.columns.filter(({ operations }) => operations.includes('insert'));
  const [fields, setFields] = useState<ReadonlyMap<string, Field>>(
    () => new Map(columns.map((column) => [column.name, { state: column.required ? 'value' : 'default', text: '' }])),
  );
  const [problems, setProblems] = useState<ReadonlyMap<string, string>>(new Map());
  const set = (name: string, field: Field): void => setFields(new Map(fields).set(name, field));
  const submit = async (): Promise<void> => {
    const found = new Map<string, string>();
    const values = new Map<string, string>();
    for (const column of columns) {
      const field = fields.get(column.name);
      if (field === undefined || field.state === 'default') continue;
      const problem = field.state === 'value' ? problemOfTyped(field.text, column) : undefined;
      if (problem !== undefined) found.set(column.name, problem);
      values.set(column.name, field.state === 'null' ? 'null' : rawOfTyped(field.text, column));
    }
    setProblems(found);
    if (found.size === 0) await session.reviewInsert(values);
  };
  const close = (): void => {
    session.isInserting.value = false;
  };
  return (
    <Dialog
      title={`Insert a row into ${session.target.table}`}
      testId="insert-form"
      isWide
      onClose={close}
      actions={
        <>
          <button type="button" onClick={close}>
            Cancel
          </button>
          <button type="button" class="primary" data-testid="insert-submit" onClick={() => void submit()}>
            Review the row
          </button>
        </>
      }
    >
      <div class="insert-fields">
        {columns.map((column) => (
          <FieldLine
            key={column.name}
            column={column}
            field={fields.get(column.name) ?? { state: 'default', text: '' }}
            problem={problems.get(column.name)}
            onChange={(field) => set(column.name, field)}
          />
        ))}
      </div>
    </Dialog>
  );
}

interface FieldLineProps {
  readonly column: Column;
  readonly field: Field;
  readonly problem: string | undefined;
  readonly onChange: (field: Field) => void;
}

function FieldLine({ column, field, problem, onChange }: FieldLineProps) {
  const id = `field-${column.name}`;
  const placeholder = field.state === 'value' ? undefined : field.state === 'null' ? 'NULL' : (column.default ?? 'default');
  const shared = {
    id,
    'data-testid': 'field',
    'data-column': column.name,
    'aria-invalid': problem !== undefined,
    spellcheck: false,
    value: field.state === 'value' ? field.text : '',
    placeholder,
  };
  return (
    <div class="insert-field">
      <label for={id}>
        <span class="mono">{column.name}</span> <span class="faint">{column.type}</span>
      </label>
      {column.kind === 'bool' || column.values !== undefined ? (
        <ChoiceField {...shared} column={column} field={field} onChange={onChange} />
      ) : LINES.has(column.kind) ? (
        <textarea {...shared} rows={1} onInput={(event) => onChange({ state: 'value', text: event.currentTarget.value })} />
      ) : (
        <input {...shared} autocomplete="off" onInput={(event) => onChange({ state: 'value', text: event.currentTarget.value })} />
      )}
      <select
        data-testid="field-state"
        data-column={column.name}
        aria-label={`What ${column.name} gets`}
        value={field.state}
        onChange={(event) => onChange({ ...field, state: event.currentTarget.value as FieldState })}
      >
        {statesOf(column).map((state) => (
          <option key={state} value={state}>
            {STATE_LABELS[state]}
          </option>
        ))}
      </select>
      {problem !== undefined && (
        <p class="field-error" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}

interface ChoiceFieldProps extends Omit<FieldLineProps, 'problem'> {
  readonly id: string;
  readonly placeholder: string | undefined;
}

/** A text field that proposes the values which the column takes. */
function ChoiceField({ column, field: _, onChange, ...shared }: ChoiceFieldProps) {
  const values = column.values ?? ['true', 'false'];
  const list = `${shared.id}-values`;
  return (
    <>
      <input
        {...shared}
        list={list}
        autocomplete="off"
        onInput={(event) => onChange({ state: 'value', text: event.currentTarget.value })}
      />
      <datalist id={list}>
        {values.map((value) => (
          <option key={value} value={value} />
        ))}
      </datalist>
    </>
  );
}
