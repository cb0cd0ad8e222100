import { Unrecoverable } from '../domain/errors.js';
import { estimateTokens, exceedsWindow } from '../domain/model/estimate-tokens.js';
import type { EndReason } from '../domain/run/outcomes.js';
import type { Prompt, TurnKey, TurnResult } from '../domain/ports/player.js';
import type { CallLedger } from '../domain/ports/record/call-ledger.js';
import { addUsd, compareUsd } from '../domain/model/price.js';
import type { RunDefinition } from '../domain/run/run.js';
import { outputLimit } from './output-limit.js';

export async function beforeCall(
  store: CallLedger,
  run: RunDefinition,
  key: TurnKey,
  reservedUsd: string,
  prompt: Prompt,
): Promise<Extract<TurnResult, { kind: 'reply' | 'end' }> | null> {
  const reached = await limitReached(store, run, key, reservedUsd, prompt);
  if (reached === null) return null;
  // A worker paid for it and died before recording the step. It may have used up the limit.
  const stored = await store.storedAnswer(key);
  if (stored !== null) return { kind: 'reply', ...stored };
  if (reached instanceof Unrecoverable) throw reached;
  if (reached === 'cost') await store.noteRefused(run.runId, reservedUsd);
  return { kind: 'end', endReason: reached };
}

/**
 * Lost answers count against the cost limit, since they may be billed; if only they exceed it, the
 * end is not the agent's fault.
 */
async function limitReached(
  store: CallLedger,
  run: RunDefinition,
  key: TurnKey,
  reservedUsd: string,
  prompt: Prompt,
): Promise<EndReason | Unrecoverable | null> {
  const { config } = run.model;
  if (config !== undefined && exceedsWindow(prompt.messages, prompt.tools ?? [], config.contextWindow))
    return 'context';
  const costLimit = run.costLimitUsd ?? null;
  const tokenLimit = run.tokenLimit ?? 0;
  if (costLimit === null && tokenLimit === 0) return null;
  const spent = await store.spending(run.runId);
  if (tokenLimit > 0 && spent.tokens >= tokenLimit) return 'tokens';
  // A node's limit is its share of a tree's, so its last call must fit, too.
  if (tokenLimit > 0 && run.node === true && config !== undefined) {
    const { messages, tools } = prompt;
    const most = estimateTokens(messages, tools) + outputLimit(config, { messages, sampling: run.sampling });
    if (spent.tokens + most > tokenLimit) return 'tokens';
  }
  if (costLimit === null) return null;
  const { confirmedUsd } = spent;
  if (compareUsd(addUsd(confirmedUsd, reservedUsd), costLimit) > 0) return 'cost';
  const fitsWith = (lostUsd: string): boolean => compareUsd(addUsd(confirmedUsd, lostUsd, reservedUsd), costLimit) <= 0;
  if (fitsWith(spent.unconfirmedUsd)) return null;
  // A dead worker's call may never have been sent; then nothing was lost.
  await store.releaseUnsent([run.runId]);
  const { unconfirmedUsd } = await store.spending(run.runId);
  if (fitsWith(unconfirmedUsd)) return null;
  return new Unrecoverable(
    `step ${key.step}: calls whose answers were lost may have cost $${unconfirmedUsd}; with $${confirmedUsd} spent ` +
      `and up to $${reservedUsd} for this call, that exceeds the cost limit of $${costLimit}`,
  );
}
