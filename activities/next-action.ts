import { toolDefinitions } from '../domain/agent/messages.js';
import { nextTurn } from '../domain/agent/next-turn.js';
import { samplingFor } from '../domain/model/sampling.js';
import type { EndReason } from '../domain/run/outcomes.js';
import type { RunDefinition } from '../domain/run/run.js';
import { allowsSeveral } from '../domain/agent/parse-reply.js';
import type { ModelActivities, NextActionResult } from '../domain/model/messages.js';
import type { Fence, ShownRow } from '../domain/ports/record/steps.js';
import { storable } from '../domain/text/storable.js';
import { fallbackOf, type ModelReply } from '../domain/model/model.js';
import type { Player, Prompt } from '../domain/ports/player.js';
import type { ImageLog } from '../domain/ports/record/images.js';
import type { MemoryLog } from '../domain/ports/record/memories.js';
import type { RunLifecycle } from '../domain/ports/record/run-lifecycle.js';
import type { StepLog } from '../domain/ports/record/steps.js';
import type { PromptHistories } from './prompt-histories.js';
import type { RunDefinitions } from './run-definitions.js';
import type { ToolLog } from '../domain/ports/record/tool-log.js';
import { cancellation } from './cancellation.js';
import { attemptFence } from './fence.js';
import { untilDeadline } from './play-steps.js';
import type { TakenTurn } from './step-in-memory.js';
import { isLong, summarise } from './summarise.js';
import { imagesFor } from './shown-images.js';
import { DeadlineReached, type TurnsUnderWay } from './turns-under-way.js';

export interface ModelPorts {
  store: StepLog & MemoryLog & ImageLog & ToolLog & Pick<RunLifecycle, 'workspace'>;
  definitions: RunDefinitions;
  histories: PromptHistories;
  players: ReadonlyMap<string, Player>;
}

/** Adopts a turn that a slice on this worker began. */
export function modelActivities(ports: ModelPorts & { turns: TurnsUnderWay }): Pick<ModelActivities, 'nextAction'> {
  return {
    async nextAction({ runId, step, epoch, endsBy, ...given }) {
      const token = attemptFence(given.fence);
      await ports.store.takeOver({ runId, epoch, from: step, fence: token });
      try {
        const { decided: _decided, ...result } = await untilDeadline(endsBy, [cancellation()], (signal) =>
          ports.turns.take({ runId, step }, token, signal, (fence, turnSignal) =>
            nextAction(ports, { runId, step }, fence, turnSignal),
          ),
        );
        return result;
      } catch (error) {
        if (error instanceof DeadlineReached) return { kind: 'end', endReason: 'deadline', ms: 0 };
        throw error;
      }
    },
  };
}

/**
 * Messages from the record, a reply (paid once), the parser, at most two requeries. `before`: the
 * previous step, if the caller has it.
 */
export async function nextAction(
  ports: ModelPorts,
  { runId, step, before }: { runId: string; step: number; before?: ShownRow | undefined },
  fence: Fence | undefined,
  signal: AbortSignal,
): Promise<TakenTurn> {
  const { store } = ports;
  const run = await ports.definitions.get(runId);
  const question = await ports.histories.question(store, run, step, before);
  if (question.kind === 'decided') return resultOf(question.action, question.modelMs, question.refused);

  const listed = run.agent.tools.mcp === undefined ? null : await store.listedTools(runId);
  const tools = toolDefinitions(run, question.workspace, listed);
  const replies: ModelReply[] = [];
  let modelMs = 0;
  if (question.summary !== null && isLong(run, question.messages, tools))
    return await summarise(ports, { run, step, fence, signal }, { summary: question.summary, tools, first: 0 });
  for (;;) {
    const turn = nextTurn(run, replies);
    if (turn.kind !== 'ask') {
      const action = turn.kind === 'action' ? turn.action : null;
      const thought = turn.kind === 'action' ? turn.thought : '';
      const { response } = turn;
      const reasoning = turn.kind === 'action' ? (turn.reasoning ?? null) : null;
      const isOurs = await store.saveAction(runId, step, { response, reasoning, thought, action, modelMs }, fence);
      const result = resultOf(action, modelMs, turn.kind === 'end' && turn.endReason === 'refusal');
      if (action === null || !isOurs) return result;
      return { ...result, decided: { response: storable(response), reasoning, action: storable(action), modelMs } };
    }
    const asked = turn.fallback === true ? askedOfFallback(run) : run;
    const player = ports.players.get(asked.model.provider);
    if (player === undefined) throw new Error(`this worker serves no provider "${asked.model.provider}"`);
    const messages = [...question.messages, ...turn.messages];
    const prompt: Prompt = {
      messages,
      ...(await imagesFor(store, asked, messages)),
      ...(tools !== undefined && { tools }),
      ...(allowsSeveral(run.agent.outputParser) && { severalCalls: true }),
      ...(question.waitsLong && { cacheForAnHour: true }),
    };
    const next = await player.next(
      asked,
      { runId, step, try: replies.length, ...(fence === undefined ? {} : { fence }) },
      prompt,
      signal,
    );
    // The fallback cannot answer either: what the run has done is scored.
    if (next.kind === 'end' && asked !== run && OF_FALLBACK.includes(next.endReason))
      return { kind: 'end', endReason: 'refusal', ms: modelMs };
    // The provider counts more tokens than we do, or has a smaller window than its file says.
    if (next.kind === 'end' && next.endReason === 'context' && question.summary !== null)
      return await summarise(
        ports,
        { run, step, fence, signal },
        { summary: question.summary, tools, first: replies.length + 1 },
      );
    if (next.kind === 'end') return { kind: 'end', endReason: next.endReason, ms: modelMs };
    // Replies paid so far are stored; the next try finds them.
    if (next.kind === 'wait') return { kind: 'wait', endReason: null, ms: 0, waitMs: next.waitMs };
    if (next.kind === 'asked') return { kind: 'asked', endReason: null, ms: 0, try: replies.length };
    replies.push(next.reply);
    modelMs += next.ms;
  }
}

const OF_FALLBACK: readonly EndReason[] = ['context', 'provider_refused'];

/** The same request, with the sampling that the fallback accepts. */
function askedOfFallback(run: RunDefinition): RunDefinition {
  const model = fallbackOf(run.model);
  if (model?.config === undefined) throw new Error(`run ${run.runId}: its model has no fallback`);
  return { ...run, model, sampling: samplingFor(model.config, run.sampling) };
}

const resultOf = (action: string | null, ms: number, refused: boolean): NextActionResult =>
  action === null
    ? { kind: 'end', endReason: refused ? 'refusal' : 'format', ms }
    : { kind: 'action', endReason: null, ms };
