// Programs out of Debian's packages, unpacked into a folder of ours with every library they need, the C library and its loader included: the
// system's own packages, lists and locks are neither used nor touched, no root is needed, and no service is started. The host may be another
// release than the package is from, because nothing of the host is loaded.
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execute } from './processes.mjs';

const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';

/** The Debian mirror that the machine's own apt is set up with: whatever reaches packages here already. */
function findMirror() {
  if (process.env.MILLRACE_ENGINES_MIRROR) return process.env.MILLRACE_ENGINES_MIRROR;
  const files = ['/etc/apt/sources.list'];
  try {
    for (const name of readdirSync('/etc/apt/sources.list.d').sort()) files.push(join('/etc/apt/sources.list.d', name));
  } catch {
    // Without the folder there is the one file, or no apt at all.
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
 * Unpacks a package of a suite and all it depends on below `prefix`. apt gets its own folders and a list of installed packages that is empty,
 * so it fetches the whole closure, and verifies it against Debian's keys as always.
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
    // A mirror that lags behind still serves signed packages; tests do not need today's list.
    'Acquire::Check-Valid-Until': 'false',
    // The download helper's own user could not write into our folder.
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

/** The command that runs a program of the prefix with the prefix's own loader and libraries. */
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

/** Fails when a library is missing or is the host's: the program would then break on some other machine only. */
export async function checkLibraries(prefix, program) {
  const { file, args } = privateCommand(prefix, program, []);
  const listing = await execute(file, ['--list', ...args]);
  const foreign = listing
    .split('\n')
    .filter((line) => line.includes('not found') || (line.includes('=> /') && !line.includes(`=> ${prefix}/`)));
  if (foreign.length > 0) throw new Error(`${program} needs libraries that its packages did not bring:\n${foreign.join('\n')}`);
}
