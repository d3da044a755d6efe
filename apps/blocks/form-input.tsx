/** One field of a form, with its label, help and message. */
import { useChoices } from '../page/choices.ts';
import type { FormField } from './form-target.ts';

interface FormInputProps {
  readonly id: string;
  readonly field: FormField;
  readonly text: string;
  readonly problem: string | undefined;
  readonly onText: (text: string) => void;
}

export function FormInput({ id, field, text, problem, onText }: FormInputProps) {
  const { name, label, help, declaration } = field;
  const notes = [problem === undefined ? '' : `${id}-error`, help === undefined ? '' : `${id}-help`]
    .filter((note) => note !== '')
    .join(' ');
  return (
    <div class="form-field">
      <label for={id}>
        {label}
        {declaration.required === true && <span class="required"> (required)</span>}
      </label>
      <Control {...{ id, field, text, onText, notes }} isInvalid={problem !== undefined} />
      {help !== undefined && (
        <span class="faint" id={`${id}-help`}>
          {help}
        </span>
      )}
      {problem !== undefined && (
        <span class="input-error" id={`${id}-error`} role="alert" data-testid={`field-${name}-error`}>
          {problem}
        </span>
      )}
    </div>
  );
}

interface ControlProps extends Omit<FormInputProps, 'problem'> {
  readonly notes: string;
  readonly isInvalid: boolean;
}

function Control({ id, field, text, onText, notes, isInvalid }: ControlProps) {
  const { name, declaration, isMultiline } = field;
  const choices = useChoices(declaration, declaration.options);
  const common = {
    id,
    'data-testid': `field-${name}`,
    'data-field': name,
    'aria-invalid': isInvalid,
    'aria-describedby': notes === '' ? undefined : notes,
    'aria-required': declaration.required === true,
  };
  if (declaration.type === 'boolean' && declaration.required === true)
    return (
      <input {...common} type="checkbox" checked={text === 'true'} onChange={(event) => onText(String(event.currentTarget.checked))} />
    );
  const options = declaration.type === 'boolean' ? YES_NO : choices;
  if (options !== undefined)
    return (
      <select {...common} value={text} onChange={(event) => onText(event.currentTarget.value)}>
        <option value="">—</option>
        {text !== '' && !options.some(({ value }) => value === text) && <option value={text}>{text}</option>}
        {options.map(({ value, text: shown }) => (
          <option key={value} value={value}>
            {shown}
          </option>
        ))}
      </select>
    );
  if (isMultiline) return <textarea {...common} rows={3} value={text} onInput={(event) => onText(event.currentTarget.value)} />;
  return (
    <input
      {...common}
      type={(declaration.type === 'date' ? 'date' : 'text') as 'text'}
      inputMode={MODES[declaration.type]}
      value={text}
      autocomplete="off"
      spellcheck={false}
      onInput={(event) => onText(event.currentTarget.value)}
    />
  );
}

const MODES: Readonly<Record<string, 'decimal' | 'numeric'>> = { number: 'decimal', integer: 'numeric' };

const YES_NO = [
  { value: 'true', text: 'yes' },
  { value: 'false', text: 'no' },
];
