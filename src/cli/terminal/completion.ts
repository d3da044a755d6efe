/**
 * `millrace completion`: shell scripts that complete commands, subcommands and flags, made from the
 * tables of commands.
 */
import { ConfigError } from '../../config.ts';

interface Completed {
  readonly name: string;
  readonly summary: string;
  /** Without their hyphens. */
  readonly flags: readonly string[];
}

export interface CompletedCommand extends Completed {
  readonly subcommands: readonly Completed[];
}

const flagWords = (flags: readonly string[]): string => [...new Set([...flags, 'help'])].map((flag) => `--${flag}`).join(' ');
const namesOf = (all: readonly Completed[]): string => all.map(({ name }) => name).join(' ');
/** Quotes a string for all supported shells. */
const quoted = (text: string): string => `'${text.replaceAll("'", '’')}'`;

/** Cases of "command subcommand" for bash and zsh, with the flags of each. */
function flagCases(commands: readonly CompletedCommand[], line: (pattern: string, words: string) => string): string {
  return commands
    .flatMap(({ name, flags, subcommands }) => [
      ...subcommands.map((each) => line(quoted(`${name} ${each.name}`), flagWords(each.flags))),
      line(`${quoted(`${name} `)}*`, flagWords(flags)),
    ])
    .join('');
}

function bash(commands: readonly CompletedCommand[]): string {
  const verbs = commands
    .filter(({ subcommands }) => subcommands.length > 0)
    .map(({ name, subcommands }) => `      ${name}) words=${quoted(namesOf(subcommands))} ;;\n`)
    .join('');
  const flags = flagCases(commands, (pattern, words) => `      ${pattern}) words=${quoted(words)} ;;\n`);
  return `# Put this into ~/.bashrc:  source <(millrace completion bash)
_millrace() {
  local cur=\${COMP_WORDS[COMP_CWORD]} words=''
  if [[ $cur == -* ]]; then
    case "\${COMP_WORDS[1]} \${COMP_WORDS[2]}" in
${flags}    esac
  elif [[ $COMP_CWORD -eq 1 ]]; then
    words=${quoted(namesOf(commands))}
  elif [[ $COMP_CWORD -eq 2 ]]; then
    case \${COMP_WORDS[1]} in
${verbs}    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _millrace millrace
`;
}

function zsh(commands: readonly CompletedCommand[]): string {
  const described = (all: readonly Completed[]): string =>
    all.map(({ name, summary }) => quoted(`${name}:${summary.replaceAll(':', ',')}`)).join(' ');
  const verbs = commands
    .filter(({ subcommands }) => subcommands.length > 0)
    .map(({ name, subcommands }) => `      ${name}) found=(${described(subcommands)}); _describe subcommand found; return ;;\n`)
    .join('');
  const flags = flagCases(commands, (pattern, words) => `      ${pattern}) compadd -- ${words}; return ;;\n`);
  return `#compdef millrace
# Put this into ~/.zshrc, behind compinit:  source <(millrace completion zsh)
_millrace() {
  local -a found
  if [[ $PREFIX == -* ]]; then
    case "$words[2] $words[3]" in
${flags}    esac
  elif (( CURRENT == 2 )); then
    found=(${described(commands)}); _describe command found; return
  elif (( CURRENT == 3 )); then
    case $words[2] in
${verbs}    esac
  fi
  _files
}
compdef _millrace millrace
`;
}

function fish(commands: readonly CompletedCommand[]): string {
  const lines = commands.flatMap(({ name, summary, flags, subcommands }) => {
    const inside = `__fish_seen_subcommand_from ${name}`;
    const verbs = namesOf(subcommands);
    const before = subcommands.length === 0 ? inside : `${inside}; and not __fish_seen_subcommand_from ${verbs}`;
    const flagsOf = (condition: string, all: readonly string[]): string[] =>
      [...new Set([...all, 'help'])].map((flag) => `complete -c millrace -n ${quoted(condition)} -l ${flag}`);
    return [
      `complete -c millrace -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`,
      ...subcommands.map((each) => `complete -c millrace -n ${quoted(before)} -a ${each.name} -d ${quoted(each.summary)}`),
      ...flagsOf(before, flags),
      ...subcommands.flatMap((each) => flagsOf(`${inside}; and __fish_seen_subcommand_from ${each.name}`, each.flags)),
    ];
  });
  return `# Put this into ~/.config/fish/completions/millrace.fish\n${lines.join('\n')}\n`;
}

const SHELLS: Readonly<Record<string, (commands: readonly CompletedCommand[]) => string>> = { bash, zsh, fish };

export async function completionCommand([shell]: readonly string[], commands: readonly CompletedCommand[]): Promise<number> {
  const write = Object.hasOwn(SHELLS, shell ?? '') ? SHELLS[shell ?? ''] : undefined;
  if (write === undefined) throw new ConfigError(`for which shell? Use one of ${Object.keys(SHELLS).join(', ')}.`);
  process.stdout.write(write(commands));
  return 0;
}
