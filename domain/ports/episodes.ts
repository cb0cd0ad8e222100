import type { ActionProgress, EpisodeOutcome, StepReward } from '../episodes/outcome.js';
import type { EndReason } from '../run/outcomes.js';
import type { RolloutEndpoint } from '../model/model.js';
import type { EpisodeAction, ResetRequest } from '../requests/episode.js';
import type { RunDefinition, RunTicket } from '../run/run.js';

/** An episode that begins. */
export interface NewEpisode {
  run: RunDefinition;
  /** The trainer's own id; else the run's. */
  episodeId: string;
  protocol: string;
  /** Hash of the client's session key; null: it has none. */
  session: string | null;
  reset: ResetRequest;
  reward: Record<string, unknown>;
  idleSeconds: number;
  deadlineAt: Date | null;
  /** How long the reset has taken, milliseconds. */
  resetMs: number;
  /** It is a rollout: bench plays, with a trainer's endpoint as its model. */
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
  /** Of the last action that was taken; 0: none. */
  seq: number;
  nextStep: number;
  nextTry: number;
  /** Without a request for so long it is given up. */
  idleSeconds: number;
  requested: boolean;
  ended: boolean;
  endReason: EndReason | null;
  /** Its workflow has taken it up. */
  started: boolean;
}

export type TakenAction =
  /** `repeated`: it was taken before. `answers`: the turn that it answers. `heard`: a worker listens for the answer. */
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
  /** What its command had printed when its worker looked last, the end of it. */
  printed: string;
}

/** Episodes: their rows, the actions taken in them and what came of these. Every write is keyed. */
export interface Episodes {
  /** Opens the batch that episodes are runs of, unless one of this name is there; `training` false: that one is another kind of batch. */
  openBatch(batch: {
    batchId: string;
    name: string;
    spec: Record<string, unknown>;
    seed: number;
    concurrency: number;
  }): Promise<{ batchId: string; training: boolean }>;
  /** Stores an episode with its run, or finds the one of this id. `known`: it was there. */
  create(episode: NewEpisode, harnessVersion: string): Promise<{ row: EpisodeRow; known: boolean }>;
  /** By the trainer's id or the run's; null: there is none. */
  find(id: string): Promise<EpisodeRow | null>;
  /** The latest one of a session; null: it has begun none. */
  ofSession(session: string): Promise<EpisodeRow | null>;
  /** From now on this session plays that episode, and no other. */
  adopt(runId: string, session: string): Promise<void>;
  /** From now on its run should be going. Returns its ticket while it is not. */
  want(runId: string): Promise<RunTicket | null>;
  /** Wanted for so many seconds, and not begun. */
  notBegun(seconds: number): Promise<RunTicket[]>;
  /** Takes an action: its reply answers the turn that the policy was asked, be it before that is asked. */
  take(action: {
    runId: string;
    /** Null: the next one. */
    seq: number | null;
    action: EpisodeAction | { malformed: string };
    reply: string;
    policyVersion: number | null;
  }): Promise<TakenAction>;
  /** An action as it was taken, and whether its client is known to have read the outcome; null: none has this number. */
  taken(runId: string, seq: number): Promise<TakenBefore | null>;
  /** The client has read the outcome of this action. */
  delivered(runId: string, seq: number): Promise<void>;
  /** Its command, if it still runs, is to be interrupted. */
  interrupt(runId: string, seq: number): Promise<void>;
  progress(runId: string, seq: number): Promise<ActionProgress | null>;
  /** What the step of an action is worth by the record. */
  stepReward(runId: string, seq: number): Promise<StepReward>;
  /** Stores an outcome, and which turn comes next. Returns the one that was stored first. */
  settle(runId: string, outcome: EpisodeOutcome, next: { step: number; try: number } | null): Promise<EpisodeOutcome>;
  /** A client is there: the episode's expiry is postponed. */
  touch(runId: string): Promise<void>;
  /**
   * A client is there that will not come back if the server of its protocol dies: without another call the
   * episode is abandoned after so many seconds.
   */
  expireIn(runId: string, seconds: number): Promise<void>;
  /** The client has gone: unless one comes back, the episode is abandoned after so many seconds. */
  detach(runId: string, seconds: number): Promise<void>;
  /** Open, and without a client for as long as was agreed. */
  expired(): Promise<{ runId: string; requested: boolean }[]>;
  /** Episodes of this batch that hold, or are about to hold, a sandbox; rollouts, which wait for their turn, are not among them. */
  open(batchId: string, except?: readonly string[]): Promise<number>;
}
