/** The declared types of inputs, as sql steps bind them. */
import type { SlotType } from '../../sql/template/template-binder.ts';
import type { Declaration, Declarations, DeclaredType } from './declaration.ts';

const SCALARS: Readonly<Partial<Record<DeclaredType, Exclude<SlotType, `${string}[]`>>>> = {
  integer: 'integer',
  number: 'number',
  boolean: 'boolean',
  date: 'date',
  timestamp: 'timestamp',
  uuid: 'uuid',
};

/** Type of the value at a path. `undefined` for texts and for values of any type. */
export function slotTypeOf(inputs: Declarations | undefined, [name, ...rest]: readonly (string | number)[]): SlotType | undefined {
  let declaration: Declaration | undefined = inputs?.get(String(name));
  for (const part of rest) declaration = typeof part === 'number' ? declaration?.items : declaration?.fields?.get(part);
  if (declaration === undefined) return undefined;
  const { type, items } = declaration;
  if (type !== 'array') return SCALARS[type];
  const item = items === undefined ? undefined : SCALARS[items.type];
  return item === undefined ? undefined : `${item}[]`;
}

/** A text that is equal for declarations of the same types. */
export function typesText(inputs: Declarations | undefined): string {
  return inputs === undefined ? '' : JSON.stringify([...inputs].map(([name, declaration]) => [name, shapeOf(declaration)]));
}

function shapeOf({ type, items, fields }: Declaration): unknown {
  if (items !== undefined) return [type, shapeOf(items)];
  return fields === undefined ? type : [type, [...fields].map(([name, field]) => [name, shapeOf(field)])];
}
