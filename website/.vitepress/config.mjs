// Builds the documentation site from the project's Markdown files, with a sidebar and local search.
// Loads nothing from other hosts. A broken link between pages fails the build.
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Copies of the pages, below the folder of the generator's packages. */
const pages = fileURLToPath(new URL('../pages/', import.meta.url));
rmSync(pages, { recursive: true, force: true });
for (const name of ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'docs', 'examples', 'deploy'])
  cpSync(join(root, name), join(pages, name), { recursive: true });

/** Title of a page: its first heading. */
const titleOf = (file) => /^# (.*)$/m.exec(readFileSync(join(root, file), 'utf8'))?.[1] ?? file;
const item = (file) => ({ text: titleOf(file), link: `/${file.replace(/README\.md$/, '').replace(/\.md$/, '')}` });
const pagesOf = (folder) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md') && name !== 'README.md')
    .map((name) => item(`${folder}/${name}`));

/** The same anchors as in tests/support/documents.ts and on code hosts. */
const slugify = (heading) =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');

/** Linked files that are not pages; copied to the site. */
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

/** Keeps braces in code from being read as template expressions. */
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
  // Files of these types are copied in buildEnd; tests/tidy.test.ts checks that they exist.
  ignoreDeadLinks: [/\.(?:star|sh|mjs|conf)$/],
  rewrites: (id) => id.replace(/(^|\/)README\.md$/, '$1index.md'),
  markdown: {
    // Pages contain no HTML; angle brackets are literal.
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
      { text: 'Operations', items: pagesOf('docs') },
      { text: 'Reference', items: pagesOf('docs/reference') },
      { text: 'Internals', collapsed: true, items: [item('ARCHITECTURE.md'), item('CONTRIBUTING.md'), ...pagesOf('docs/decisions')] },
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
