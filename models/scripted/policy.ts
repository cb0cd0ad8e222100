import type { Said } from '../../domain/agent/encode-reply-as.js';
import type { ChatMessage } from '../../domain/model.js';
import type { Backend } from '../../domain/run.js';
import type { TaskSpec } from '../../domain/task.js';
import type { Game } from './game.js';

/** What a policy sees: the same messages that a provider would. Policies are pure: the same view, the same reply. */
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
}

/**
 * What a policy says; the run's agent decides in which form. `instead`: a reply in a wrong form, to be given where that form can
 * be wrong: words without a command, or several commands at once.
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
