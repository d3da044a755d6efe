// Documentation pages as data: code blocks, inline code, headings and links. Reads the subset of
// Markdown that the project uses. Must not interpret the code.
import { posix } from 'node:path';
import { projectFiles, readProjectFile } from './sources.ts';

export interface Fence {
  readonly page: string;
  /** Line number of its first line, from 1. */
  readonly line: number;
  readonly language: string;
  readonly text: string;
  /** `true` if only blank lines separate it from the block before. */
  readonly isAttached: boolean;
}

/** Inline code. */
export interface Span {
  readonly page: string;
  readonly line: number;
  readonly text: string;
}

export interface Page {
  readonly file: string;
  readonly fences: readonly Fence[];
  readonly spans: readonly Span[];
  readonly headings: readonly string[];
  readonly links: readonly { readonly line: number; readonly target: string }[];
}

/** Languages of blocks that tests/docs can run. */
export const LANGUAGES = ['sh', 'yaml', 'json', 'expr', 'python', 'sql', 'ts', 'mcp', 'nginx', 'text'] as const;

/** README, docs and examples, which tests/docs runs. */
export const userPages = (): readonly string[] =>
  projectFiles().filter((file) => file === 'README.md' || /^(?:docs|examples)\/.*\.md$/.test(file));

export const allPages = (): readonly string[] => projectFiles().filter((file) => file.endsWith('.md'));

export function readPage(file: string): Page {
  const fences: Fence[] = [];
  const spans: Span[] = [];
  const headings: string[] = [];
  const links: { line: number; target: string }[] = [];
  const lines = readProjectFile(file).split('\n');
  let open: { readonly line: number; readonly language: string; readonly mark: string; readonly text: string[] } | undefined;
  let lastEnd = -10;
  lines.forEach((line, index) => {
    const mark = /^\s*(```+)\s*(.*?)\s*$/.exec(line);
    if (open !== undefined) {
      if (mark?.[1] === open.mark && mark[2] === '') {
        const isAttached = lines.slice(lastEnd + 1, open.line - 2).every((between) => between.trim() === '') && lastEnd >= 0;
        fences.push({ page: file, line: open.line, language: open.language, text: `${open.text.join('\n')}\n`, isAttached });
        lastEnd = index;
        open = undefined;
      } else open.text.push(line);
      return;
    }
    if (mark) {
      open = { line: index + 2, language: mark[2] ?? '', mark: mark[1] ?? '', text: [] };
      return;
    }
    const heading = /^#{1,6} (.*)$/.exec(line);
    if (heading) headings.push(heading[1] ?? '');
    for (const [, , text = ''] of line.matchAll(/(`+)(.+?)\1(?!`)/g)) spans.push({ page: file, line: index + 1, text: text.trim() });
    const prose = line.replace(/(`+)(.+?)\1(?!`)/g, (code) => '`'.repeat(code.length));
    for (const [, target = ''] of prose.matchAll(/\]\(([^)\s]+)\)/g)) links.push({ line: index + 1, target });
  });
  if (open !== undefined) throw new Error(`${file}:${open.line}: a block of code that does not end`);
  return { file, fences, spans, headings, links };
}

/** Anchor of a heading, as the site generates it. */
export function anchorOf(heading: string): string {
  return heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}

/** Links of a page to missing files or headings. */
export function brokenLinks(page: Page, known: ReadonlySet<string>): readonly string[] {
  return page.links.flatMap(({ line, target }) => {
    if (/^[a-z]+:/.test(target)) return [];
    const [path = '', anchor] = target.split('#', 2);
    const file = path === '' ? page.file : posix.join(posix.dirname(page.file), decodeURIComponent(path)).replace(/\/$/, '');
    const isFolder = [...known].some((candidate) => candidate.startsWith(`${file}/`));
    if (!known.has(file) && !isFolder) return [`${page.file}:${line}: ${target}`];
    if (anchor === undefined || !file.endsWith('.md')) return [];
    const anchors = readPage(file).headings.map(anchorOf);
    return anchors.includes(anchor) ? [] : [`${page.file}:${line}: ${target} (no such heading)`];
  });
}
