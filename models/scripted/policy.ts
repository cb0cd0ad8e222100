import type { Said } from '../../domain/agent/encode-reply-as.js';
import type { ChatMessage } from '../../domain/model/model.js';
import type { Backend } from '../../domain/run/run.js';
import type { TaskSpec } from '../../domain/task/task.js';
import type { Game } from './game.js';

/** What a policy sees: a provider's messages, and more. Policies are pure: the same view gives the same reply. */
export interface PolicyView {
  messages: ChatMessage[];
  game: Game;
  /** Steps taken so far. */
  stepsTaken: number;
  /** The last reply was refused, and this is the requery. */
  requery: boolean;
  number: number;
  /** The task that the run plays; absent: not known. */
  task?: TaskSpec | undefined;
  /** Only of the policy that plays them. */
  oracleFiles?: readonly OracleFile[] | undefined;
  /** Only of the policy that looks for them: bytes of the files that agents must not see. */
  secretSizes?: readonly number[] | undefined;
  backend?: Backend | undefined;
  /** Of the run. */
  seed?: number | undefined;
}

/**
 * A policy's reply; the run's agent decides on its form. `instead`: a reply in a wrong form, sent where the agent would refuse it:
 * text without a command, or several commands at once.
 */
export interface PolicyReply extends Said {
  instead?: { text: string } | { commands: readonly Said[] };
}
export type Policy = (view: PolicyView) => PolicyReply;

/** A thought and one command. */
export const reply = (thought: string, action: string): PolicyReply => ({ thought, action });

/** A file of a task's oracle/. */
export interface OracleFile {
  /** Relative to the workspace. */
  path: string;
  content: Buffer;
  executable: boolean;
}
