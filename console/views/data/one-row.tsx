/** One row: its values, and the rows that are related to it. */
import { request } from '../../api/request.ts';
import type { Relation, TableDetail } from '../../api/types.ts';
import { useTitle } from '../../app/title.ts';
import { Bar } from '../../parts/bar.tsx';
import { Icon } from '../../parts/icon.tsx';
import { useResource } from '../../parts/resource.ts';
import { Await } from '../../parts/states.tsx';
import { quoteValue } from './query/items.ts';
import { writePairs } from './query/query.ts';
import { plainText } from './rows/cell-text.ts';
import { layOut } from './rows/json-layout.ts';
import { readRow } from './rows/read-rows.ts';
import { filterOfKeys, keyColumns, rowKey } from './rows/row-key.ts';
import { readRows } from './rows/row-page.ts';
import type { RawRow } from './rows/row-store.ts';
import { Crumbs } from './table-page.tsx';
import { autoPath, readDetail, rowAddress, type TableTarget, tableAddress } from './table-target.ts';
import { ValueText } from './value-text.tsx';

interface Loaded {
  readonly detail: TableDetail;
  readonly row: RawRow;
}

export function OneRow({ target, rowKey: key }: { readonly target: TableTarget; readonly rowKey: string }) {
  useTitle(`${target.table} ${key}`);
  const loaded = useResource(async (signal): Promise<Loaded> => {
    const [detail, { row }] = await Promise.all([readDetail(target, signal), readRow(target, key, signal)]);
    return { detail, row };
  }, []);
  return (
    <>
      <Bar title={<Crumbs target={target} behind={key} />} />
      <Await of={loaded} what="the row">
        {({ detail, row }) => (
          <div class="one-row">
            <Values target={target} detail={detail} row={row} />
            <RelatedRows target={target} detail={detail} row={row} rowKey={key} />
          </div>
        )}
      </Await>
    </>
  );
}

interface RowProps extends Loaded {
  readonly target: TableTarget;
}

function Values({ target, detail, row }: RowProps) {
  const filter = writePairs([filterOfKeys(keyColumns(detail), [(name) => row.get(name)])]);
  return (
    <section class="section" aria-label="Values">
      <dl class="row-values">
        {detail.columns
          .filter(({ name }) => row.has(name))
          .map((column) => (
            <div key={column.name}>
              <dt>
                {column.primary_key && <Icon name="key" size={12} />} <span class="mono">{column.name}</span>{' '}
                <span class="faint">{column.type}</span>
              </dt>
              <dd>
                <WholeValue raw={row.get(column.name)} column={column} />
              </dd>
            </div>
          ))}
      </dl>
      <p>
        <a class="button" href={tableAddress(target, filter)}>
          Show the row in the grid
        </a>
      </p>
    </section>
  );
}

/** Longer than in a cell: up to this many characters. */
const MAX_WHOLE = 10_000;

function WholeValue({ raw, column }: { readonly raw: string | undefined; readonly column: TableDetail['columns'][number] }) {
  const isWhole = raw !== undefined && raw !== 'null' && raw !== '""' && column.kind !== 'bytes' && raw.length < MAX_WHOLE;
  if (!isWhole) return <ValueText raw={raw} kind={column.kind} />;
  return <span class="value whole">{column.kind === 'json' ? layOut(raw) : plainText(raw, column.kind)}</span>;
}

/** Relations that are read in one request; the API takes ten items. */
const MAX_RELATIONS = 10;
const SHOWN_ROWS = 10;

interface RelatedProps extends RowProps {
  readonly rowKey: string;
}

