/** Confirms irreversible commands: the name must be repeated, as a flag or at the prompt. */
import { createInterface } from 'node:readline/promises';
import { ConfigError } from '../../config.ts';
import type { Flags } from './client-flags.ts';

export async function confirmDeletion(flags: Flags, what: string, abbreviation: string): Promise<void> {
  const typed = flags.get('confirm') ?? (await ask(what, abbreviation));
  if (typed !== abbreviation)
    throw new ConfigError(
      `${what} is not deleted: --confirm says ${JSON.stringify(typed)}, its abbreviation is ${JSON.stringify(abbreviation)}.`,
    );
}

async function ask(what: string, abbreviation: string): Promise<string> {
  if (!process.stdin.isTTY) throw new ConfigError(`${what} is deleted for good: repeat its abbreviation with --confirm ${abbreviation}.`);
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await prompt.question(`${what} is deleted for good. Type ${abbreviation} to go on: `)).trim();
  } finally {
    prompt.close();
  }
}
