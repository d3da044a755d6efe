/**
 * The keys of `npm start`: generated once, stored in the data directory, readable by their owner
 * only.
 */
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
  /** File of the generated keys; `undefined` if the settings contain them. */
  readonly file: string | undefined;
}

/** Takes keys that the settings lack from the data directory. */
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
