/** What hangs on runs, by kind of row. */
export interface DeletedRows {
  runs: number;
  steps: number;
  modelCalls: number;
  evaluations: number;
  events: number;
  snapshots: number;
  /** US dollars that they cost here; `deleted_runs` keeps it. */
  costUsd: string;
}

export interface RunsToDelete {
  /** With the nodes of their search trees. */
  runIds: string[];
  /** Batches of such nodes, which hold nothing else. */
  batchIds: string[];
}

/** Stored bytes of runs: names in the artifact store. */
export interface StoredBytes {
  archives: string[];
  manifests: string[];
  /** Names of disks on their hosts. */
  disks: string[];
}

export interface Labels {
  note?: string | null | undefined;
  /** All of them; null: unchanged. */
  tags?: readonly string[] | null | undefined;
}

/** Removal of runs and batches, and what people note about them. */
export interface Deletion {
  /** BenchError (usage): one has not ended, is a node of a tree, or others refer to it. */
  plan(of: { runIds: readonly string[] } | { batchId: string }): Promise<RunsToDelete>;
  count(runs: RunsToDelete): Promise<DeletedRows>;
  bytes(runs: RunsToDelete): Promise<StoredBytes>;
  /** In one transaction. `batchId`: this batch too. Checks again what `plan` checked. */
  remove(runs: RunsToDelete, batchId: string | null): Promise<void>;
  archive(batchId: string, archived: boolean): Promise<void>;
  label(of: { runId: string } | { batchId: string }, labels: Labels): Promise<void>;
}
