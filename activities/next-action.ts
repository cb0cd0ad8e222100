import { parseFencedReply } from '../domain/agent/parse-reply.js';
import { buildMessages, formatErrorMessages } from '../domain/agent/messages.js';
import { MAX_REPLIES_PER_STEP } from '../domain/limits.js';
import type { ModelActivities, NextActionResult } from '../domain/messages.js';
import type { ChatMessage } from '../domain/model.js';
import type { RunDefinitions } from './run-definitions.js';
import { withHeartbeat } from './heartbeat.js';
import { callModel, type ModelCallPorts } from './model-call.js';

export interface ModelPorts extends ModelCallPorts {
  definitions: RunDefinitions;
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
    const messages = [...history, ...requery];
    const call = await callModel(ports, run, { runId, step, try: attempt }, { messages }, signal);
    if (call.kind === 'end') return { kind: 'end', endReason: call.endReason, ms: modelMs };
    const { reply } = call;
    modelMs += call.ms;
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
