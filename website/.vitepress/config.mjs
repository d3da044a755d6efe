// The documentation as a site: the Markdown files of the project as they are, with a sidebar, a search that runs in the browser, and nothing
// from other hosts. A link between pages that leads nowhere fails the build.
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** What is shown, copied to where the generator's own packages are found. */
const pages = fileURLToPath(new URL('../pages/', import.meta.url));
rmSync(pages, { recursive: true, force: true });
for (const name of ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'docs', 'examples', 'deploy'])
  cpSync(join(root, name), join(pages, name), { recursive: true });

/** The first heading of a page is its name. */
const titleOf = (file) => /^# (.*)$/m.exec(readFileSync(join(root, file), 'utf8'))?.[1] ?? file;
const item = (file) => ({ text: titleOf(file), link: `/${file.replace(/README\.md$/, '').replace(/\.md$/, '')}` });
const pagesOf = (folder) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md') && name !== 'README.md')
    .map((name) => item(`${folder}/${name}`));

/** As where the files are shown otherwise, so that links to headings hold in both places; tests/support/documents.ts has the same. */
const slugify = (heading) =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');

/** Files that pages link to and that are no pages: they are copied. */
const linked = new Set();

function noteLinks(md) {
  const render = md.renderer.rules.link_open ?? ((tokens, at, options, _env, self) => self.renderToken(tokens, at, options));
  md.renderer.rules.link_open = (tokens, at, options, env, self) => {
    const href = tokens[at].attrGet('href') ?? '';
    if (!/^[a-z]+:|^#/.test(href) && env.relativePath !== undefined) {
      const [path, anchor = ''] = href.split(/(?=#)/, 2);
      const file = posix.normalize(posix.join(posix.dirname(env.relativePath), decodeURIComponent(path)));
      const full = join(root, file);
      if (path !== '' && !path.endsWith('.md') && existsSync(full)) {
        if (statSync(full).isFile()) linked.add(file);
        else if (existsSync(join(full, 'README.md'))) tokens[at].attrSet('href', `${path.replace(/\/$/, '')}/README.md${anchor}`);
      }
    }
    return render(tokens, at, options, env, self);
  };
}

/** Braces in code are code, not something to fill in. */
function keepBraces(md) {
  const render = md.renderer.rules.code_inline;
  md.renderer.rules.code_inline = (...given) => render(...given).replace(/^<code(?! v-pre)/, '<code v-pre');
}

export default {
  title: 'Millrace',
  description: 'MySQL, MariaDB, PostgreSQL and ClickHouse as REST',
  srcDir: './pages',
  outDir: './dist',
  cacheDir: './.cache',
  cleanUrls: true,
  // Files that are no pages are copied beside them; that they exist is tested by tests/tidy.test.ts.
  ignoreDeadLinks: [/\.(?:star|sh|mjs|conf)$/],
  rewrites: (id) => id.replace(/(^|\/)README\.md$/, '$1index.md'),
  markdown: {
    // Pages are Markdown only: an angle bracket is one.
    html: false,
    anchor: { slugify },
    languageAlias: { expr: 'js', mcp: 'json' },
    config: (md) => {
      noteLinks(md);
      keepBraces(md);
    },
  },
  vite: { publicDir: false },
  themeConfig: {
    outline: [2, 3],
    search: { provider: 'local' },
    nav: [
      { text: 'Start', link: '/' },
      { text: 'Documentation', link: '/docs/' },
      { text: 'Changelog', link: '/CHANGELOG' },
    ],
    sidebar: [
      { text: 'Start', items: [item('README.md'), item('docs/README.md'), ...(existsSync(join(root, 'examples/README.md')) ? [item('examples/README.md')] : [])] },
      { text: 'Tutorials', items: pagesOf('docs/tutorials') },
      { text: 'Running it', items: pagesOf('docs') },
      { text: 'Reference', items: pagesOf('docs/reference') },
      { text: 'Inside', collapsed: true, items: [item('ARCHITECTURE.md'), item('CONTRIBUTING.md'), ...pagesOf('docs/decisions')] },
    ],
  },
  buildEnd({ outDir }) {
    for (const file of linked) {
      const to = join(outDir, file);
      mkdirSync(dirname(to), { recursive: true });
      copyFileSync(join(root, file), to);
    }
    console.log(`the site is in ${relative(process.cwd(), outDir) || '.'}`);
  },
};
