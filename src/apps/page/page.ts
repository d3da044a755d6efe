/**
 * The HTML of an app: title, headings and texts, a place for each block, and the document for the
 * program that fills them. Contains no rows. All addresses are relative.
 */
import type { AppBlock, AppDocument } from '../document/app-document.ts';
import { type Audience, clientDocument, scriptJson, visibleBlocks } from './client-document.ts';
import { element, escapeHtml } from './html.ts';
import { renderMarkdown } from './markdown.ts';

/** Addresses of the program and its styles. */
export interface PageAssets {
  readonly scripts: readonly string[];
  readonly styles: readonly string[];
}

export async function renderApp(document: AppDocument, audience: Audience, assets: PageAssets): Promise<string> {
  const { title, description, locale, blocks } = document;
  const heading = `${element('h1', title, ' data-testid="app-title"')}${element('p', description)}`;
  const header = `<header>${heading}<div class="refreshed"></div></header>\n<div class="top">${inputPlaces(document)}</div>`;
  const data = `<script type="application/json" id="app">${scriptJson(clientDocument(document, audience))}</script>`;
  const main = `<main>${await renderBlocks(blocks, audience)}</main>`;
  return page({ title, language: locale, body: `${header}\n${main}\n${data}`, mode: 'render', assets });
}

/** Labels of the inputs, each above as much room as its control takes, so that nothing shifts. */
function inputPlaces({ inputs, value }: AppDocument): string {
  const written = value.get('inputs');
  const shown = [...inputs].filter(([, { isHidden }]) => !isHidden);
  const places = shown.map(([name, { declaration }]) => {
    const own = written instanceof Map ? written.get(name) : undefined;
    const label = own instanceof Map ? own.get('label') : undefined;
    const choices = declaration.type === 'array' ? (declaration.items?.enum ?? []) : [];
    const room = choices.map((choice) => `<label><i></i> ${escapeHtml(String(choice))}</label>`).join('');
    const heading = element('span', typeof label === 'string' ? label : name, ' class="label"');
    return `<div class="input input-${declaration.type}">${heading}<div class="checkboxes">${room}</div></div>`;
  });
  return places.length === 0 ? '' : `<div class="inputs">${places.join('')}</div>`;
}

/** The page without a document, which asks for a token and opens the app with it. */
export function renderShell(assets: PageAssets): string {
  return page({ title: 'App', language: undefined, body: '<main></main>', mode: 'ui', assets });
}

/** A small page for an error, with the same words as its JSON. */
export function renderError({ status, reason, message }: { status: number; reason: string; message: string }): string {
  const heading = `${status} ${reason}`;
  const body = `<main>${element('h1', heading)}${element('p', message, ' role="alert"')}</main>`;
  return page({ title: heading, language: undefined, body, mode: 'error', assets: { scripts: [], styles: [] } });
}

interface Parts {
  readonly title: string;
  readonly language: string | undefined;
  readonly body: string;
  readonly mode: 'render' | 'ui' | 'error';
  readonly assets: PageAssets;
}

const DEFAULT_LANGUAGE = 'en';
const NO_SCRIPT = '<noscript><p>This page needs JavaScript to show its data.</p></noscript>';

function page({ title, language = DEFAULT_LANGUAGE, body, mode, assets: { scripts, styles } }: Parts): string {
  return `<!doctype html>
<html lang="${escapeHtml(language)}" data-mode="${mode}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
${styles.map((style) => `<link rel="stylesheet" href="${escapeHtml(style)}">\n`).join('')}</head>
<body>
${body}
${mode === 'error' ? '' : NO_SCRIPT}
${scripts.map((script) => `<script type="module" src="${escapeHtml(script)}"></script>\n`).join('')}</body>
</html>
`;
}

async function renderBlocks(blocks: readonly AppBlock[], audience: Audience): Promise<string> {
  const parts: string[] = [];
  for (const block of visibleBlocks(blocks, audience)) parts.push(await renderBlock(block, audience));
  return parts.join('\n');
}

/** Kinds whose blocks are filled by the page's program. The others are complete. */
const FILLED: ReadonlySet<string> = new Set(['metric', 'chart', 'table', 'record', 'form']);

async function renderBlock(block: AppBlock, audience: Audience): Promise<string> {
  const { kind, id, title, note, span } = block;
  const name = id === undefined ? '' : ` id="block-${id}" data-testid="block-${id}"`;
  const state = FILLED.has(kind) ? ' data-state="loading" aria-busy="true"' : ' data-state="ready"';
  const attributes = `${name} data-kind="${kind}"${state}${span === undefined ? '' : ` data-span="${span}"`}`;
  const heading = element('h2', title, ' data-testid="block-title"');
  const body = FILLED.has(kind) ? `<div class="block-body"${linesOf(block)}></div>` : '';
  return `<section${attributes}${partsOf(block)}>${heading}${await renderContent(block, audience)}${body}${element('p', note, ' class="note"')}</section>`;
}

/** Fields of a block that need room of their own, so that nothing shifts when it is filled. */
const PARTS: Readonly<Record<string, string>> = { compare: 'compare', trend: 'trend', series: 'legend' };

function partsOf({ kind, value }: AppBlock): string {
  const own = value.get(kind);
  const parts = own instanceof Map ? Object.keys(PARTS).filter((field) => own.has(field)) : [];
  return parts.length === 0 ? '' : ` data-parts="${parts.map((field) => PARTS[field]).join(' ')}"`;
}

/** Number of lines of a record or a form, if the document lists its fields. */
function linesOf({ kind, value }: AppBlock): string {
  const own = value.get(kind);
  const fields = own instanceof Map ? own.get('fields') : undefined;
  return Array.isArray(fields) ? ` data-lines="${fields.length}"` : '';
}

async function renderContent({ kind, text, blocks, tabs }: AppBlock, audience: Audience): Promise<string> {
  if (kind === 'text') return `<div class="text">${await renderMarkdown(text ?? '')}</div>`;
  if (kind === 'row') return renderBlocks(blocks, audience);
  const parts: string[] = [];
  for (const tab of tabs)
    parts.push(`<section data-tab="${parts.length + 1}">${element('h2', tab.title)}${await renderBlocks(tab.blocks, audience)}</section>`);
  return parts.join('\n');
}