function RelatedRows({ target, detail, row, rowKey: key }: RelatedProps) {
  const relations = detail.relations.slice(0, MAX_RELATIONS);
  const related = useResource(async (signal) => (relations.length === 0 ? undefined : readRelated(target, key, relations, signal)), []);
  if (relations.length === 0) return null;
  return (
    <section class="section" aria-label="Related rows">
      <h2>Related rows</h2>
      <Await of={related} what="related rows">
        {(found) =>
          relations.map((relation, at) => (
            <RelatedTable
              key={relation.name}
              target={{ ...target, table: relation.table }}
              relation={relation}
              row={row}
              json={found?.get(nameOf(at)) ?? 'null'}
            />
          ))
        }
      </Await>
    </section>
  );
}

/** Names in the response. No column begins so. */
const nameOf = (at: number): string => `related rows ${at}`;

async function readRelated(target: TableTarget, key: string, relations: readonly Relation[], signal: AbortSignal): Promise<RawRow> {
  const items = relations.map(({ name, kind }, at) => `"${nameOf(at)}":${name}${kind === 'many' ? `($ps=${SHOWN_ROWS})` : ''}`);
  const answer = await request('GET', autoPath(target, key), {
    query: writePairs([['$expand', items.join(',')]]).slice(1),
    signal,
    asPersona: true,
  });
  const page = readRows(`[${answer.text}]`);
  return new Map(page.columns.map((name, column) => [name, page.raw(0, column) ?? 'null']));
}

interface RelatedTableProps {
  readonly target: TableTarget;
  readonly relation: Relation;
  readonly row: RawRow;
  readonly json: string;
}

function RelatedTable({ target, relation, row, json }: RelatedTableProps) {
  const page = json === 'null' ? undefined : readRows(json.startsWith('[') ? json : `[${json}]`);
  const search = searchOf(relation, row);
  return (
    <section class="related" aria-label={relation.name}>
      <h3>
        <span class="mono">{relation.name}</span> <span class="badge">{relation.kind}</span>
        {search !== undefined && <a href={tableAddress(target, search)}>Open in the grid</a>}
      </h3>
      {page === undefined || page.rowCount === 0 ? (
        <p class="faint">{relation.kind === 'one' ? 'No row.' : 'No rows.'}</p>
      ) : (
        <RelatedList target={target} page={page} />
      )}
      {page?.rowCount === SHOWN_ROWS && <p class="faint">The first {SHOWN_ROWS} rows.</p>}
    </section>
  );
}

/** The filter of the rows beyond a relation; `undefined` behind a junction. */
function searchOf({ columns, references, through }: Relation, row: RawRow): string | undefined {
  if (through !== undefined) return undefined;
  const raws = columns.map((name) => row.get(name));
  if (raws.some((raw) => raw === undefined || raw === 'null')) return undefined;
  return writePairs(references.map((name, at) => [name, `eq.${quoteValue(plainText(raws[at], undefined))}`]));
}

function RelatedList({ target, page }: { readonly target: TableTarget; readonly page: ReturnType<typeof readRows> }) {
  const detail = useResource((signal) => readDetail(target, signal), []);
  const { columns = [] } = detail.value ?? {};
  const keys = detail.value === undefined ? [] : keyColumns(detail.value);
  const kinds = new Map(columns.map(({ name, kind }) => [name, kind]));
  const rows = Array.from({ length: page.rowCount }, (_, row) => row);
  const keyOf = (row: number): string | undefined => rowKey(keys, (name) => page.raw(row, page.columns.indexOf(name)));
  return (
    <div class="scroll-x">
      <table class="list">
        <thead>
          <tr>
            {page.columns.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
            <th scope="col">
              <span class="visually-hidden">Open</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row}>
              {page.columns.map((name, column) => (
                <td key={name}>
                  <ValueText raw={page.raw(row, column)} kind={kinds.get(name)} />
                </td>
              ))}
              <td>
                <OpenLink target={target} rowKey={keyOf(row)} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function OpenLink({ target, rowKey: key }: { readonly target: TableTarget; readonly rowKey: string | undefined }) {
  if (key === undefined) return null;
  return (
    <a href={rowAddress(target, key)} aria-label={`Open the row ${key} of ${target.table}`}>
      Open
    </a>
  );
}
