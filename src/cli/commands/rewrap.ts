/**
 * `millrace rewrap`: re-encrypts all secrets with the first key after a rotation. Can be
 * interrupted and repeated.
 */
import { type Config, ConfigError } from '../../config.ts';
import { openStore } from '../../store/open-store.ts';

export async function rewrapCommand(config: Config): Promise<number> {
  if (config.encryptionKeys.length === 0)
    throw new ConfigError('MILLRACE_ENCRYPTION_KEY is not set; give the new key first and the old ones after it.');
  const store = await openStore({
    ...(config.storeUrl === 'embedded' ? {} : { url: config.storeUrl }),
    dataDir: config.dataDir,
    keys: config.encryptionKeys,
  });
  try {
    const report = await store.rewrap(({ rewrapped }) => process.stderr.write(`\rrewrapped ${rewrapped}`));
    process.stderr.write('\n');
    process.stdout.write(`rewrapped ${report.rewrapped} secrets, ${report.unreadable.length} unreadable\n`);
    for (const record of report.unreadable) process.stdout.write(`unreadable: ${record}\n`);
    return report.unreadable.length === 0 ? 0 : 1;
  } finally {
    await store.close();
  }
}
