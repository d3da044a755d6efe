/**
 * Compiles the preset values of columns (`set` of a persona). They are checked like any other
 * value.
 */
import type { Preset, Subject } from '../auto/plan/access.ts';
import { fromText, InvalidValue } from '../auto/plan/values.ts';
import type { PresetValue } from '../model/persona.ts';
import type { Column } from '../model/table.ts';
import type { ParamValue } from '../sql/statement.ts';
import { writeJson } from '../util/json/json.ts';
import type { PlainValue } from '../util/text/decimal.ts';
import { callerValue, textOfValue } from './caller-values.ts';
import { claimError } from './rule-binder.ts';

/** Throws InvalidValue if a fixed value does not fit. */
export function compilePreset(column: Column, preset: PresetValue): Preset {
  if (preset.from === 'document') {
    const value = storable(column, preset.value);
    return { column, valueFor: () => value };
  }
  const { name } = preset;
  return { column, valueFor: (subject) => fromCaller(column, name, subject) };
}

function fromCaller(column: Column, name: string, subject: Subject): ParamValue {
  const value = callerValue(subject.caller, name);
  if (value === undefined) throw claimError(subject, name, 'which you do not have');
  try {
    if (value === null) throw new InvalidValue('it must not be null');
    return storable(column, value);
  } catch (error) {
    if (error instanceof InvalidValue) throw claimError(subject, name, `and yours does not fit: ${error.message}`);
    throw error;
  }
}

function storable(column: Column, value: PlainValue): ParamValue {
  if (value === null) {
    if (!column.nullable) throw new InvalidValue('it must not be null');
    return null;
  }
  if (column.kind === 'json') return writeJson(value);
  if (typeof value === 'boolean' && column.takesBooleans === true) return value ? '1' : '0';
  const text = textOfValue(value);
  if (text === undefined) throw new InvalidValue('it must be a single value');
  return fromText(column, text, 'store');
}
