/**
 * Key rotation: which keys are needed, and how all secrets move to the first key of the ring. The
 * plain text of a secret does not change, so no cache becomes stale.
 */
import { definitionSecretOwner } from './records/definitions.ts';
import { entrySecretOwner } from './records/entries.ts';
import { type KeyRing, KID_LENGTH, KID_START, SecretError } from './secrets.ts';
import type { Driver, Sql } from './sql-driver.ts';
import type { RewrapProgress, RewrapReport } from './store.ts';

/** Secrets per transaction: other writers wait for at most one batch. */
const BATCH = 50;

interface SealedRow {
  readonly id: string;
  readonly org_id: string;
  readonly project_id: string;
  readonly space_id: string;
  readonly password: string;
}

interface SealedTable {
  readonly table: string;
  readonly id: string;
  readonly space: string;
  readonly owner: (row: SealedRow) => readonly string[];
}

const scopeOf = (row: SealedRow) => ({ orgId: row.org_id, projectId: row.project_id, spaceId: row.space_id });

const SEALED: readonly SealedTable[] = [
  { table: 'entries', id: 'entry_id', space: "''", owner: (row) => entrySecretOwner(scopeOf(row), row.id) },
  { table: 'definitions', id: 'definition_id', space: 'space_id', owner: (row) => definitionSecretOwner(scopeOf(row), row.id) },
];

const KID = `substr(password, ${KID_START + 1}, ${KID_LENGTH})`;

/** Ids of the keys that encrypted records. Only registered keys count. */
export async function keysNeeded(sql: Sql): Promise<readonly string[]> {
  const used = SEALED.map(({ table }) => `SELECT ${KID} FROM ${table} WHERE password IS NOT NULL`).join(' UNION ');
  const needed = await sql.all<{ kid: string }>(`SELECT kid FROM secret_keys WHERE kid IN (${used}) ORDER BY kid`);
  return needed.map(({ kid }) => kid);
}

/**
 * Refuses to start without a key that records need, and registers the key for new records. Only
 * registered keys count: a damaged key id affects its own record only.
 */
export async function checkKeys(driver: Driver, ring: KeyRing): Promise<void> {
  const absent = (await keysNeeded(driver)).filter((kid) => !ring.has(kid));
  if (absent.length > 0)
    throw new Error(
      `stored passwords are encrypted with the key ${absent.join(', ')}, which MILLRACE_ENCRYPTION_KEY does not have; ` +
        `add that key behind the first one, or bring the old setting back (the first key there is ${ring.currentKid})`,
    );
  const known = await driver.all('SELECT kid FROM secret_keys WHERE kid = ?', [ring.currentKid]);
  if (known.length > 0) return;
  await driver.write((tx) =>
    tx.all('INSERT INTO secret_keys (kid, added_at) VALUES (?, ?) ON CONFLICT (kid) DO NOTHING', [
      ring.currentKid,
      new Date().toISOString(),
    ]),
  );
}

async function rewrapBatch(
  tx: Sql,
  ring: KeyRing,
  sealed: SealedTable,
  after: string,
  unreadable: string[],
): Promise<readonly SealedRow[]> {
  const { table, id, space } = sealed;
  const rows = await tx.all<SealedRow>(
    `SELECT ${id} AS id, org_id, project_id, ${space} AS space_id, password FROM ${table}
     WHERE password IS NOT NULL AND ${KID} <> ? AND ${id} > ? ORDER BY ${id} LIMIT ${BATCH}`,
    [ring.currentKid, after],
  );
  for (const row of rows) {
    const owner = sealed.owner(row);
    try {
      const again = ring.seal(ring.open(row.password, owner), owner);
      await tx.all(`UPDATE ${table} SET password = ? WHERE org_id = ? AND project_id = ? AND ${id} = ?`, [
        again,
        row.org_id,
        row.project_id,
        row.id,
      ]);
    } catch (error) {
      if (!(error instanceof SecretError)) throw error;
      unreadable.push(`${table}/${row.id}`);
    }
  }
  return rows;
}

/** Finished work is not found again, so an interrupted run continues when it is started again. */
export async function rewrap(driver: Driver, ring: KeyRing, onProgress: (progress: RewrapProgress) => void): Promise<RewrapReport> {
  const unreadable: string[] = [];
  let visited = 0;
  for (const sealed of SEALED) {
    let after: string | undefined = '';
    while (after !== undefined) {
      const from: string = after;
      const rows = await driver.write((tx) => rewrapBatch(tx, ring, sealed, from, unreadable));
      visited += rows.length;
      after = rows.at(-1)?.id;
      if (rows.length > 0) onProgress({ rewrapped: visited - unreadable.length, unreadable: unreadable.length });
    }
  }
  return { rewrapped: visited - unreadable.length, unreadable };
}
