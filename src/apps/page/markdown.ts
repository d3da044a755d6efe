/**
 * Markdown → HTML: CommonMark with tables. HTML in it is shown as text, images are their
 * descriptions, and links lead to known kinds of targets only.
 */

type ToHtml = (markdown: string) => string;

/** Loaded on first use: services without apps never need it. */
let loading: Promise<ToHtml> | undefined;

function load(): Promise<ToHtml> {
  loading ??= Promise.all([import('micromark'), import('micromark-extension-gfm-table')]).then(
    ([{ micromark }, { gfmTable, gfmTableHtml }]) => {
      const options = { extensions: [gfmTable()], htmlExtensions: [gfmTableHtml()] };
      return (markdown) => micromark(markdown, options);
    },
  );
  return loading;
}

export async function renderMarkdown(markdown: string): Promise<string> {
  return restrict((await load())(markdown));
}

/** The library escapes all text, so every `<` begins one of its own tags, and every `>` ends it. */
const TAG = /<[^>]*>/g;
const LINK = /^<a href="([^"]*)"/;
const IMAGE = /^<img src="[^"]*" alt="([^"]*)"/;
const TOP_HEADING = /^<(\/?)h1>$/;

/** The title of the page is its only `h1`. */
function restrict(html: string): string {
  let isPlain = false;
  return html.replace(TAG, (tag) => {
    const link = LINK.exec(tag)?.[1];
    if (link !== undefined) {
      isPlain = !isAllowed(link);
      return isPlain ? '' : linkTo(link);
    }
    if (tag === '</a>') return isPlain ? '' : tag;
    const image = IMAGE.exec(tag)?.[1];
    if (image !== undefined) return image;
    return tag.replace(TOP_HEADING, '<$1h2>');
  });
}

const ABSOLUTE = /^https?:\/\//i;
/** A path with two slashes, or with a slash and a backslash, names another host. */
const LOCAL = /^(?:\/(?![/\\])|[?#])/;
const MAIL = /^mailto:/i;

function isAllowed(target: string): boolean {
  return ABSOLUTE.test(target) || LOCAL.test(target) || MAIL.test(target);
}

function linkTo(target: string): string {
  return `<a href="${target}"${ABSOLUTE.test(target) ? ' rel="noreferrer noopener"' : ''}>`;
}
