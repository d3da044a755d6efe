// ClickHouse for tests: an npm package with the engine as a library, served by
// clickhouse/server.mjs. Logins: svc/secret (everything), ro/ro (reads), default (no password).
import { copyFileSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installOnce } from './cache.mjs';
import { emulatedCommand, emulatedSettings, installEmulation, isEmulated, platformFlags } from './clickhouse/emulation.mjs';
import { patchLibrary } from './clickhouse/patch.mjs';
import { canConnect, execute } from './processes.mjs';

const sources = join(dirname(fileURLToPath(import.meta.url)), 'clickhouse');

/** Compilation to machine code is off: it costs more than it saves on small test tables. */
const NEEDLESS = ['compile_expressions', 'compile_aggregate_expressions', 'compile_sort_description', 'compile_regular_expressions'];

/** The users file, whose profile turns these settings off. */
function usersOf(settings) {
  const profile = settings.map((name) => `<${name}>0</${name}>`).join('');
  return readFileSync(join(sources, 'users.xml'), 'utf8').replace('<profiles><default/>', `<profiles><default>${profile}</default>`);
}

export const clickhouse = {
  ports: ['http', 'native'],
  marks: ['data/status'],
  // The process never returns from the library, and its data is discarded with the run.
  stopSignal: 'SIGKILL',

  install: (say) =>
    installOnce('clickhouse-26.7', say, async (home) => {
      if (process.platform !== 'linux' || (process.arch !== 'x64' && !isEmulated))
        throw new Error('the ClickHouse library runs on Linux only; point MILLRACE_TEST_CLICKHOUSE_URL at a server that you have');
      for (const name of ['package.json', 'package-lock.json']) copyFileSync(join(sources, name), join(home, name));
      say('downloading (180 MB)');
      await execute('npm', ['ci', ...platformFlags, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: home });
      const [library] = readdirSync(join(home, 'node_modules/@chdb'));
      renameSync(join(home, 'node_modules/@chdb', library, 'libchdb.so'), join(home, 'libchdb.so'));
      say('patching');
      patchLibrary(join(home, 'libchdb.so'));
      if (isEmulated) await installEmulation(home, say);
    }),

  async prepare(_home, folder) {
    mkdirSync(join(folder, 'data'), { recursive: true });
    const users = join(folder, 'users.xml');
    writeFileSync(users, usersOf(isEmulated ? [...NEEDLESS, ...emulatedSettings] : NEEDLESS));
    writeFileSync(join(folder, 'config.xml'), `<clickhouse><users_config>${users}</users_config><timezone>UTC</timezone></clickhouse>\n`);
  },

  command(home, folder, ports) {
    const args = [
      join(sources, 'server.mjs'),
      home,
      '--path',
      join(folder, 'data'),
      '--config-file',
      join(folder, 'config.xml'),
      '--listen_host',
      '127.0.0.1',
      '--http_port',
      String(ports.http),
      '--tcp_port',
      String(ports.native),
    ];
    const options = { cwd: folder };
    return isEmulated ? emulatedCommand(home, args, options) : { file: process.execPath, args, options };
  },

  async probe(ports) {
    const response = await fetch(`http://127.0.0.1:${ports.http}/?query=SELECT%20version()`);
    const version = (await response.text()).trim();
    if (!response.ok) throw new Error(version);
    await canConnect(ports.native);
    return version;
  },

  variables: (ports) => ({
    MILLRACE_TEST_CLICKHOUSE_URL: `http://svc:secret@127.0.0.1:${ports.http}/`,
    MILLRACE_TEST_CLICKHOUSE_NATIVE_PORT: String(ports.native),
  }),
};
