/** Rows before and after a write, and rows that somebody else has changed. */
import type { Kind, TableDetail } from '../../../api/types.ts';
import { keyColumns, rowKey } from '../rows/row-key.ts';
import type { RawRow } from '../rows/row-store.ts';
import { ValueText } from '../value-text.tsx';
import type { Conflict, Plan, ShownRow } from './plan.ts';

/** More rows are counted, not shown. */
const MAX_SHOWN = 50;

const kindsOf = (detail: TableDetail): ReadonlyMap<string, Kind> => new Map(detail.columns.map(({ name, kind }) => [name, kind]));

interface RowTablesProps {
  readonly plan: Plan;
  readonly after: readonly RawRow[] | undefined;
  readonly detail: TableDetail;
}

export function RowTables({ plan, after, detail }: RowTablesProps) {
  if (plan.rows.length === 0) return null;
  const keys = keyColumns(detail);
  const byKey = new Map((after ?? []).map((row) => [rowKey(keys, (name) => row.get(name)), row]));
  const afterOf = ({ key, mine }: ShownRow): RawRow | undefined =>
    byKey.get(key) ?? (plan.rows.length === 1 ? after?.[0] : undefined) ?? mine;
  const rest = plan.rows.length - MAX_SHOWN;
  return (
    <div class="review-rows">
      {plan.rows.slice(0, MAX_SHOWN).map((row) => (
        <RowTable key={row.key} row={row} after={plan.isDangerous ? undefined : afterOf(row)} detail={detail} />
      ))}
      {rest > 0 && <p class="muted">{rest} more rows are not shown.</p>}
    </div>
  );
}

interface RowTableProps {
  readonly row: ShownRow;
  readonly after: RawRow | undefined;
  readonly detail: TableDetail;
}

/** A changed row shows what changes; a new or deleted one shows all of it. */
function RowTable({ row: { key, before }, after, detail }: RowTableProps) {
  const kinds = kindsOf(detail);
  const names = [...(before ?? after ?? new Map<string, string>()).keys()].filter((name) => kinds.has(name));
  const isChanged = (name: string): boolean => before?.get(name) !== after?.get(name);
  const shown = before !== undefined && after !== undefined ? names.filter((name) => after.has(name) && isChanged(name)) : names;
  return (
    <div class="scroll-x">
      <table class="list">
        <caption class="mono">{key}</caption>
        <thead>
          <tr>
            <th scope="col">Column</th>
            {before !== undefined && <th scope="col">{after === undefined ? 'Value' : 'Before'}</th>}
            {after !== undefined && <th scope="col">After</th>}
          </tr>
        </thead>
        <tbody>
          {shown.map((name) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {before !== undefined && (
                <td>
                  <ValueText raw={before.get(name)} kind={kinds.get(name)} />
                </td>
              )}
              {after !== undefined && (
                <td class={before === undefined ? undefined : 'is-pending'}>
                  <ValueText raw={after.get(name)} kind={kinds.get(name)} />
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function ConflictTables({ conflicts, detail }: { readonly conflicts: readonly Conflict[]; readonly detail: TableDetail }) {
  const kinds = kindsOf(detail);
  return (
    <div class="review-rows">
      <p class="danger-text">
        {conflicts.length === 1 ? 'The row was changed' : `${conflicts.length} rows were changed`} since editing began. Nothing was written,
        and what you typed is kept.
      </p>
      {conflicts.slice(0, MAX_SHOWN).map(({ key, began, now, mine }) => (
        <div class="scroll-x" key={key}>
          <table class="list">
            <caption class="mono">{key}</caption>
            <thead>
              <tr>
                <th scope="col">Column</th>
                <th scope="col">When editing began</th>
                <th scope="col">Now</th>
                <th scope="col">Yours</th>
              </tr>
            </thead>
            <tbody>
              {[...began.keys()]
                .filter((name) => kinds.has(name))
                .map((name) => (
                  <tr key={name}>
                    <th scope="row">{name}</th>
                    <td>
                      <ValueText raw={began.get(name)} kind={kinds.get(name)} />
                    </td>
                    <td class={now?.get(name) === began.get(name) ? undefined : 'is-changed'}>
                      {now === undefined ? 'deleted' : <ValueText raw={now.get(name)} kind={kinds.get(name)} />}
                    </td>
                    <td class={mine.get(name) === began.get(name) ? undefined : 'is-pending'}>
                      <ValueText raw={mine.get(name)} kind={kinds.get(name)} />
                    </td>
                  </tr>
                ))}
            </tbody>
          </table>
        </div>
      ))}
    </div>
  );
}
