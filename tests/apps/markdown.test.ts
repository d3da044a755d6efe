// Texts of apps: what becomes HTML, and what stays text.
import { describe, expect, it } from 'vitest';
import { renderMarkdown } from '../../src/apps/page/markdown.ts';

describe('Markdown', () => {
  it.each([
    ['# One\n\n## Two\n\n### Three', '<h2>One</h2>\n<h2>Two</h2>\n<h3>Three</h3>'],
    ['**bold** `code`', '<p><strong>bold</strong> <code>code</code></p>'],
    ['| a |\n|---|\n| 1 |', '<table>\n<thead>\n<tr>\n<th>a</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>1</td>\n</tr>\n</tbody>\n</table>'],
    ['<b onclick="x()">hi</b>', '<p>&lt;b onclick=&quot;x()&quot;&gt;hi&lt;/b&gt;</p>'],
    ['<script>alert(1)</script>', '&lt;script&gt;alert(1)&lt;/script&gt;'],
    ['![a <b> photo](https://example.org/a.png)', '<p>a &lt;b&gt; photo</p>'],
    ['![photo](x "><script>")', '<p>photo</p>'],
  ])('renders %j', async (markdown, html) => {
    expect((await renderMarkdown(markdown)).trim()).toBe(html);
  });

  it.each([
    ['[a](https://example.org/?a=1&b=2)', '<a href="https://example.org/?a=1&amp;b=2" rel="noreferrer noopener">a</a>'],
    ['[a](http://example.org)', '<a href="http://example.org" rel="noreferrer noopener">a</a>'],
    ['<https://example.org>', '<a href="https://example.org" rel="noreferrer noopener">https://example.org</a>'],
    ['[a](mailto:a@example.org)', '<a href="mailto:a@example.org">a</a>'],
    ['[a](/list "Title")', '<a href="/list">a</a>'],
    ['[a](?app=orders)', '<a href="?app=orders">a</a>'],
    ['[a](#top)', '<a href="#top">a</a>'],
    ['[**a** b](#top)', '<a href="#top"><strong>a</strong> b</a>'],
  ])('links to %s', async (markdown, html) => {
    expect((await renderMarkdown(markdown)).trim()).toBe(`<p>${html}</p>`);
  });

  it.each([
    '[a](javascript:alert(1))',
    '[a](JaVaScRiPt:alert(1))',
    '[a](data:text/html,x)',
    '[a](vbscript:x)',
    '[a](//example.org/x)',
    '[a](\\\\example.org)',
    '[a](/\t/example.org)',
    '[a](other.html)',
    '[a](ftp://example.org)',
    '[a](irc://example.org)',
    '[a]()',
    '[a](<java\nscript:x>)',
  ])('shows the text only of %j', async (markdown) => {
    const html = await renderMarkdown(markdown);
    expect(html).not.toContain('<a');
    expect(html).toContain('a');
  });
});
