// Audit records are written in the transaction of the change, kept for a while, and backed up.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ChangeAuthor } from '../../src/model/audit.ts';
import { newUlid } from '../../src/model/ulid.ts';
import { backUp, restore } from '../../src/store/backup.ts';
import type { Store } from '../../src/store/store.ts';
import { anOrg, aProject, KINDS, makePlace, type Place, threeSpaces } from './stores.ts';

const AUTHOR: ChangeAuthor = { userId: newUlid(), roles: new Set(['admin']), requestId: 'r-1' };
const ALL = { offset: 0, limit: 100 };

describe.each(KINDS)('the audit of the %s store', (kind) => {
  let place: Place;
  let store: Store;
  beforeEach(async () => {
    place = await makePlace(kind);
    store = await place.open();
  });
  afterEach(async () => {
    await store.close();
    await place.remove();
  });

  const actions = async (): Promise<string[]> => (await store.listAudit({}, ALL)).records.map(({ action }) => action);

  it('has a record of each change, and of nothing else', async () => {
    const org = anOrg();
    const written = store.as(AUTHOR);
    await written.createOrganization(org);
    await written.createOrganization(org);
    await written.createProject(aProject(org.orgId), threeSpaces(), []);
    await written.createProject(aProject(newUlid()), threeSpaces(), []);
    await written.changeOrganization(org.orgId, {});
    await written.changeOrganization(org.orgId, { name: 'new' });
    expect(await actions()).toEqual(['org.change', 'project.create', 'org.create']);
    expect((await store.listAudit({}, { offset: 0, limit: 1 })).records).toMatchObject([
      { action: 'org.change', object: `org_id=${org.orgId}`, changed: ['name'], requestId: 'r-1', roles: ['admin'], orgId: org.orgId },
    ]);
  });

  it('fails together with the change', async () => {
    await place.sql('ALTER TABLE audit RENAME TO audit_gone');
    const org = anOrg();
    await expect(store.as(AUTHOR).createOrganization(org)).rejects.toThrow();
    expect(await store.listOrganizations()).toEqual([]);
    await place.sql('ALTER TABLE audit_gone RENAME TO audit');
    expect(await actions()).toEqual([]);
    expect(await store.as(AUTHOR).createOrganization(org)).toEqual({ kind: 'created' });
    expect(await actions()).toEqual(['org.create']);
  });

  it('forgets records that are older than it keeps them', async () => {
    await store.as(AUTHOR).createOrganization(anOrg());
    await place.sql("UPDATE audit SET at = '2001-01-01T00:00:00.000Z'");
    expect(await actions()).toEqual([]);
    await store.as(AUTHOR).createOrganization(anOrg());
    expect(await actions()).toEqual(['org.create']);
    expect(Number((await place.sql('SELECT count(*) AS n FROM audit'))[0]?.['n'])).toBe(1);
    const silent = await place.open({ auditDays: 0 });
    await silent.as(AUTHOR).createOrganization(anOrg());
    await silent.close();
    expect(Number((await place.sql('SELECT count(*) AS n FROM audit'))[0]?.['n'])).toBe(1);
  });

  it('finds actions and texts exactly, whatever characters they have', async () => {
    const written = store.as({ ...AUTHOR, userId: "o'hara" });
    const org = anOrg();
    await written.createOrganization(org);
    const count = async (filter: Parameters<Store['listAudit']>[0]): Promise<number> => (await store.listAudit(filter, ALL)).total;
    expect(await count({ userId: "o'hara" })).toBe(1);
    expect(await count({ action: 'org.*' })).toBe(1);
    expect(await count({ action: 'org.%' })).toBe(0);
    expect(await count({ object: org.abbreviation.slice(1) })).toBe(1);
    expect(await count({ object: org.abbreviation.toUpperCase() })).toBe(0);
    expect(await count({ object: '%' })).toBe(0);
    expect(await count({ orgId: newUlid() })).toBe(0);
  });

  it('is part of a backup', async () => {
    await store.as(AUTHOR).createOrganization(anOrg());
    const before = await store.listAudit({}, ALL);
    const folder = mkdtempSync(join(tmpdir(), 'millrace-audit-'));
    const target = await makePlace('embedded');
    try {
      const file = join(folder, 'backup.db');
      expect((await backUp(place.options, file)).counts).toMatchObject({ audit: 1 });
      await restore(target.options, file, { force: false });
      const again = await target.open();
      expect(await again.listAudit({}, ALL)).toEqual(before);
      await again.close();
    } finally {
      await target.remove();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
