import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CommanderError } from 'commander';
import type { BenchError } from '../domain/errors.js';
import { type ClosableContext, createContext } from './create-context.js';
import { asBenchError } from '../operations/as-bench-error.js';
import { CANDIDATES } from './completion/scripts.js';
import { createOutput, type TextStream } from './output.js';
import { Interrupted } from './interruptible.js';
import { buildProgram } from './program.js';
import { remedyText } from './render/remedy.js';
import { findAssetsRoot, readSettings } from '../operations/settings.js';
import { helpHint, refuseRenamed, refuseUnknownHelp } from './usage-errors.js';
import type { ErrorDocument } from '../domain/views/errors.js';

export interface Caller {
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  stdout: TextStream;
  stderr: TextStream;
}

/** Prints the error on stderr, and as the JSON document if there was none yet. */
function printError(error: BenchError, output: ReturnType<typeof createOutput>, debug: boolean): void {
  const { red, bold } = output.logColors;
  output.log(`${red(bold('error:'))} ${error.message}`);
  const remedy = error.remedy === undefined ? null : remedyText(error.remedy, error.fields);
  if (remedy !== null) output.log(remedy);
  if (debug) output.log(error.stack ?? '');
  for (let cause = error.cause; debug && cause instanceof Error; cause = cause.cause)
    output.log(`caused by ${cause.stack ?? ''}`);
  if (!output.jsonWritten)
    output.json({
      error: { type: error.type, code: error.code, message: error.message, remedy },
    } satisfies ErrorDocument);
}

/** commander has written its message; the JSON document is missing. */
function printUsage(error: CommanderError, output: ReturnType<typeof createOutput>): 0 | 2 {
  if (error.exitCode === 0) return 0;
  const message = error.message.replace(/^error: /, '');
  const shown = error.code === 'commander.help' ? 'no command was given' : message;
  output.json({
    error: { type: 'usage', code: 'usage', message: shown, remedy: helpHint(error) },
  } satisfies ErrorDocument);
  return 2;
}

/**
 * Runs one command, `args` as from a shell. Prints errors and returns the exit code. Reads nothing
 * but its arguments, and does not end the process.
 */
export async function runCommand(args: readonly string[], { env, cwd, stdout, stderr }: Caller): Promise<number> {
  // Needed before parsing: errors of the arguments are printed as JSON too.
  const jsonMode = args.includes('--json');
  // Until `.env` is read, only the environment decides on colours.
  let output = createOutput(jsonMode, env, stdout, stderr);
  let context: ClosableContext | null = null;
  try {
    const assetsRoot = findAssetsRoot();
    const settings = readSettings(env, cwd, assetsRoot);
    output = createOutput(jsonMode, settings.env, stdout, stderr);
    context = createContext(settings, output);
    if (args[0] === CANDIDATES) {
      const { completionLines } = await import('./completion/answer.js');
      for (const line of await completionLines(context, args.slice(1))) output.data(`${line}\n`);
      return 0;
    }
    const { version } = JSON.parse(readFileSync(join(assetsRoot, 'package.json'), 'utf8')) as { version: string };
    const program = await buildProgram(context, args[0]);
    program.version(version, '-V, --version', 'print the version');
    refuseRenamed(program, args[0]);
    refuseUnknownHelp(program, args);
    await program.parseAsync(args, { from: 'user' });
    return context.exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return printUsage(error, output);
    if (error instanceof Interrupted) {
      output.log(error.message);
      output.json({
        error: { type: 'interrupted', code: 'interrupted', message: error.message, remedy: null },
      } satisfies ErrorDocument);
      return 130;
    }
    const failure = asBenchError(error);
    printError(failure, output, env['BENCH_DEBUG'] === '1');
    return failure.exitCode;
  } finally {
    await context?.close();
  }
}
