// Stand-in for programs that another test runs or this machine may lack. Rejects arguments that the
// real program would reject: node stand-in.mjs npm|docker ARGUMENTS
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const [program, ...words] = process.argv.slice(2);

function refuse(why) {
  console.error(`${program} ${words.join(' ')}: ${why}`);
  process.exit(1);
}

const programs = {
  /** A script of the project. */
  npm() {
    const name = words[0] === 'run' ? words[1] : words[0];
    const { scripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
    if (!(name in scripts) && name !== 'install') refuse('there is no such script');
  },
  /** An image of the project's Dockerfile. */
  docker() {
    if (!['build', 'run', 'compose'].includes(words[0])) refuse('an unknown command');
    if (words[0] === 'build' && !existsSync(`${root}Dockerfile`)) refuse('there is no Dockerfile');
  },
};

if (!Object.hasOwn(programs, program)) refuse('nobody stands in for it');
programs[program]();
