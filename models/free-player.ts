import type { ReplyForm } from '../domain/agent/reply-form.js';
import type { ModelRef, ModelReply } from '../domain/model/model.js';
import type { Player, Prompt, TurnKey } from '../domain/ports/player.js';
import type { CallLedger } from '../domain/ports/record/call-ledger.js';
import type { EventLog } from '../domain/ports/record/events.js';
import type { RunDefinition } from '../domain/run/run.js';
import { beforeCall } from './before-call.js';
import { reserveTurn } from './reserve-turn.js';

/** What a model gets, plus fields for our programs that no provider gets. */
export interface TurnRequest extends Prompt {
  model: ModelRef;
  /** Step and try, for programs that use these instead of the messages. */
  turn?: TurnKey;
  plays?: Pick<RunDefinition, 'task' | 'taskHash'> & Partial<Pick<RunDefinition, 'backend' | 'seed'>>;
  /** How the run's agent reads replies, for programs that must write them. */
  readAs?: ReplyForm;
}

/** Deterministic. */
export interface FreePlayer {
  reply(request: TurnRequest): Promise<ModelReply>;
}

/** Its calls are recorded like a model's. */
export const freePlayer = (store: CallLedger & EventLog, program: FreePlayer): Player => ({
  async next(run, turn, prompt) {
    const before = await beforeCall(store, run, turn, '0', prompt);
    if (before !== null) return before;
    const { model, agent, task, taskHash, backend, seed } = run;
    const reserved = await reserveTurn(store, run, turn, {
      ...{ provider: model.provider, model: model.model, messages: prompt.messages, reservedUsd: '0' },
    });
    if (reserved.kind !== 'reserved') return reserved;
    const started = performance.now();
    const readAs = { parser: agent.outputParser, commands: agent.tools.commands };
    const reply = await program.reply({ ...prompt, model, turn, plays: { task, taskHash, backend, seed }, readAs });
    const ms = Math.round(performance.now() - started);
    await store.settleCall(turn, reply, ms, { attempt: reserved.attempt });
    return { kind: 'reply', reply, ms };
  },
});
