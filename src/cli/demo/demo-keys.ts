/** The keys of `npm start`: made once, kept in the data directory for nobody else to read. */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config.ts';
import { writePrivateFile } from '../terminal/private-file.ts';

interface Kept {
  readonly server_key: string;
  readonly encryption_key: string;
}

export interface Keyed {
  readonly config: Config;
  /** Where made keys are kept; undefined when the settings gave them. */
  readonly file: string | undefined;
}

/** What the settings do not give is taken from the data directory. */
export function withKeys(config: Config): Keyed {
  if (config.serverKeys.length > 0 && config.encryptionKeys.length > 0) return { config, file: undefined };
  const file = join(config.dataDir, 'keys.json');
  const kept = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Kept) : makeKeys(config.dataDir, file);
  return {
    file,
    config: {
      ...config,
      serverKeys: config.serverKeys.length > 0 ? config.serverKeys : [kept.server_key],
      encryptionKeys: config.encryptionKeys.length > 0 ? config.encryptionKeys : [Buffer.from(kept.encryption_key, 'base64')],
    },
  };
}

function makeKeys(folder: string, file: string): Kept {
  const kept = { server_key: randomBytes(32).toString('base64url'), encryption_key: randomBytes(32).toString('base64') };
  mkdirSync(folder, { recursive: true });
  writePrivateFile(file, `${JSON.stringify(kept, undefined, 2)}\n`);
  return kept;
}
