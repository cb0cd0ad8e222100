export interface RunKind {
  model: string;
  agent: string;
  task: string;
  sample: boolean;
}

export interface PastRun {
  /** Index into the requested kinds. */
  nth: number;
  /**
   * `own`: of the same model, agent and task; `agent`: of the same model and task, by another
   * agent; `import`: of the same task, recorded elsewhere, perhaps of another model.
   */
  source: 'own' | 'agent' | 'import';
  costUsd: string;
  inputTokens: number;
  outputTokens: number;
  cachedTokens: number;
  reasoningTokens: number;
  cacheWriteTokens: number;
  cacheWriteHourTokens: number;
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

/** Mean gain over the tasks, of a model that has played each of them. */
export interface MeanGain {
  model: string;
  mean: number;
  /** Sum over the tasks of 1 / attempts. */
  inverseAttempts: number;
}

export interface ForecastReads {
  pastRuns(kinds: readonly RunKind[]): Promise<PastRun[]>;
  /** Null: unknown. */
  gainSpread(of: { models: readonly string[]; tasks: readonly string[] }): Promise<GainSpread | null>;
  meanGains(of: {
    models: readonly string[];
    agents: readonly string[];
    tasks: readonly string[];
  }): Promise<MeanGain[]>;
  /** Those of these task versions whose starter has a score. */
  measuredBaselines(taskHashes: readonly string[]): Promise<string[]>;
}
