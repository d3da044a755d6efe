/** Fields of forms: a label, a native control, and a hint. */
import type { ComponentChildren } from 'preact';

interface FieldProps {
  readonly label: string;
  readonly hint?: string;
  readonly children: ComponentChildren;
}

export function Field({ label, hint, children }: FieldProps) {
  return (
    <label class="field">
      <span>{label}</span>
      {children}
      {hint !== undefined && <span class="faint">{hint}</span>}
    </label>
  );
}

interface TextFieldProps {
  readonly label: string;
  readonly hint?: string;
  readonly testId: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly type?: 'text' | 'password';
  readonly placeholder?: string;
  readonly isRequired?: boolean;
}

export function TextField({ label, hint, testId, value, onValue, type = 'text', placeholder, isRequired = false }: TextFieldProps) {
  return (
    <Field label={label} {...(hint === undefined ? {} : { hint })}>
      <input
        type={type as 'text'}
        data-testid={testId}
        value={value}
        placeholder={placeholder}
        required={isRequired}
        autocomplete={type === 'password' ? 'new-password' : 'off'}
        spellcheck={false}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
    </Field>
  );
}

interface SelectFieldProps {
  readonly label: string;
  readonly hint?: string;
  readonly testId: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, label: string])[];
  readonly onValue: (value: string) => void;
  readonly isDisabled?: boolean;
}

export function SelectField({ label, hint, testId, value, options, onValue, isDisabled = false }: SelectFieldProps) {
  return (
    <Field label={label} {...(hint === undefined ? {} : { hint })}>
      <select data-testid={testId} value={value} disabled={isDisabled} onChange={(event) => onValue(event.currentTarget.value)}>
        {options.map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </select>
    </Field>
  );
}

/** The message of a refused request, as the API wrote it. */
export function FormError({ error }: { readonly error: Error | undefined }) {
  if (error === undefined) return null;
  return (
    <p class="field-error" role="alert" data-testid="error">
      {error.message}
    </p>
  );
}
