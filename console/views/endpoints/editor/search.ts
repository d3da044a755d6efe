/** The query of the address, in which a view of an endpoint keeps what it shows. */
import { place } from '../../../app/router.ts';

/** The query with other values; empty ones are removed. */
export function searchWith(changes: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(place.value.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === '') query.delete(name);
    else query.set(name, value);
  }
  return query.size === 0 ? '' : `?${query}`;
}
