/** The databases of the space. */
import { context } from '../../api/context.ts';
import { addressOf } from '../../app/router.ts';
import { useTitle } from '../../app/title.ts';
import { Bar } from '../../parts/bar.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Empty } from '../../parts/states.tsx';
import { targetOf } from './table-list.ts';
import { databaseAddress } from './table-target.ts';

export function Databases() {
  useTitle('Data');
  const databases = context.value?.databases ?? [];
  return (
    <>
      <Bar title="Data" />
      {databases.length === 0 ? <NoDatabases /> : null}
      <ul class="database-list">
        {databases.map(({ ref, engine, read_only }) => (
          <li key={ref}>
            <a href={databaseAddress(targetOf(ref))} data-testid="database" data-ref={ref}>
              <Icon name="database" />
              <span class="mono">{ref}</span>
              <span class="muted">{engine}</span>
              {read_only && <span class="badge">read only</span>}
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}

function NoDatabases() {
  return (
    <Empty
      action={
        context.value?.may.system === true ? (
          <a class="button" href={addressOf(['setup'])}>
            Register a database
          </a>
        ) : undefined
      }
    >
      This space has no database yet. Its tables will be here.
    </Empty>
  );
}
