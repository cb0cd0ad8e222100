import type { Colors } from 'picocolors/types.js';
import type { Bench } from '../operations/bench.js';

/** stdout is for results, stderr for all else. No text drives the terminal: see terminal-text. */
export interface CliOutput {
  /** `--json` was given: `print` is silent, `json` writes the one document. */
  readonly jsonMode: boolean;
  /** stdout is a terminal that can be redrawn. */
  readonly interactive: boolean;
  /** stderr is a terminal that can be redrawn. */
  readonly logInteractive: boolean;
  /** Terminal size; 120 and 40 without one. */
  readonly width: number;
  readonly height: number;
  /** For stdout. */
  readonly colors: Colors;
  /** For stderr. */
  readonly logColors: Colors;
  /** A line or block for people on stdout; nothing with `--json`. */
  print(text: string): void;
  /** Text on stdout without a line end, to redraw; nothing with `--json`. */
  draw(text: string): void;
  /** A file's content on stdout, unchanged unless it is a terminal; nothing with `--json`. */
  data(text: string): void;
  /** The one JSON document on stdout; nothing without `--json`. Calling it twice is a bug. */
  json(document: unknown): void;
  /** A line on stderr: notices, progress. */
  log(text: string): void;
  /** Text on stderr without a line end, to redraw progress. */
  drawLog(text: string): void;
}

export interface CliContext extends Bench {
  readonly output: CliOutput;
  /** Of a failure that is already printed, an interruption (130: Ctrl-C), or a verdict (3, 4). */
  setExitCode(code: 0 | 1 | 2 | 3 | 4 | 130): void;
  /** Aborted at the first Ctrl-C after this call; before it, Ctrl-C ends the process. */
  onInterrupt(): AbortSignal;
}
