/** One wait for news of a run. */
interface AwaitedNews {
  /** Resolves at the news, after so many milliseconds, or when the signal is aborted; earlier for no reason, too: look, then wait again. */
  within(ms: number, signal?: AbortSignal): Promise<void>;
  cancel(): void;
}

/** Says when a run that is played from outside asks its player, or ends. */
export interface ProgressEvents {
  /** News from now on, of this run or, null, of any: ask for it before looking, so that none comes in between unheard. */
  next(runId: string | null): AwaitedNews;
  close(): Promise<void>;
}
