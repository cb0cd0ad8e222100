export interface RunKind {
  model: string;
  agent: string;
  task: string;
  sample: boolean;
}

export interface PastRun {
  /** Index into the requested kinds. */
  nth: number;
  /** False: another model's run of the same task, recorded by another harness. */
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

/** How much the gains of equal attempts vary. */
export interface GainSpread {
  /** Pooled standard deviation among attempts of one model and agent at one task. */
  spread: number;
  attempts: number;
  freedom: number;
  /** False: these models have no repeated attempts at these tasks; the attempts are others'. */
  own: boolean;
}

export interface ForecastReads {
  pastRuns(kinds: readonly RunKind[]): Promise<PastRun[]>;
  /** Null: unknown. */
  gainSpread(of: { models: readonly string[]; tasks: readonly string[] }): Promise<GainSpread | null>;
  /** Those of these task versions whose starter has a score. */
  measuredBaselines(taskHashes: readonly string[]): Promise<string[]>;
}
