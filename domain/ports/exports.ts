import type { EpisodesWanted } from './reading/training.js';
import type { ExchangedStep, RecordedCall } from '../exchange/recorded-run.js';
import type { EpisodeLine } from '../views/training.js';

/** A value of the line's object, or one entry of a list in it, as JSON text. */
export interface LinePart {
  key: string;
  listed: boolean;
  text: string;
}

export interface LineSource {
  /** Signed by this home: the run is restored as is. Other runs always get the origin `import`. */
  own: boolean;
  /** Id of the verified signing key. */
  signedBy: string | null;
  /** Contract versions of this home's tasks. */
  contracts: Readonly<Record<string, number>>;
}

/** Stores a line in one transaction; any error undoes it. BenchError (usage): refused. */
export interface LineImport {
  add(part: LinePart): Promise<void>;
  finish(
    contentHash: string,
    source: LineSource,
  ): Promise<{ kind: 'imported' | 'existing' | 'changed'; runId: string; steps: number }>;
  /** Undo everything; no effect after `finish`. */
  abandon(): Promise<void>;
}

export interface RecordedTask {
  name: string;
  min: number | null;
  max: number | null;
}

/** A run's record from one snapshot, read in streams: memory does not grow with the steps. */
export interface RunRecord {
  task: RecordedTask;
  batch: string | null;
  /** First messages of an imported run; null: not imported, or not recorded. */
  prompt: { role: string; content: string }[] | null;
  episode: Record<string, unknown> | null;
  steps(): AsyncGenerator<ExchangedStep>;
  /** Calls of missing steps. */
  looseCalls(): Promise<(RecordedCall & { step: number })[]>;
  close(): Promise<void>;
}

export type RecordedAction = Omit<EpisodeLine['actions'][number], 'message' | 'mask'> & {
  text: string;
  /** Null: not over. */
  outcome: string | null;
};

/** All of an exported episode but its first messages. */
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
  /** In order of submission. */
  logRuns(runIds: readonly string[]): Promise<LogRun[]>;
  /** One line of JSON, without its line end, in pieces. */
  line(runId: string): AsyncGenerator<string>;
  /** A run's record, step by step, for formats of other tools. */
  record(runId: string): Promise<RunRecord>;
  /** In order of their resets. */
  episodes(wanted: EpisodesWanted): AsyncGenerator<EpisodeRecord>;
  /** Imports an exported line, part by part, in one transaction. */
  startLine(): Promise<LineImport>;
}
