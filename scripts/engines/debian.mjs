// Programs from Debian packages, unpacked with all their libraries, the C library and the loader.
// Does not touch the system's packages, needs no root and works on any release of the host.
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execute } from './processes.mjs';

const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';

/** The Debian mirror in the configuration of the machine's apt. */
function findMirror() {
  if (process.env.MILLRACE_ENGINES_MIRROR) return process.env.MILLRACE_ENGINES_MIRROR;
  const files = ['/etc/apt/sources.list'];
  try {
    for (const name of readdirSync('/etc/apt/sources.list.d').sort()) files.push(join('/etc/apt/sources.list.d', name));
  } catch {
    // Without the folder there is a single file, or no apt.
  }
  for (const file of files) {
    let text = '';
    try {
      text = readFileSync(file, 'utf8').replace(/^\s*#.*$/gm, '');
    } catch {
      continue;
    }
    const match = /(?:^deb\s+(?:\[[^\]]*\]\s+)?|^URIs:\s*(?:\S+\s+)*?)(\S+\/debian)\/?(?:\s|$)/m.exec(text);
    if (match) return match[1];
  }
  throw new Error('no Debian mirror found in /etc/apt; name one in MILLRACE_ENGINES_MIRROR, or point the tests at a server that you have');
}

/**
 * Unpacks a package and all its dependencies below `prefix`. apt uses private folders and an empty
 * list of installed packages, so it fetches the whole closure and verifies its signatures.
 */
export async function unpackPackage({ suite, name, without }, prefix, say) {
  const apt = join(prefix, 'apt');
  for (const folder of ['state/lists/partial', 'cache/archives/partial', 'parts']) mkdirSync(join(apt, folder), { recursive: true });
  writeFileSync(join(apt, 'status'), '');
  writeFileSync(join(apt, 'sources.list'), `deb [signed-by=${keyring}] ${findMirror()} ${suite} main\n`);
  const settings = {
    'Dir::Etc::sourcelist': join(apt, 'sources.list'),
    'Dir::Etc::sourceparts': join(apt, 'parts'),
    'Dir::Etc::preferences': '/dev/null',
    'Dir::Etc::preferencesparts': join(apt, 'parts'),
    'Dir::State': join(apt, 'state'),
    'Dir::State::status': join(apt, 'status'),
    'Dir::Cache': join(apt, 'cache'),
    'Acquire::Languages': 'none',
    'Acquire::Retries': '3',
    // A mirror that lags behind still serves signed packages.
    'Acquire::Check-Valid-Until': 'false',
    // The sandbox user of apt cannot write into this folder.
    'APT::Sandbox::User': process.getuid?.() === 0 ? 'root' : '',
  };
  const options = Object.entries(settings).flatMap(([key, value]) => ['-o', `${key}=${value}`]);
  const aptGet = (...args) =>
    execute('apt-get', [...options, '-qq', ...args], { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } });
  say(`reading the package list of ${suite}`);
  await aptGet('update');
  say(`downloading ${name}`);
  await aptGet('install', '-y', '--no-install-recommends', '--download-only', name);
  const archives = join(apt, 'cache', 'archives');
  for (const file of readdirSync(archives).filter((entry) => entry.endsWith('.deb') && !without?.test(entry)))
    await execute('dpkg-deb', ['-x', join(archives, file), prefix]);
  for (const waste of ['apt', 'usr/share/doc', 'usr/share/man', 'usr/share/locale'])
    rmSync(join(prefix, waste), { recursive: true, force: true });
}

/** Command that runs a program with the loader and the libraries of the prefix. */
export function privateCommand(prefix, program, args) {
  const libraries = ['lib', 'usr/lib'].flatMap((folder) => subfolders(join(prefix, folder)).filter((path) => path.endsWith('-linux-gnu')));
  const loader = libraries.flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => /^ld-linux.*\.so\.\d$/.test(name))
      .map((name) => join(folder, name)),
  )[0];
  if (!loader) throw new Error(`no loader below ${prefix}`);
  return { file: loader, args: ['--library-path', libraries.join(':'), join(prefix, program), ...args] };
}

function subfolders(folder) {
  if (!statSync(folder, { throwIfNoEntry: false })) return [];
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isDirectory());
}

/** Throws if a library is missing or belongs to the host, which would fail on another machine. */
export async function checkLibraries(prefix, program) {
  const { file, args } = privateCommand(prefix, program, []);
  const listing = await execute(file, ['--list', ...args]);
  const foreign = listing
    .split('\n')
    .filter((line) => line.includes('not found') || (line.includes('=> /') && !line.includes(`=> ${prefix}/`)));
  if (foreign.length > 0) throw new Error(`${program} needs libraries that its packages did not bring:\n${foreign.join('\n')}`);
}
