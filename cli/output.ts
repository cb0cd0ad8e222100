import type { CliOutput } from './context.js';
import { createTerminalColors, forTerminal, jsonForTerminal } from './terminal-text.js';

/** A stream of the process, or one that keeps its text. */
export interface TextStream {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
}

/** `NO_COLOR` and `FORCE_COLOR` override whether the stream is a terminal. */
function wantsColor(stream: TextStream, env: Readonly<Record<string, string | undefined>>): boolean {
  if (env['NO_COLOR'] !== undefined) return false;
  if (env['FORCE_COLOR'] !== undefined) return env['FORCE_COLOR'] !== '0';
  return stream.isTTY === true && env['TERM'] !== 'dumb';
}

export function createOutput(
  jsonMode: boolean,
  env: Readonly<Record<string, string | undefined>>,
  stdout: TextStream = process.stdout,
  stderr: TextStream = process.stderr,
): CliOutput & { readonly jsonWritten: boolean } {
  let jsonWritten = false;
  return {
    jsonMode,
    interactive: stdout.isTTY === true && !jsonMode && env['TERM'] !== 'dumb',
    logInteractive: stderr.isTTY === true && env['TERM'] !== 'dumb',
    get width() {
      return stdout.columns ?? stderr.columns ?? 120;
    },
    get height() {
      return stdout.rows ?? stderr.rows ?? 40;
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
      if (!jsonMode) stdout.write(stdout.isTTY === true ? forTerminal(text) : text);
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
