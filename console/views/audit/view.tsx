/** The audit log: changes of definitions, rights, tokens and set-up, newest first. */
import { useState } from 'preact/hooks';
import { context } from '../../api/context.ts';
import { request } from '../../api/request.ts';
import { addressOf, navigate, place } from '../../app/router.ts';
import { useTitle } from '../../app/title.ts';
import { Bar } from '../../parts/bar.tsx';
import { useResource } from '../../parts/resource.ts';
import { Await, Empty } from '../../parts/states.tsx';

interface AuditRecord {
  readonly at: string;
  readonly action: string;
  readonly object: string | null;
  readonly changed: readonly string[] | string | null;
  readonly status: number;
  readonly user_id: string | null;
  readonly token_id: string | null;
  readonly space_id: string | null;
  readonly request_id: string;
}

const PAGE_SIZE = 100;
const FILTERS = [
  ['action', 'Action', 'definition.deploy or definition.*'],
  ['user_id', 'User', ''],
  ['from', 'From', '2026-01-31T00:00:00Z'],
  ['to', 'Before', '2026-02-01T00:00:00Z'],
] as const;

export function View() {
  useTitle('Audit');
  const { search } = place.value;
  const query = new URLSearchParams(search);
  const page = Number(query.get('pg') ?? '0');
  const records = useResource(
    async (signal) => {
      const sent = new URLSearchParams([...query].filter(([name]) => name !== 'pg' && name !== 'ps'));
      sent.set('pg', String(page));
      sent.set('ps', String(PAGE_SIZE));
      const answer = await request('GET', 'system/api/v1/audit', { query: sent, signal });
      return JSON.parse(answer.text) as readonly AuditRecord[];
    },
    [search],
  );
  const goTo = (to: number): void => {
    const next = new URLSearchParams(query);
    if (to === 0) next.delete('pg');
    else next.set('pg', String(to));
    show(next);
  };
  return (
    <>
      <Bar title="Audit" />
      <Filters key={search} query={query} />
      <Await of={records} what="the audit log">
        {(list) => (
          <>
            {list.length === 0 ? (
              <Empty>Changes appear here: deployed endpoints, tokens, personas, databases.</Empty>
            ) : (
              <Records records={list} />
            )}
            <nav class="pager" aria-label="Pages">
              <button type="button" disabled={page === 0} onClick={() => goTo(page - 1)}>
                Newer
              </button>
              <span class="muted">Page {page + 1}</span>
              <button type="button" disabled={list.length < PAGE_SIZE} onClick={() => goTo(page + 1)}>
                Older
              </button>
            </nav>
          </>
        )}
      </Await>
    </>
  );
}

function show(query: URLSearchParams): void {
  const text = query.toString();
  void navigate(addressOf(['audit'], text === '' ? '' : `?${text}`));
}

function Filters({ query }: { readonly query: URLSearchParams }) {
  const [values, setValues] = useState<Readonly<Record<string, string>>>(Object.fromEntries(query));
  return (
    <form
      class="audit-filters"
      aria-label="Filters"
      onSubmit={(event) => {
        event.preventDefault();
        const chosen = FILTERS.flatMap(([name]) => {
          const value = values[name]?.trim() ?? '';
          return value === '' ? [] : [[name, value] as [string, string]];
        });
        show(new URLSearchParams(chosen));
      }}
    >
      {FILTERS.map(([name, label, placeholder]) => (
        <label key={name} class="field">
          {label}
          <input
            name={name}
            value={values[name] ?? ''}
            placeholder={placeholder}
            spellcheck={false}
            {...(name === 'action' ? { 'data-search': true } : {})}
            onInput={(event) => setValues({ ...values, [name]: event.currentTarget.value })}
          />
        </label>
      ))}
      <button type="submit">Filter the log</button>
    </form>
  );
}

const textOf = (changed: AuditRecord['changed']): string => (Array.isArray(changed) ? changed.join(', ') : String(changed ?? ''));

function Records({ records }: { readonly records: readonly AuditRecord[] }) {
  const spaces = new Map(context.value?.spaces.map(({ space_id, name }) => [space_id, name]));
  return (
    // The region scrolls sideways, so the keyboard must reach it.
    <section class="scroll-x" aria-label="Audit log" tabIndex={0}>
      <table class="list">
        <thead>
          <tr>
            {['Time', 'Action', 'Object', 'Changed', 'Status', 'User', 'Space', 'Request'].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {records.map((record) => (
            <tr key={record.request_id + record.at + record.object} data-testid="audit-row" data-action={record.action}>
              <td class="nowrap">{record.at}</td>
              <td class="nowrap">
                <strong>{record.action}</strong>
              </td>
              <td>{record.object}</td>
              <td>{textOf(record.changed)}</td>
              <td class="number">{record.status}</td>
              <td class="mono muted">{record.token_id === null ? record.user_id : `token ${record.token_id}`}</td>
              <td>{record.space_id === null ? '' : (spaces.get(record.space_id) ?? record.space_id)}</td>
              <td class="mono muted">{record.request_id}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
