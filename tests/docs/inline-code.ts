// Inline code: sends requests that have values, and compares commands with the help.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Page } from '../support/documents.ts';
import type { Demo } from './demo.ts';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const run = promisify(execFile);

interface Tried {
  readonly tried: number;
  readonly problems: readonly string[];
}

/**
 * `GET …/users?pg=0&ps=20`: a table of the demo or a whole path. Code without values is a pattern.
 */
const REQUEST = /^(GET|PUT|DELETE) ((?:…|\/svc|\/demo)\/[^\s{}<>…]*\?[^\s…]*=[^\s…]*)$/;
const FORM = /=(?:[A-Z_]+)?(?:&|$)/;
const TABLES = '/svc/api/rest/auto/v1/demo/shop/pg/shop';

export async function runInlineRequests(demo: Demo, page: Page): Promise<Tried> {
  const problems: string[] = [];
  const requests = page.spans.flatMap(({ line, text }) => {
    const [, method, path] = REQUEST.exec(text) ?? [];
    return method === undefined || path === undefined || (FORM.test(path) && !path.endsWith('$after=')) ? [] : [{ line, method, path }];
  });
  for (const { line, method, path } of requests) {
    const target = path.startsWith('…') ? TABLES + path.slice(1) : path;
    const answer = await demo.service.request(
      method,
      method === 'GET' || target.includes('$dry_run') ? target : `${target}&$dry_run=true`,
      { headers: demo.headers },
    );
    if (answer.status > 299) problems.push(`${page.file}:${line}: ${method} ${path} answers ${answer.status}: ${answer.text}`);
  }
  return { tried: requests.length, problems };
}

const helps = new Map<string, Promise<string>>();

/** Help of a command, read once. */
function helpOf(words: readonly string[]): Promise<string> {
  const key = words.join(' ');
  const known = helps.get(key);
  if (known !== undefined) return known;
  const asked = run(process.execPath, [MAIN, ...words, '--help']).then(
    ({ stdout }) => stdout,
    (error: { stderr?: string }) => `refused: ${error.stderr ?? ''}`,
  );
  helps.set(key, asked);
  return asked;
}

export async function runInlineCommands(page: Page): Promise<Tried> {
  const spans = page.spans.filter(({ text }) => /^(?:npx )?millrace [a-z]/.test(text));
  const all = await Promise.all(
    spans.map(async ({ line, text }) => {
      const words = text.replace(/^(?:npx )?millrace /, '').split(/\s+/);
      const [name = '', verb = ''] = words;
      const general = await helpOf([]);
      const usage = new RegExp(`^ +(?:millrace )?${name}\\b(.*)$`, 'm').exec(general);
      if (usage === null) return [`${page.file}:${line}: there is no command ${name}`];
      // Only commands with subcommands have their own help; others would start to work.
      if (!/^[a-z]+$/.test(verb) || !new RegExp(`\\b${verb}\\b`).test(usage[1] ?? '')) return [];
      const help = (await helpOf([name]))
        .split('\n')
        .filter((row) => row.includes(` ${name} ${verb} `) || row.startsWith('  --'))
        .join('\n');
      const flags = words.flatMap((word) => /^--[a-z-]+/.exec(word)?.[0] ?? []);
      return flags.filter((flag) => !help.includes(flag)).map((flag) => `${page.file}:${line}: ${text} has no ${flag}`);
    }),
  );
  return { tried: spans.length, problems: all.flat() };
}
