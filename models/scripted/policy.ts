import type { Said } from '../../domain/agent/encode-reply-as.js';
import type { ChatMessage } from '../../domain/model/model.js';
import type { Backend } from '../../domain/run/run.js';
import type { TaskSpec } from '../../domain/task/task.js';
import type { Game } from './game.js';

/** More than a provider's messages. Policies are pure: the same view gives the same reply. */
export interface PolicyView {
  messages: ChatMessage[];
  game: Game;
  stepsTaken: number;
  /** The last reply was refused, and this is the requery. */
  requery: boolean;
  number: number;
  task?: TaskSpec | undefined;
  /** For the policy that plays them. */
  oracleFiles?: readonly OracleFile[] | undefined;
  /** For the policy that looks for them: bytes of files that agents must not see. */
  secretSizes?: readonly number[] | undefined;
  backend?: Backend | undefined;
  seed?: number | undefined;
}

/** `instead`: a wrong form, sent where the agent would refuse it: no command, or several. */
export interface PolicyReply extends Said {
  instead?: { text: string } | { commands: readonly Said[] };
}
export type Policy = (view: PolicyView) => PolicyReply;

export const reply = (thought: string, action: string): PolicyReply => ({ thought, action });

export interface OracleFile {
  path: string;
  content: Buffer;
  executable: boolean;
}
