/** Checks that a field of a form only narrows what its target declares. Pure. */
import type { DeclaredType } from '../../custom/inputs/declaration.ts';
import type { FormField } from '../document/app-document.ts';
import type { Refuse } from './tables.ts';

export interface FieldTarget {
  readonly type: DeclaredType;
  readonly isRequired: boolean;
  readonly values: readonly string[] | undefined;
}

/** Types whose values are values of another type as well. */
const NARROWER: Readonly<Partial<Record<DeclaredType, readonly DeclaredType[]>>> = {
  number: ['integer'],
  string: ['integer', 'number', 'boolean', 'date', 'timestamp', 'uuid'],
};

export function checkNarrowing({ type, required, enum: values }: FormField, target: FieldTarget, refuse: Refuse): void {
  if (type !== undefined && target.type !== 'any' && type.value !== target.type && NARROWER[target.type]?.includes(type.value) !== true)
    refuse(type, `is ${type.value}, but the value must be ${target.type}`);
  if (required?.value === false && target.isRequired) refuse(required, 'is false, but the value is required');
  for (const value of values)
    if (target.values?.includes(value.value) === false) refuse(value, `is not one of ${target.values.join(', ')}`);
}
