#!/usr/bin/env -S node --no-allocation-site-pretenuring --max-semi-space-size=8
/** The entry of the command line: runs the command that the arguments name. */
import { runCommand } from './cli/commands/index.ts';

process.exitCode = await runCommand(process.argv.slice(2));
