// The container image without a container engine: executes the Dockerfile in folders and runs the
// result as the image's user with a read-only root. An unknown step fails.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { basename, join } from 'node:path';

interface Stage {
  readonly name: string;
  readonly folder: string;
  workdir: string;
  readonly env: Record<string, string>;
  user: string;
  readonly volumes: string[];
  health: readonly string[];
  entrypoint: readonly string[];
  command: readonly string[];
}

export type Image = Readonly<Stage>;

/** The user `node` of the base image. */
const UIDS: Readonly<Record<string, number>> = { root: 0, node: 1000 };
const isRoot = process.getuid?.() === 0;

interface Build {
  /** The folder with the Dockerfile. */
  readonly context: string;
  readonly stages: Map<string, Stage>;
}

/** Builds all stages below `home` and returns the last one. */
export function buildImage(context: string, home: string): Image {
  const build: Build = { context, stages: new Map() };
  let stage: Stage | undefined;
  for (const line of readFileSync(join(context, 'Dockerfile'), 'utf8').split('\n')) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const [verb = '', rest = ''] = line.split(/ (.*)/s);
    if (verb === 'FROM') {
      stage = newStage(home, rest);
      build.stages.set(stage.name, stage);
      continue;
    }
    const step = STEPS[verb];
    if (step === undefined || stage === undefined) throw new Error(`nobody knows the step ${line}`);
    step(stage, rest, build);
  }
  if (stage === undefined) throw new Error('the Dockerfile has no FROM');
  if (isRoot) execFileSync('chmod', ['-R', 'go-w', stage.folder]);
  return stage;
}

function newStage(home: string, from: string): Stage {
  const name = / AS (\w+)$/.exec(from)?.[1] ?? 'final';
  const folder = join(home, name);
  mkdirSync(folder);
  return { name, folder, workdir: '/', env: {}, user: 'root', volumes: [], health: [], entrypoint: [], command: [] };
}

const inside = ({ folder, workdir }: Image, path: string): string => join(folder, path.startsWith('/') ? path : join(workdir, path));

const words = (text: string): string[] => JSON.parse(text) as string[];

const STEPS: Readonly<Record<string, (stage: Stage, rest: string, build: Build) => void>> = {
  WORKDIR: (stage, path) => {
    stage.workdir = path;
    mkdirSync(inside(stage, '.'), { recursive: true });
  },
  ENV: (stage, pairs) => {
    for (const pair of pairs.split(' ')) stage.env[pair.slice(0, pair.indexOf('='))] = pair.slice(pair.indexOf('=') + 1);
  },
  COPY: (stage, rest, { context, stages }) => {
    const [, from, paths = ''] = /^(?:--from=(\w+) )?(.*)$/.exec(rest) ?? [];
    const source = from === undefined ? context : (stages.get(from)?.folder ?? '');
    const ignored = from === undefined ? readFileSync(join(context, '.dockerignore'), 'utf8').split('\n') : [];
    const files = paths.split(' ');
    const target = files.pop() ?? '';
    for (const file of files) {
      if (ignored.includes(file)) throw new Error(`.dockerignore keeps ${file} out of the image`);
      const path = inside(stage, target.endsWith('/') ? join(target, basename(file)) : target);
      cpSync(join(source, file), path, { recursive: true });
    }
  },
  RUN: (stage, rest, build) => {
    for (const command of rest.split(' && ')) {
      const [program = '', ...args] = command.split(' ');
      const run = PROGRAMS[program];
      if (run === undefined) throw new Error(`nobody knows how to run ${command}`);
      run(stage, args, build);
    }
  },
  USER: (stage, name) => {
    stage.user = name;
  },
  VOLUME: (stage, path) => {
    stage.volumes.push(path);
  },
  EXPOSE: () => undefined,
  HEALTHCHECK: (stage, rest) => {
    stage.health = words(rest.replace(/^CMD /, ''));
  },
  ENTRYPOINT: (stage, rest) => {
    stage.entrypoint = words(rest);
  },
  CMD: (stage, rest) => {
    stage.command = words(rest);
  },
};

const PROGRAMS: Readonly<Record<string, (stage: Stage, args: readonly string[], build: Build) => void>> = {
  /** Copies the installed packages that npm would choose. */
  npm: (stage, args, { context }) => {
    if (args[0] === 'cache') return;
    if (args[0] !== 'install') throw new Error(`nobody knows npm ${args.join(' ')}`);
    const omitted = args.flatMap((arg) => /^--omit=(\w+)$/.exec(arg)?.[1] ?? []);
    if (omitted.length === 0) symlinkSync(join(context, 'node_modules'), inside(stage, 'node_modules'));
    else for (const path of chosenPackages(context, omitted)) cpSync(join(context, path), inside(stage, path), { recursive: true });
  },
  /** Copies `dist`, which the same command compiled before the tests. */
  npx: (stage, args, { context }) => {
    if (args.join(' ') !== 'tsc -p tsconfig.json') throw new Error(`nobody knows npx ${args.join(' ')}`);
    for (const needed of ['src', 'tsconfig.json', 'node_modules']) statSync(inside(stage, needed));
    cpSync(join(context, 'dist'), inside(stage, 'dist'), { recursive: true });
  },
  node: (stage, args) => execFileSync(process.execPath, args, { cwd: inside(stage, '.'), stdio: ['ignore', 'ignore', 'inherit'] }),
  rm: (stage, args) => {
    for (const path of args.filter((arg) => !arg.startsWith('-'))) rmSync(inside(stage, path), { recursive: true, force: true });
  },
  install: (stage, args) => {
    const path = inside(stage, args.at(-1) ?? '');
    mkdirSync(path, { recursive: true });
    if (isRoot) chownSync(path, UIDS[args[args.indexOf('-o') + 1] ?? ''] ?? 0, UIDS[args[args.indexOf('-g') + 1] ?? ''] ?? 0);
  },
};

