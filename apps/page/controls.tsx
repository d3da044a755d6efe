/** The controls of the inputs. Changes apply on `change`; an invalid value stays, with a message. */
import { useId } from 'preact/hooks';
import { appLocale } from './app-context.ts';
import { type Choice, useChoices } from './choices.ts';
import { instantOf, wallTime } from './dates.ts';
import type { Declaration } from './document.ts';
import { type InputState, inputs, isDefault, resetInputs, setInput } from './inputs.ts';

export function Controls() {
  const shown = inputs.value.filter(({ declaration }) => declaration.hidden !== true);
  if (shown.length === 0) return null;
  return (
    <form class="inputs" data-testid="inputs" aria-label="Inputs" onSubmit={(event) => event.preventDefault()}>
      {shown.map((input) => (
        <Control key={input.name} input={input} />
      ))}
      <button type="button" class="plain inputs-reset" data-testid="inputs-reset" disabled={isDefault.value} onClick={resetInputs}>
        Reset
      </button>
    </form>
  );
}

function Control({ input }: { readonly input: InputState }) {
  const { name, declaration, problem } = input;
  const id = useId();
  const label = declaration.label ?? name;
  const hasChoices = declaration.items?.enum !== undefined || declaration.options !== undefined;
  const isGroup = declaration.type === 'array' && hasChoices;
  const control = <Field input={input} id={id} />;
  return (
    <div class={`input input-${declaration.type}`}>
      {isGroup ? (
        <span class="label" id={`${id}-label`}>
          {label}
        </span>
      ) : (
        <label for={id}>{label}</label>
      )}
      {control}
      <span class="print-value">{input.texts.map((text) => WORDS[declaration.type]?.[text] ?? text).join(', ') || 'all'}</span>
      {problem !== undefined && (
        <span class="input-error" id={`${id}-error`} role="alert" data-testid={`input-${name}-error`}>
          {problem}
        </span>
      )}
    </div>
  );
}

interface FieldProps {
  readonly input: InputState;
  readonly id: string;
}

function Field({ input, id }: FieldProps) {
  const { name, declaration, texts, problem } = input;
  const choices = useChoices(declaration.type === 'array' ? (declaration.items ?? declaration) : declaration, declaration.options);
  const set = (next: readonly string[]): void => setInput(name, next);
  const common = {
    id,
    'data-testid': `input-${name}`,
    'aria-invalid': problem !== undefined,
    'aria-describedby': problem === undefined ? undefined : `${id}-error`,
    title: declaration.description,
  };
  if (declaration.type === 'array' && choices !== undefined) return <Checkboxes {...{ input, id, choices, onChange: set }} />;
  if (declaration.type === 'array')
    return <input {...common} type="text" value={texts.join(', ')} onChange={(event) => set(listOf(event.currentTarget.value))} />;
  if (declaration.type === 'boolean' && declaration.required === true)
    return (
      <input {...common} type="checkbox" checked={texts[0] === 'true'} onChange={(event) => set([String(event.currentTarget.checked)])} />
    );
  const options = declaration.type === 'boolean' ? YES_NO : choices;
  if (options !== undefined)
    return (
      <select {...common} value={texts[0] ?? ''} onChange={(event) => set(one(event.currentTarget.value))}>
        <option value="">{declaration.required === true ? 'Choose…' : 'all'}</option>
        {texts[0] !== undefined && !options.some(({ value }) => value === texts[0]) && <option value={texts[0]}>{texts[0]}</option>}
        {options.map(({ value, text }) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    );
  // Controls of times cannot show a text that is not a time.
  const [text = ''] = texts;
  const kind = text !== '' && problem !== undefined ? 'text' : (CONTROLS[declaration.type] ?? 'text');
  const isTime = kind === 'datetime-local';
  const { zone } = appLocale();
  return (
    <input
      {...common}
      key={kind}
      type={kind as 'text'}
      step={isTime ? 'any' : undefined}
      inputMode={modeOf(declaration)}
      value={isTime && text !== '' ? wallTime(text, zone) : text}
      spellcheck={false}
      autocomplete="off"
      onChange={({ currentTarget: { value } }) => set(one(isTime && value !== '' ? instantOf(value, zone) : value))}
    />
  );
}

const CONTROLS: Readonly<Record<string, string>> = { date: 'date', timestamp: 'datetime-local' };

const YES_NO: readonly Choice[] = [
  { value: 'true', text: 'yes' },
  { value: 'false', text: 'no' },
];

const one = (text: string): readonly string[] => (text === '' ? [] : [text]);
const listOf = (text: string): readonly string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

const WORDS: Readonly<Record<string, Readonly<Record<string, string>>>> = { boolean: { true: 'yes', false: 'no' } };

const modeOf = ({ type }: Declaration): 'decimal' | 'numeric' | undefined =>
  type === 'number' ? 'decimal' : type === 'integer' ? 'numeric' : undefined;

interface CheckboxesProps {
  readonly input: InputState;
  readonly id: string;
  readonly choices: readonly Choice[];
  readonly onChange: (texts: readonly string[]) => void;
}

function Checkboxes({ input: { name, texts }, id, choices, onChange }: CheckboxesProps) {
  const toggle = (value: string): void =>
    onChange(
      texts.includes(value)
        ? texts.filter((text) => text !== value)
        : choices.map((choice) => choice.value).filter((item) => item === value || texts.includes(item)),
    );
  return (
    <div class="checkboxes" role="group" aria-labelledby={`${id}-label`} data-testid={`input-${name}`}>
      {choices.map(({ value, text }) => (
        <label key={value}>
          <input type="checkbox" value={value} checked={texts.includes(value)} onChange={() => toggle(value)} /> {text}
        </label>
      ))}
    </div>
  );
}
