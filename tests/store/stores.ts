// Temporary stores for tests: the embedded one in a folder, and PostgreSQL in a database.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { Organization } from '../../src/model/org.ts';
import type { PowerToken } from '../../src/model/power-token.ts';
import { hashToken, newToken } from '../../src/model/power-token.ts';
import { type Project, SPACE_NAMES, type Space, type SpaceScope } from '../../src/model/project.ts';
import { newUlid } from '../../src/model/ulid.ts';
import { openStore, type StoreOptions } from '../../src/store/open-store.ts';
import type { EntryDraft, Store } from '../../src/store/store.ts';

export const KEY = Buffer.alloc(32, 7);

export type Kind = 'embedded' | 'postgres';
export const KINDS: readonly Kind[] = ['embedded', 'postgres'];

/** A place for records that several stores and processes can open. */
export interface Place {
  readonly options: StoreOptions;
  /** Runs a statement directly on the database. */
  readonly sql: (text: string, values?: readonly (string | number | null)[]) => Promise<readonly Record<string, unknown>[]>;
  readonly open: (more?: Partial<StoreOptions>) => Promise<Store>;
  readonly remove: () => Promise<void>;
}

function postgresUrl(): string {
  const url = process.env['MILLRACE_TEST_PG_URL'];
  if (url === undefined || url === '')
    throw new Error('MILLRACE_TEST_PG_URL is not set: these tests need a PostgreSQL, such as postgres://postgres@127.0.0.1:5432/postgres');
  return url;
}

async function runOnce(url: string, text: string, values: readonly unknown[] = []): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url, options: '-c search_path=millrace' });
  await client.connect();
  try {
    let count = 0;
    return (
      await client.query(
        text.replace(/\?/g, () => `$${++count}`),
        [...values],
      )
    ).rows;
  } finally {
    await client.end();
  }
}

async function placeFor(kind: Kind): Promise<Omit<Place, 'open'>> {
  const admin = kind === 'postgres' ? postgresUrl() : '';
  const dataDir = mkdtempSync(join(tmpdir(), 'millrace-store-'));
  if (kind === 'embedded') {
    const { default: Database } = await import('libsql');
    const sql = async (text: string, values: readonly (string | number | null)[] = []) => {
      const database = new Database(join(dataDir, 'millrace.db'), { timeout: 5_000 });
      try {
        const statement = database.prepare(text);
        if (statement.reader) return statement.all([...values]) as Record<string, unknown>[];
        statement.run([...values]);
        return [];
      } finally {
        database.close();
      }
    };
    return { options: { dataDir, keys: [KEY] }, sql, remove: async () => rmSync(dataDir, { recursive: true, force: true }) };
  }
  const database = `millrace_test_${randomBytes(6).toString('hex')}`;
  await runOnce(admin, `CREATE DATABASE ${database}`);
  const url = new URL(admin);
  url.pathname = `/${database}`;
  return {
    options: { url: url.href, dataDir, keys: [KEY] },
    sql: (text, values) => runOnce(url.href, text, values),
    remove: async () => {
      rmSync(dataDir, { recursive: true, force: true });
      await runOnce(admin, `DROP DATABASE ${database} WITH (FORCE)`);
    },
  };
}

export async function makePlace(kind: Kind): Promise<Place> {
  const place = await placeFor(kind);
  return { ...place, open: (more = {}) => openStore({ ...place.options, ...more }) };
}

let counter = 0;

export function anOrg(more: Partial<Organization> = {}): Organization {
  counter += 1;
  return {
    orgId: newUlid(),
    name: `Org ${counter}`,
    abbreviation: `org-${counter}-${process.pid}`,
    adminEmail: null,
    adminName: null,
    address: null,
    state: null,
    country: null,
    pinCode: null,
    createdAt: new Date().toISOString(),
    createdBy: newUlid(),
    ...more,
  };
}

export function aProject(orgId: string, more: Partial<Project> = {}): Project {
  counter += 1;
  const createdAt = new Date().toISOString();
  return { projectId: newUlid(), orgId, name: `P ${counter}`, abbreviation: `p-${counter}`, description: '', createdAt, ...more };
}

export const threeSpaces = (): readonly Space[] => SPACE_NAMES.map((name) => ({ spaceId: newUlid(), name }));

export function anEntry(more: Partial<EntryDraft> = {}): EntryDraft {
  return {
    type: 'pg',
    database: 'shop',
    hosts: [{ host: 'db.internal', port: 5432 }],
    username: 'u',
    password: 'pä$$ "word"',
    tls: 'disable',
    connectTimeoutSecs: 60,
    idleTimeoutSecs: 900,
    maxOpenConnections: 50,
    maxIdleConnections: 25,
    queryTimeoutSecs: 30,
    ...more,
  };
}

export function aToken(scope: SpaceScope, more: Partial<PowerToken> = {}): PowerToken {
  counter += 1;
  return {
    orgId: scope.orgId,
    projectId: scope.projectId,
    spaceId: scope.spaceId,
    tokenId: newUlid(),
    hash: hashToken(newToken()),
    name: `token ${counter}`,
    description: '',
    keyType: 'r--',
    roles: new Set(['viewer']),
    userId: newUlid(),
    featureId: null,
    persona: null,
    claims: null,
    createdAt: new Date().toISOString(),
    expiresAt: null,
    expiresAtMs: Number.POSITIVE_INFINITY,
    ...more,
  };
}

/** An organization with a project, and the scope of its dev space. */
export async function aTenant(store: Store, entries: readonly EntryDraft[] = []): Promise<SpaceScope> {
  const org = anOrg();
  await store.createOrganization(org);
  const project = aProject(org.orgId);
  const spaces = threeSpaces();
  await store.createProject(project, spaces, entries);
  return { orgId: org.orgId, projectId: project.projectId, spaceId: spaces[0]?.spaceId ?? '' };
}