interface Locked {
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly devOptional?: boolean;
}

/** Folders of packages that are neither omitted nor nested in a copied one. */
function chosenPackages(context: string, omitted: readonly string[]): string[] {
  const lock = JSON.parse(readFileSync(join(context, 'package-lock.json'), 'utf8')) as { readonly packages: Record<string, Locked> };
  const isOmitted = (locked: Locked): boolean => omitted.some((kind) => locked[kind as keyof Locked] === true);
  return Object.entries(lock.packages)
    .filter(([path, locked]) => /^node_modules\/(?:@[^/]+\/)?[^/]+$/.test(path) && !isOmitted(locked) && existsSync(join(context, path)))
    .map(([path]) => path);
}

export interface Container {
  /** Runs a program in the container; `env` overrides the settings of the image. */
  run(command: readonly string[], env?: Readonly<Record<string, string>>): ChildProcess;
}

/**
 * Runs the image in a container with a volume and a /tmp. Uses a private read-only root where the
 * system allows it, file permissions elsewhere.
 */
export function containerOf(image: Image, volume: string, tmp: string): Container {
  const uid = UIDS[image.user] ?? 0;
  for (const folder of [volume, tmp]) if (isRoot) chownSync(folder, uid, uid);
  const isMounted = isRoot && spawnSync('unshare', ['--mount', 'true']).status === 0;
  if (!isMounted) return { run: (command, env) => runPlainly(image, uid, volume, tmp, command, env) };
  const script = mountScript(image, uid, volume, tmp);
  return {
    run: ([program = '', ...args], env = {}) =>
      spawn('unshare', ['--mount', '--propagation', 'private', 'sh', '-ec', script, program, ...args], {
        env: { PATH: process.env['PATH'], ...image.env, ...env },
      }),
  };
}

/** A root with the image's files and the system's programs, read-only except volume and /tmp. */
function mountScript({ folder, workdir, volumes }: Image, uid: number, volume: string, tmp: string): string {
  const lines = [`mount --bind ${folder} ${folder}`];
  const bind = (from: string, to: string, options = ''): void => {
    mkdirSync(join(folder, to), { recursive: true });
    lines.push(`mount --rbind ${from} ${folder}${to}`, ...(options === '' ? [] : [`mount -o remount,bind,${options} ${folder}${to}`]));
  };
  for (const name of readdirSync('/').filter((each) => /^(?:bin|lib\w*|sbin)$/.test(each)))
    if (lstatSync(join('/', name)).isSymbolicLink()) cpSync(join('/', name), join(folder, name), { verbatimSymlinks: true });
    else bind(`/${name}`, `/${name}`, 'ro');
  bind('/usr', '/usr', 'ro');
  for (const name of ['/proc', '/dev']) bind(name, name);
  bind(join(process.execPath, '..'), '/node-bin', 'ro');
  for (const path of volumes) bind(volume, path);
  bind(tmp, '/tmp');
  lines.push(`mount -o remount,bind,ro ${folder}`);
  lines.push(`exec chroot --userspec=${uid}:${uid} ${folder} /bin/sh -c 'PATH=/node-bin:$PATH; cd ${workdir} && exec "$0" "$@"' "$0" "$@"`);
  return lines.join('\n');
}

/** Fallback without mounts: read-only files in the same places below a folder. */
function runPlainly(
  image: Image,
  uid: number,
  volume: string,
  tmp: string,
  [program = '', ...args]: readonly string[],
  env: Readonly<Record<string, string>> = {},
): ChildProcess {
  if (!isRoot) execFileSync('chmod', ['-R', 'a-w', image.folder]);
  chmodSync(join(image.folder, '..'), 0o755);
  const settings = Object.entries(image.env).map(([name, value]) => [name, image.volumes.includes(value) ? volume : value]);
  return spawn(program === 'node' ? process.execPath : program, args, {
    cwd: join(image.folder, image.workdir),
    env: { PATH: process.env['PATH'], TMPDIR: tmp, ...Object.fromEntries(settings), ...env },
    ...(isRoot && { uid, gid: uid }),
  });
}
