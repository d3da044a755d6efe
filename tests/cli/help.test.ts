// Every command and subcommand supports `--help`.
import { expect, test, vi } from 'vitest';
import { runCommand } from '../../src/cli/commands/index.ts';

async function helpOf(...words: string[]): Promise<string> {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  try {
    expect([words, await runCommand([...words, '--help'])]).toEqual([words, 0]);
    return write.mock.calls.map(([text]) => String(text)).join('');
  } finally {
    write.mockRestore();
  }
}

const namesIn = (text: string, before: string): string[] =>
  Array.from(text.matchAll(new RegExp(`^  millrace ${before}([a-z]+)`, 'gm')), ([, name = '']) => name);

test('every command and subcommand has help', async () => {
  const commands = namesIn(await helpOf(), '');
  expect(commands.length).toBeGreaterThan(18);
  let subcommands = 0;
  for (const command of commands) {
    const text = await helpOf(command);
    expect(text).toMatch(new RegExp(`^ *millrace ${command}\\b`, 'm'));
    for (const name of namesIn(text, `${command} `)) {
      expect(await helpOf(command, name)).toMatch(new RegExp(`^ *millrace ${command} ${name}\\b`, 'm'));
      subcommands++;
    }
  }
  expect(subcommands).toBeGreaterThan(30);
});
