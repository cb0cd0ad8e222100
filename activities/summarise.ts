import { withoutThought } from '../domain/agent/parse-reply.js';
import { summaryAction } from '../domain/agent/step-text.js';
import { estimateTokens } from '../domain/model/estimate-tokens.js';
import type { ChatMessage, ToolDefinition } from '../domain/model/model.js';
import type { Player } from '../domain/ports/player.js';
import type { ImageLog } from '../domain/ports/record/images.js';
import type { Fence, StepLog } from '../domain/ports/record/steps.js';
import type { RunDefinition } from '../domain/run/run.js';
import type { SummaryPrompt } from './prompt-histories.js';
import { imagesFor } from './shown-images.js';
import type { TakenTurn } from './step-in-memory.js';

/** Whether the run's next turn is a summary. */
export function isLong(
  { agent, model }: RunDefinition,
  messages: readonly ChatMessage[],
  tools: readonly ToolDefinition[] | undefined,
): boolean {
  const { compactAt } = agent;
  const window = model.config?.contextWindow;
  if (compactAt === undefined || window === undefined) return false;
  return estimateTokens(messages, tools) > compactAt * window;
}

const SUMMARY_TRIES = 2;

/**
 * The step is a summary of the older steps, asked and paid as any turn. `first`: its first try,
 * after those of an action. Without a summary the context stays full, and the run ends by that.
 */
export async function summarise(
  { store, players }: { store: Pick<StepLog, 'saveAction'> & ImageLog; players: ReadonlyMap<string, Player> },
  { run, step, fence, signal }: { run: RunDefinition; step: number; fence: Fence | undefined; signal: AbortSignal },
  { summary, tools, first }: { summary: SummaryPrompt; tools: ToolDefinition[] | undefined; first: number },
): Promise<TakenTurn> {
  const { runId } = run;
  const { messages, through } = summary;
  const player = players.get(run.model.provider);
  let modelMs = 0;
  for (let at = first; player !== undefined && at < first + SUMMARY_TRIES; at += 1) {
    const turn = { runId, step, try: at, ...(fence !== undefined && { fence }) };
    const images = await imagesFor(store, run, messages);
    const next = await player.next(run, turn, { messages, ...images, ...(tools !== undefined && { tools }) }, signal);
    if (next.kind === 'end') return { kind: 'end', endReason: next.endReason, ms: modelMs };
    if (next.kind === 'wait') return { kind: 'wait', endReason: null, ms: 0, waitMs: next.waitMs };
    if (next.kind === 'asked') return { kind: 'asked', endReason: null, ms: 0, try: at };
    modelMs += next.ms;
    const text = withoutThought(next.reply.text).trim();
    if (text === '' || next.reply.finishReason === 'refusal') continue;
    const action = summaryAction(through);
    await store.saveAction(runId, step, { response: text, reasoning: null, thought: text, action, modelMs }, fence);
    // The command's part reads from the record that it is none.
    return { kind: 'action', endReason: null, ms: modelMs };
  }
  return { kind: 'end', endReason: 'context', ms: modelMs };
}
