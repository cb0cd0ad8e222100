import type { CommandDoc } from './agent/command-doc.js';
import type { OutputParserName } from './agent/parse-reply.js';
import type { ModelRequest } from './model.js';
import type { Backend } from './run.js';
import type { TaskSpec } from './task.js';

/** What a player is asked: what a model would be, and what only players of ours know how to use. No provider gets to see the latter. */
export interface PlayerRequest extends ModelRequest {
  /** Whose turn it is, for players that go by it instead of by the messages. `try`: requeries so far. */
  turn?: { runId: string; step: number; try: number };
  /** The task as it was submitted, for players that know it. */
  plays?: { task: TaskSpec; taskHash: string; backend?: Backend };
  /** How the run's agent reads replies, for players that must write in its form. */
  readAs?: { parser: OutputParserName; commands: readonly CommandDoc[] };
}
