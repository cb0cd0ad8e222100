/** Runs that are played alike. */
export interface RunKind {
  model: string;
  agent: string;
  task: string;
  sample: boolean;
}

/** What an ended run used. */
export interface PastRun {
  /** Its place in the kinds asked about. */
  nth: number;
  /** False: of another model at the same task, as another harness recorded it. */
  own: boolean;
  costUsd: string;
  inputTokens: number;
  outputTokens: number;
  cachedTokens: number;
  reasoningTokens: number;
  cacheWriteTokens: number;
  /** Null: its harness did not record it. */
  ms: number | null;
}

/** How much the gains of attempts vary that are alike. */
export interface GainSpread {
  /** Standard deviation among attempts of one model and agent at one task, pooled. */
  spread: number;
  /** Attempts that it is from, and its degrees of freedom. */
  attempts: number;
  freedom: number;
  /** False: none of these models played these tasks more than once; attempts of others, imported ones too. */
  own: boolean;
}

/** What forecasts draw from. */
export interface ForecastReads {
  /** What ended runs like these used. */
  pastRuns(kinds: readonly RunKind[]): Promise<PastRun[]>;
  /** How much the gains of attempts at these tasks vary that are alike; null: not known. */
  gainSpread(of: { models: readonly string[]; tasks: readonly string[] }): Promise<GainSpread | null>;
  /** Those of these versions of tasks whose starter has a score. */
  measuredBaselines(taskHashes: readonly string[]): Promise<string[]>;
}
