import type { Colors } from 'picocolors/types.js';
import type { Bench } from '../operations/bench.js';

/** stdout belongs to results, stderr to everything else. No text that is given to it drives the terminal: see terminal-text. */
export interface CliOutput {
  /** `--json` was given: `print` is silent, `json` writes the one document. */
  readonly jsonMode: boolean;
  /** stdout is a terminal that can be redrawn. */
  readonly interactive: boolean;
  /** stderr is a terminal that can be redrawn. */
  readonly logInteractive: boolean;
  /** Columns and rows of the terminal; 120 and 40 where there is none. */
  readonly width: number;
  readonly height: number;
  /** For text on stdout. */
  readonly colors: Colors;
  /** For text on stderr. */
  readonly logColors: Colors;
  /** A line (or block) for people on stdout; nothing with `--json`. */
  print(text: string): void;
  /** Text on stdout without a line end, for what redraws itself; nothing with `--json`. */
  draw(text: string): void;
  /** A file's content on stdout, byte for byte where that is no terminal; nothing with `--json`. */
  data(text: string): void;
  /** The command's one JSON document on stdout; nothing without `--json`. A second call is a programming error. */
  json(document: unknown): void;
  /** A line on stderr: notices, progress. */
  log(text: string): void;
  /** Text on stderr without a line end, for progress that redraws itself. */
  drawLog(text: string): void;
}

/** What a command may use: the core of one home, the terminal, and the exit code. */
export interface CliContext extends Bench {
  readonly output: CliOutput;
  /** The exit code of a failure that is already printed, or of an interruption (130: Ctrl-C). */
  setExitCode(code: 1 | 2 | 130): void;
  /** Aborted at the first Ctrl-C, if the command asked for it by calling this; else Ctrl-C ends the process. */
  onInterrupt(): AbortSignal;
}
