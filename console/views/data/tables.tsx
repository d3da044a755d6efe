/** The tables of a database, with a search that needs no request. */
import { useState } from 'preact/hooks';
import { context } from '../../api/context.ts';
import type { TableItem } from '../../api/types.ts';
import { addressOf, navigate } from '../../app/router.ts';
import { useTitle } from '../../app/title.ts';
import { Bar } from '../../parts/bar.tsx';
import { Icon } from '../../parts/icon.tsx';
import { useResource } from '../../parts/resource.ts';
import { Await, Empty } from '../../parts/states.tsx';
import { searchTables, tablesOf } from './table-list.ts';
import { type DatabaseTarget, databaseAddress, tableAddress } from './table-target.ts';

/** More are found by typing. */
const MAX_SHOWN = 300;

export function Tables({ target }: { readonly target: DatabaseTarget }) {
  const ref = `${target.dbType}/${target.schema}`;
  useTitle(ref);
  const tables = useResource((signal) => tablesOf(target, signal, { isFresh: true }), [ref]);
  return (
    <>
      <Bar
        title={
          <>
            <a class="crumb" href={addressOf(['data'])}>
              Data
            </a>{' '}
            <span class="mono">{ref}</span>
          </>
        }
        actions={target.dbType === 'pg' && <SchemaField target={target} />}
      />
      <Await of={tables} what="the tables">
        {(found) => <TableList target={target} tables={found} />}
      </Await>
    </>
  );
}

interface TableListProps {
  readonly target: DatabaseTarget;
  readonly tables: readonly TableItem[];
  /** Name of the table that is shown. */
  readonly current?: string;
}

export function TableList({ target, tables, current }: TableListProps) {
  const [text, setText] = useState('');
  const found = searchTables(tables, text);
  const rest = found.length - MAX_SHOWN;
  if (tables.length === 0) return <Empty>This database has no tables that you may see. Create one in the database itself.</Empty>;
  return (
    <div class="table-list">
      <input
        type="search"
        data-testid="table-search"
        data-search
        aria-label="Search tables"
        placeholder={`Search ${tables.length === 1 ? '1 table' : `${tables.length} tables`}`}
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          const [first] = found;
          if (event.key === 'Enter' && first !== undefined) void navigate(tableAddress({ ...target, table: first.table }));
        }}
      />
      <p class="visually-hidden" role="status">
        {found.length} tables
      </p>
      <ul>
        {found.slice(0, MAX_SHOWN).map(({ table, type }) => (
          <li key={table}>
            <a
              href={tableAddress({ ...target, table })}
              data-testid="table"
              data-table={table}
              aria-current={table === current ? 'page' : undefined}
            >
              <Icon name={type === 'view' ? 'eye' : 'data'} />
              <span class="table-name">{table}</span>
              {type === 'view' && <span class="badge">view</span>}
            </a>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p class="faint table-note">No table matches.</p>}
      {rest > 0 && <p class="faint table-note">{rest} more. Type to find them.</p>}
    </div>
  );
}

/** Opens another schema of a PostgreSQL database. */
function SchemaField({ target: { dbType, schema } }: { readonly target: DatabaseTarget }) {
  const database = context.value?.databases.find(({ ref }) => {
    const name = ref.slice(ref.indexOf('/') + 1);
    return ref.startsWith(`${dbType}/`) && (schema === name || schema.startsWith(`${name}.`));
  });
  const name = database?.ref.slice(database.ref.indexOf('/') + 1) ?? schema;
  const [text, setText] = useState(schema.slice(name.length + 1));
  return (
    <form
      class="schema-form"
      onSubmit={(event) => {
        event.preventDefault();
        const typed = text.trim();
        void navigate(databaseAddress({ dbType, schema: typed === '' || typed === 'public' ? name : `${name}.${typed}` }));
      }}
    >
      <label>
        Schema{' '}
        <input
          value={text}
          placeholder="public"
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <button type="submit">Open the schema</button>
    </form>
  );
}
