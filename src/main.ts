#!/usr/bin/env node
/** The command line's entry: hands its arguments to the command that they name. */
import './memory.ts';
import { runCommand } from './cli/commands.ts';

process.exitCode = await runCommand(process.argv.slice(2));
