import type { RunStatus, EndReason } from '../../domain/outcomes.js';
import type { SamplingParameters, TokenUsage } from '../../domain/model.js';
import type { EvaluationKind, EvaluationStatus, Isolation } from '../../domain/run.js';
import type { Metrics } from '../../domain/score.js';
import type { RunSummary } from './summaries.js';

export interface RunFilter {
  batchId?: string | undefined;
  models?: string[] | undefined;
  tasks?: string[] | undefined;
  statuses?: RunStatus[] | undefined;
  endReasons?: EndReason[] | undefined;
  /** Newest first, at most this many; default 1000. */
  limit?: number | undefined;
}

export interface EvaluationDetail {
  step: number;
  kind: EvaluationKind;
  number: number;
  status: EvaluationStatus;
  metrics: Metrics | null;
  primary: number | null;
  suspect: boolean;
  message: string;
  submissionSha256: string | null;
  isolation: Isolation;
  ms: number;
  at: string;
}

export interface RunDetail extends RunSummary {
  seed: number;
  agent: string;
  agentHash: string;
  taskHash: string;
  contract: number;
  provider: string;
  providerModel: string;
  sampling: SamplingParameters;
  wallSeconds: number;
  gpus: number;
  workspace: string | null;
  imageDigest: string | null;
  harnessVersion: string;
  replaces: string | null;
  shard: number;
  usage: TokenUsage;
  modelCalls: number;
  baseline: number | null;
  /** In order of their numbers. */
  evaluationList: EvaluationDetail[];
}
