#!/usr/bin/env node
/** The command line's entry: hands its arguments to the command that they name. */
import { loadSparingly } from './memory.ts';

const { runCommand } = await loadSparingly(() => import('./cli/commands/index.ts'));
process.exitCode = await runCommand(process.argv.slice(2));
