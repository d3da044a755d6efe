/**
 * Filters on columns as parameters. Columns with the same name, kind and example share one
 * component. Pure.
 */
import type { Column } from '../../model/table.ts';
import { memo } from '../../util/memo.ts';
import { filterExample, filterName } from '../column-schema.ts';
import { columnInQuery, plainWord } from '../names.ts';
import type { Json } from './notation.ts';
import { refTo } from './openapi-parts.ts';

/** A list of conditions that must all hold. */
export function filterSchema(column: Column): Json {
  return { type: 'array', items: refTo('schemas', filterName(column)) };
}

/** The parameter is repeated for each condition. */
function filterParameter(column: Column): Json {
  const example = filterExample(column);
  return {
    name: columnInQuery(column.name),
    in: 'query',
    style: 'form',
    explode: true,
    schema: filterSchema(column),
    ...(example === undefined ? {} : { example: [example] }),
  };
}

export class FilterParameters {
  readonly #namesByContents = new Map<string, string>();
  readonly #counts = new Map<string, number>();
  readonly #components: Record<string, Json> = {};

  /**
   * Returns the name of the column's component, and adds the component if no other column has the
   * same one.
   */
  readonly nameOf = memo((column: Column): string => {
    const contents = `${column.name}\0${filterName(column)}\0${filterExample(column)}`;
    let name = this.#namesByContents.get(contents);
    if (name === undefined) {
      name = this.#newName(column);
      this.#namesByContents.set(contents, name);
      this.#components[name] = filterParameter(column);
    }
    return name;
  });

  #newName(column: Column): string {
    const plain = `${plainWord(column.name)}.${filterName(column)}`;
    const count = (this.#counts.get(plain) ?? 0) + 1;
    this.#counts.set(plain, count);
    return count === 1 ? plain : `${plain}.${count}`;
  }

  components(): Json {
    return this.#components;
  }
}
