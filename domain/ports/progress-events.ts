interface AwaitedNews {
  /** Resolves at news, after the time or on abort; may wake early, so check and wait again. */
  within(ms: number, signal?: AbortSignal): Promise<void>;
  cancel(): void;
}

/** Signals when an externally played run requests a turn, or ends. */
export interface ProgressEvents {
  /** News from now on, of this run or (null) any. Call it before checking, to miss none. */
  next(runId: string | null): AwaitedNews;
  close(): Promise<void>;
}
