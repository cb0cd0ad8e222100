import type { EpisodesWanted } from './reading/training.js';
import type { ExchangedStep, RecordedCall } from '../exchange/recorded-run.js';
import type { EpisodeLine } from '../views/training.js';

/** A value of the line's object, or one entry of a list in it, as JSON text. */
export interface LinePart {
  key: string;
  listed: boolean;
  text: string;
}

/** What is known about a line's origin. */
export interface LineSource {
  /** Signed by this home: the run is restored as it was. Any other gets the origin `import`, whatever the line says. */
  own: boolean;
  /** Id of the verified signing key. */
  signedBy: string | null;
  /** The tasks' contracts here. */
  contracts: Readonly<Record<string, number>>;
}

/** Stores a line in one transaction. Any error undoes it all; BenchError (usage) if the line is not accepted. */
export interface LineImport {
  add(part: LinePart): Promise<void>;
  finish(
    contentHash: string,
    source: LineSource,
  ): Promise<{ kind: 'imported' | 'existing' | 'changed'; runId: string; steps: number }>;
  /** Undo everything; no effect after `end`. */
  abandon(): Promise<void>;
}

/** What other tools need to distinguish runs, beyond what `bench show` has. */
export interface RecordedTask {
  name: string;
  min: number | null;
  max: number | null;
}

/** A run's record, read from one snapshot as often as a format needs it: memory does not grow with the number of steps. */
export interface RunRecord {
  task: RecordedTask;
  batch: string | null;
  /** What an imported run was shown first; null: not imported, or not recorded. */
  prompt: { role: string; content: string }[] | null;
  /** Of an episode. */
  episode: Record<string, unknown> | null;
  steps(): AsyncGenerator<ExchangedStep>;
  /** Calls of steps that are not there. */
  looseCalls(): Promise<(RecordedCall & { step: number })[]>;
  close(): Promise<void>;
}

export type RecordedAction = Omit<EpisodeLine['actions'][number], 'message' | 'mask'> & {
  /** What the policy said. */
  text: string;
  /** The outcome that it received; null: not over. */
  outcome: string | null;
};

/** What an export has of an episode, except what its policy was shown first. */
export type EpisodeRecord = Omit<EpisodeLine, 'messages' | 'actions' | 'exit_status'> & {
  final_evaluation: string | null;
  actions: RecordedAction[];
};

/** What runs are put together by in logs of other tools. */
export interface LogRun {
  runId: string;
  batchId: string;
  task: string;
  agent: string;
  model: string;
  attempt: number;
  createdAt: string;
}

export interface Exports {
  /** In order of submission. */
  runIds(batchId: string): Promise<string[]>;
  /** Of these runs, in order of submission. */
  logRuns(runIds: readonly string[]): Promise<LogRun[]>;
  /** One line of JSON, without its line end, in pieces. */
  line(runId: string): AsyncGenerator<string>;
  /** A run's record, step by step, for formats of other tools. */
  record(runId: string): Promise<RunRecord>;
  /** Episodes with what was done in them, in the order in which they were reset. */
  episodes(wanted: EpisodesWanted): AsyncGenerator<EpisodeRecord>;
  /** Takes such a line back, part by part, in one transaction. */
  startLine(): Promise<LineImport>;
}
