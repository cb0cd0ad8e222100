import type { ActionProgress, EpisodeOutcome, StepReward } from '../episodes/action-outcome.js';
import type { EndReason } from '../run/outcomes.js';
import type { RolloutEndpoint } from '../model/model.js';
import type { EpisodeAction, ResetRequest } from '../requests/episode.js';
import type { RunDefinition, RunTicket } from '../run/run.js';

export interface NewEpisode {
  run: RunDefinition;
  /** The trainer's own id, or else the run's. */
  episodeId: string;
  protocol: string;
  /** Hash of the client's session key; null: none. */
  session: string | null;
  reset: ResetRequest;
  reward: Record<string, unknown>;
  idleSeconds: number;
  deadlineAt: Date | null;
  /** Duration of the reset so far. */
  resetMs: number;
  /** Set for a rollout: bench plays, with a trainer's endpoint as its model. */
  rollout?: RolloutEndpoint;
}

export interface EpisodeRow {
  runId: string;
  episodeId: string;
  batchId: string;
  task: string;
  protocol: string;
  session: string | null;
  reset: ResetRequest;
  reward: Record<string, unknown>;
  policyVersion: number | null;
  /** Of the last action; 0: none. */
  seq: number;
  nextStep: number;
  nextTry: number;
  /** The episode is abandoned after so long without a request. */
  idleSeconds: number;
  requested: boolean;
  ended: boolean;
  endReason: EndReason | null;
  /** Its workflow has picked it up. */
  started: boolean;
}

export type TakenAction =
  /** `repeated`: was taken before. `answers`: the turn it answers. `heard`: a worker listens. */
  | { kind: 'taken'; seq: number; repeated: boolean; answers: { step: number; try: number }; heard: boolean }
  /** The outcome of action `seq` has not been settled. */
  | { kind: 'busy'; seq: number }
  /** `expected`: the number of the next action. */
  | { kind: 'out_of_order'; expected: number }
  /** Another action has this number. */
  | { kind: 'action_conflict'; seq: number }
  | { kind: 'ended' }
  | { kind: 'not_found' };

export interface TakenBefore {
  action: EpisodeAction | { malformed: string };
  settled: boolean;
  delivered: boolean;
  /** End of the command's output when its worker last looked. */
  printed: string;
}

/** Episodes, their actions and outcomes. Every write is keyed. */
export interface Episodes {
  /** Finds or opens the batch. `training` false: another kind of batch has the name. */
  openBatch(batch: {
    batchId: string;
    name: string;
    spec: Record<string, unknown>;
    seed: number;
    concurrency: number;
  }): Promise<{ batchId: string; training: boolean }>;
  /** Stores an episode with its run. `known`: the id already existed. */
  create(episode: NewEpisode, harnessVersion: string): Promise<{ row: EpisodeRow; known: boolean }>;
  /** By the trainer's id or the run's. */
  find(id: string): Promise<EpisodeRow | null>;
  /** The latest episode of a session. */
  ofSession(session: string): Promise<EpisodeRow | null>;
  /** From now on this session plays that episode only. */
  adopt(runId: string, session: string): Promise<void>;
  /** Marks the run as wanted. Returns its ticket until it has begun. */
  want(runId: string): Promise<RunTicket | null>;
  /** Wanted for so many seconds, and not begun. */
  notBegun(seconds: number): Promise<RunTicket[]>;
  /** Takes an action. Its reply may arrive before the policy's turn is requested. */
  take(action: {
    runId: string;
    /** Null: the next number. */
    seq: number | null;
    action: EpisodeAction | { malformed: string };
    reply: string;
    policyVersion: number | null;
  }): Promise<TakenAction>;
  /** An action as it was taken, and whether its client has read the outcome. */
  taken(runId: string, seq: number): Promise<TakenBefore | null>;
  /** The client has read the outcome of this action. */
  delivered(runId: string, seq: number): Promise<void>;
  /** Request an interrupt of the action's command. */
  interrupt(runId: string, seq: number): Promise<void>;
  progress(runId: string, seq: number): Promise<ActionProgress | null>;
  /** Reward of the action's step, from the record. */
  stepReward(runId: string, seq: number): Promise<StepReward>;
  /** Stores an outcome and the next turn. Returns the outcome that was stored first. */
  settle(runId: string, outcome: EpisodeOutcome, next: { step: number; try: number } | null): Promise<EpisodeOutcome>;
  /** A client is connected: postpone the episode's expiry. */
  touch(runId: string): Promise<void>;
  /** As touch, for a client that a crash of its server ends: the episode expires so soon. */
  expireIn(runId: string, seconds: number): Promise<void>;
  /** The client left: unless one returns, the episode is abandoned after so many seconds. */
  detach(runId: string, seconds: number): Promise<void>;
  /** Open episodes whose idle time is over. */
  expired(): Promise<{ runId: string; requested: boolean }[]>;
  /** Episodes that have or are about to get a sandbox; queued rollouts do not count. */
  open(batchId: string, except?: readonly string[]): Promise<number>;
}
