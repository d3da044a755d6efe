/**
 * `millrace backup` and `millrace restore`: all records of a service in one file, and back.
 * Requires neither the running service nor the encryption key.
 */
import { createReadStream, createWriteStream, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type Config, ConfigError, loadConfig } from '../../config.ts';
import { type BackupReport, backUp, restore, type StorePlace } from '../../store/backup.ts';
import { keyId } from '../../store/secrets.ts';
import { Flags } from '../client/client-flags.ts';
import { withKeys } from '../demo/demo-keys.ts';

const placeOf = ({ storeUrl, dataDir }: Config): StorePlace => ({ dataDir, ...(storeUrl === 'embedded' ? {} : { url: storeUrl }) });

/** Tables listed in the report; all others are included as well. */
const SHOWN: Readonly<Record<string, string>> = {
  organizations: 'organizations',
  projects: 'projects',
  entries: 'databases',
  definitions: 'definitions',
  lark_modules: 'modules',
  personas: 'personas',
  apps: 'apps',
  tokens: 'tokens',
  audit: 'audit records',
};

function summary({ counts, format }: BackupReport): string {
  const parts = Object.entries(SHOWN).flatMap(([table, name]) => (counts[table] === undefined ? [] : [`${counts[table]} ${name}`]));
  return `${parts.join(', ')} (format ${format})`;
}

/** Provides a temporary file for a pipe. */
async function withTemporary(work: (file: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-backup-'));
  try {
    await work(join(folder, 'backup.db'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const say = (line: string): void => void process.stderr.write(`${line}\n`);

export async function backupCommand(args: readonly string[]): Promise<number> {
  const flags = new Flags(args, { values: [], switches: ['force'] });
  const file = flags.argument(0, 'the file to write, or - for stdout,');
  const place = placeOf(loadConfig().config);
  if (file === '-') {
    await withTemporary(async (temporary) => {
      const report = await backUp(place, temporary);
      await pipeline(createReadStream(temporary), process.stdout, { end: false });
      say(`backed up ${summary(report)}`);
    });
    return 0;
  }
  if (existsSync(file) && !flags.has('force')) throw new ConfigError(`${file} is there already; --force replaces it.`);
  const report = await backUp(place, file);
  say(`${file}: ${summary(report)}, ${statSync(file).size} bytes`);
  return 0;
}

export async function restoreCommand(args: readonly string[]): Promise<number> {
  const flags = new Flags(args, { values: [], switches: ['force'] });
  const file = flags.argument(0, 'the backup, or - for stdin,');
  const { config } = loadConfig();
  const options = { force: flags.has('force') };
  if (file !== '-') {
    if (!existsSync(file)) throw new ConfigError(`${file} is not there.`);
    tell(config, await restore(placeOf(config), file, options));
    return 0;
  }
  await withTemporary(async (temporary) => {
    await pipeline(process.stdin, createWriteStream(temporary, { mode: 0o600 }));
    tell(config, await restore(placeOf(config), temporary, options));
  });
  return 0;
}

function tell(config: Config, report: BackupReport): void {
  say(`restored ${summary(report)}`);
  if (report.aside !== undefined) say(`the store that was there is now ${report.aside}`);
  // `npm start` keeps its keys in the data directory. Generating new ones here would hide that they
  // are missing.
  const kept = existsSync(join(config.dataDir, 'keys.json')) ? withKeys(config).config : config;
  const known = new Set(kept.encryptionKeys.map(keyId));
  const absent = report.keys.filter((kid) => !known.has(kid));
  if (absent.length > 0)
    say(`its passwords need the encryption key ${absent.join(', ')}: set MILLRACE_ENCRYPTION_KEY before the service starts`);
}
