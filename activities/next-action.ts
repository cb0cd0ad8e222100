import { parseFencedReply } from '../domain/agent/parse-reply.js';
import { buildMessages, formatErrorMessages } from '../domain/agent/messages.js';
import { MAX_REPLIES_PER_STEP } from '../domain/limits.js';
import type { ModelActivities, NextActionResult } from '../domain/messages.js';
import type { ChatMessage, ModelReply } from '../domain/model.js';
import type { ModelPort } from '../domain/ports/model-port.js';
import type { ModelCallKey, RunStore } from '../domain/ports/run-store.js';
import type { RunDefinition } from '../domain/run.js';
import type { RunDefinitions } from './run-definitions.js';
import { withHeartbeat } from './heartbeat.js';

export interface ModelPorts {
  store: RunStore;
  definitions: RunDefinitions;
  /** By provider. */
  models: ReadonlyMap<string, ModelPort>;
}

export function modelActivities(ports: ModelPorts): ModelActivities {
  return { nextAction: ({ runId, step }) => withHeartbeat((signal) => nextAction(ports, runId, step, signal)) };
}

/** The step's action: messages from the record, a reply (bought once), the parser, at most two requeries. */
async function nextAction(
  ports: ModelPorts,
  runId: string,
  step: number,
  signal: AbortSignal,
): Promise<NextActionResult> {
  const { store } = ports;
  const run = await ports.definitions.get(runId);
  const [transcript, workspace] = await Promise.all([store.transcript(runId), store.workspace(runId)]);
  const decided = transcript.find((record) => record.step === step);
  if (decided !== undefined) return resultOf(decided.action, decided.modelMs ?? 0);

  const history = buildMessages(run, transcript, workspace);
  let requery: ChatMessage[] = [];
  let modelMs = 0;
  for (let attempt = 0; ; attempt++) {
    const { reply, ms } = await ask(ports, run, { runId, step, try: attempt }, [...history, ...requery], signal);
    modelMs += ms;
    const parsed = parseFencedReply(reply.text);
    if (parsed.kind === 'action') {
      const { thought, action } = parsed;
      await store.saveAction(runId, step, { response: reply.text, thought, action, modelMs });
      return resultOf(action, modelMs);
    }
    if (attempt + 1 >= MAX_REPLIES_PER_STEP) {
      await store.saveAction(runId, step, { response: reply.text, thought: '', action: null, modelMs });
      return resultOf(null, modelMs);
    }
    requery = formatErrorMessages(run, reply.text, parsed.problem);
  }
}

const resultOf = (action: string | null, ms: number): NextActionResult =>
  action === null ? { kind: 'end', endReason: 'format', ms } : { kind: 'action', endReason: null, ms };

/** One model call: a stored answer is never asked for again. */
async function ask(
  ports: ModelPorts,
  run: RunDefinition,
  key: ModelCallKey,
  messages: ChatMessage[],
  signal: AbortSignal,
): Promise<{ reply: ModelReply; ms: number }> {
  const { provider, model } = run.model;
  const reserved = await ports.store.reserveCall(key, { provider, model, messages });
  if (reserved.kind === 'stored') return { reply: reserved.reply, ms: reserved.ms };
  const port = ports.models.get(provider);
  if (port === undefined) throw new Error(`this worker serves no provider "${provider}"`);
  const started = performance.now();
  try {
    const reply = await port.complete({ model: run.model, messages, sampling: run.sampling, seed: run.seed }, signal);
    const ms = Math.round(performance.now() - started);
    await ports.store.settleCall(key, reply, ms);
    return { reply, ms };
  } catch (error) {
    // An abort is a worker going down or a cancelled run, not the provider's failure: the row stays as reserved.
    if (!signal.aborted) await ports.store.failCall(key, error instanceof Error ? error.name : 'unknown');
    throw error;
  }
}
