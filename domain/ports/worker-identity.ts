/** This worker's process, as the ledger of model calls names it. */
export interface WorkerIdentity {
  /** Unique for good, even if the process id is reused. */
  readonly name: string;
  /** Is that process certainly gone? False if it may live, as on another machine. */
  isGone(name: string): boolean;
}
