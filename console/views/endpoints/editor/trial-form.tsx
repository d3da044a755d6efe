/** Fields for the input of a trial, and the roles of its caller. */
import { writeExact } from '../../../../ui/exact.ts';
import type { InputField } from './inputs.ts';

interface TrialFieldProps {
  readonly field: InputField;
  readonly text: string;
  readonly onText: (text: string) => void;
}

const WIDE = new Set(['array', 'object', 'any', 'json']);

export function TrialField({ field, text, onText }: TrialFieldProps) {
  const { name, type, isRequired, description, fallback } = field;
  const id = `try-field-${name}`;
  return (
    <div class="field">
      <label for={id}>
        <span class="field-name">{name}</span> <span class="faint">{hintOf(field)}</span>
        {isRequired && <span class="badge">required</span>}
      </label>
      <Control id={id} field={field} text={text} onText={onText} />
      {description !== undefined && <span class="faint">{description}</span>}
      {type !== 'json' && fallback !== undefined && text === '' && <span class="visually-hidden">Default {fallback}</span>}
    </div>
  );
}

function hintOf({ type, fallback }: InputField): string {
  if (type === 'json') return 'JSON object';
  return fallback === undefined ? type : `${type}, default ${fallback}`;
}

function Control({ id, field, text, onText }: TrialFieldProps & { readonly id: string }) {
  const { name, type, choices, fallback } = field;
  const shared = { id, 'data-testid': 'try-field', 'data-name': name };
  const options = type === 'boolean' ? ['true', 'false'] : choices;
  if (options !== undefined && type !== 'array')
    return (
      <select {...shared} value={text} onChange={(event) => onText(event.currentTarget.value)}>
        <option value="">not sent</option>
        {options.map((choice) => (
          <option key={choice} value={choice}>
            {choice}
          </option>
        ))}
      </select>
    );
  if (type === 'file')
    return <input {...shared} type="file" onChange={(event) => void readFile(event.currentTarget.files?.[0]).then(onText)} />;
  if (WIDE.has(type))
    return (
      <textarea
        {...shared}
        class="mono"
        rows={type === 'json' ? 5 : 2}
        spellcheck={false}
        value={text}
        onInput={(event) => onText(event.currentTarget.value)}
      />
    );
  return (
    <input
      {...shared}
      class="mono"
      autocomplete="off"
      spellcheck={false}
      placeholder={fallback ?? ''}
      value={text}
      onInput={(event) => onText(event.currentTarget.value)}
    />
  );
}

/** A file as a multipart call would pass it to the steps. */
async function readFile(file: File | undefined): Promise<string> {
  if (file === undefined) return '';
  const bytes = new Uint8Array(await file.arrayBuffer());
  const data = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  return writeExact({ filename: file.name, content_type: file.type, data });
}
