import type { ChatMessage, ModelReply, ToolDefinition } from '../model.js';
import type { EndReason } from '../outcomes.js';
import type { RunDefinition } from '../run.js';
import type { ModelCallKey } from './record/call-ledger.js';

/** A reply, or why the run ends before or instead of it: nothing was bought then. */
export type ModelCallResult =
  | { kind: 'reply'; reply: ModelReply; ms: number }
  | { kind: 'end'; endReason: EndReason }
  /** Not now: others hold what it needs. */
  | { kind: 'wait'; waitMs: number };

export interface ModelPrompt {
  messages: ChatMessage[];
  tools?: ToolDefinition[];
}

/** One model call: a stored answer is never asked for again, and no call is made that a limit of the run might not allow. */
export type CallModel = (
  run: RunDefinition,
  key: ModelCallKey,
  prompt: ModelPrompt,
  signal: AbortSignal,
) => Promise<ModelCallResult>;
