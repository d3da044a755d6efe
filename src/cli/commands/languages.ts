/** `millrace lark [FILE]` and `millrace expr EXPRESSION`: run a program without a service. */
import { readFileSync } from 'node:fs';
import { evaluateExpression } from '../../lang/expr/try.ts';
import { describeError, runLarkFile, startLarkRepl } from '../../lang/lark/index.ts';

/** Runs a file for its output. Without a file, reads lines at a prompt. */
export async function larkCommand(args: readonly string[]): Promise<number> {
  const { stdin: input, stdout: output, stderr: error } = process;
  const [file] = args;
  if (file !== undefined) return runLarkFile(file, readFileSync(file, 'utf8'), { output, error });
  await startLarkRepl({ input, output, error });
  return 0;
}

/** Prints the value as JSON. The environment is a JSON object in a file (`-` is standard input). */
export async function exprCommand(args: readonly string[]): Promise<number> {
  const at = args.indexOf('--env');
  const file = at < 0 ? undefined : args[at + 1];
  const expression = args.find((_, index) => at < 0 || (index !== at && index !== at + 1));
  if (expression === undefined || (at >= 0 && file === undefined)) throw new Error("usage: millrace expr 'EXPRESSION' [--env FILE]");
  const env = file === undefined ? '{}' : readFileSync(file === '-' ? 0 : file, 'utf8');
  try {
    process.stdout.write(`${evaluateExpression(expression, env)}\n`);
    return 0;
  } catch (error) {
    process.stderr.write(`${describeError(error)}\n`);
    return 1;
  }
}
