/**
 * Parses the arguments of a command into flags with values (`--name value`, `--name=value`),
 * switches and positionals. Rejects unknown flags.
 */
import { parseArgs } from 'node:util';
import { ConfigError } from '../../config.ts';

export class Flags {
  readonly rest: readonly string[];
  readonly #values: ReadonlyMap<string, string>;
  readonly #switches: ReadonlySet<string>;

  constructor(args: readonly string[], known: { readonly values: readonly string[]; readonly switches?: readonly string[] }) {
    const options = Object.fromEntries([
      ...known.values.map((name) => [name, { type: 'string' as const }]),
      ...(known.switches ?? []).map((name) => [name, { type: 'boolean' as const }]),
    ]);
    try {
      const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
      this.rest = positionals;
      this.#values = new Map(Object.entries(values).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])));
      this.#switches = new Set(Object.entries(values).flatMap(([name, value]) => (value === true ? [name] : [])));
    } catch (error) {
      throw new ConfigError(`${(error as Error).message.split('.', 1)[0]}.`);
    }
  }

  get(name: string): string | undefined {
    return this.#values.get(name);
  }

  required(name: string): string {
    const value = this.get(name);
    if (value === undefined) throw new ConfigError(`--${name} is missing.`);
    return value;
  }

  has(name: string): boolean {
    return this.#switches.has(name);
  }

  argument(index: number, what: string): string {
    const value = this.rest[index];
    if (value === undefined) throw new ConfigError(`${what} is missing.`);
    return value;
  }
}
