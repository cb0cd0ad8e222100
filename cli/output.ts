import type { WriteStream } from 'node:tty';
import type { CliOutput } from './context.js';
import { createTerminalColors, forTerminal, jsonForTerminal } from './terminal-text.js';

/** `NO_COLOR` and `FORCE_COLOR` decide, else whether the stream is a terminal. */
function wantsColor(stream: NodeJS.WriteStream, env: Readonly<Record<string, string | undefined>>): boolean {
  if (env['NO_COLOR'] !== undefined) return false;
  if (env['FORCE_COLOR'] !== undefined) return env['FORCE_COLOR'] !== '0';
  return stream.isTTY && env['TERM'] !== 'dumb';
}

/** Output over the process's own streams. */
export function createOutput(
  jsonMode: boolean,
  env: Readonly<Record<string, string | undefined>>,
  stdout: NodeJS.WriteStream = process.stdout,
  stderr: NodeJS.WriteStream = process.stderr,
): CliOutput & { readonly jsonWritten: boolean } {
  let jsonWritten = false;
  return {
    jsonMode,
    interactive: stdout.isTTY && !jsonMode && env['TERM'] !== 'dumb',
    logInteractive: stderr.isTTY && env['TERM'] !== 'dumb',
    get width() {
      return (stdout as Partial<WriteStream>).columns ?? (stderr as Partial<WriteStream>).columns ?? 120;
    },
    get height() {
      return (stdout as Partial<WriteStream>).rows ?? (stderr as Partial<WriteStream>).rows ?? 40;
    },
    colors: createTerminalColors(wantsColor(stdout, env)),
    logColors: createTerminalColors(wantsColor(stderr, env)),
    get jsonWritten() {
      return jsonWritten;
    },
    print(text) {
      if (!jsonMode) stdout.write(`${forTerminal(text)}\n`);
    },
    draw(text) {
      if (!jsonMode) stdout.write(forTerminal(text));
    },
    data(text) {
      if (!jsonMode) stdout.write(stdout.isTTY ? forTerminal(text) : text);
    },
    json(document) {
      if (!jsonMode) return;
      if (jsonWritten) throw new Error('a command writes one JSON document');
      jsonWritten = true;
      stdout.write(`${jsonForTerminal(JSON.stringify(document, null, 2))}\n`);
    },
    log(text) {
      stderr.write(`${forTerminal(text)}\n`);
    },
    drawLog(text) {
      stderr.write(forTerminal(text));
    },
  };
}
