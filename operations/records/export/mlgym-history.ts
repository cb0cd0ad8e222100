import { openingMessages, promptContext, stepMessages } from '../../../domain/agent/messages.js';
import { stepTurns } from '../../../domain/agent/step-turns.js';
import { CONTAINER_WORKSPACE } from '../../../domain/run/limits.js';
import type { TrajectoryReads } from '../../../domain/ports/reading/trajectories.js';
import type { RunDetail } from '../../../domain/views/runs.js';
import type { TrajectoryStep } from '../../../domain/views/trajectory.js';

export interface HistoryPorts {
  queries: Pick<TrajectoryReads, 'playedAs' | 'recordedPrompt' | 'askedTurns'>;
}

/** A message of a `.traj`'s history, without its agent's name. */
export interface HistoryMessage {
  role: string;
  content: string;
  thought?: string;
  action?: string;
  /** MLGym's mark of a demonstration. */
  is_demo?: true;
  /** A refused reply, or its answer. MLGym keeps none, so its readers do not know this key. */
  requery?: true;
}

const replyOf = ({ response, thought, action }: TrajectoryStep): HistoryMessage => ({
  role: 'assistant',
  content: response,
  thought,
  action: action ?? 'exit_format',
});

/** The recorded history of a run that MLGym played. */
export async function* recordedHistory(
  source: { prompt: { role: string; content: string }[] | null; footers: (string | null)[] | null },
  steps: readonly TrajectoryStep[],
): AsyncGenerator<HistoryMessage> {
  yield* source.prompt ?? [];
  for (const [i, step] of steps.entries()) {
    const before = steps[i - 1];
    if (before !== undefined)
      yield { role: 'user', content: `${before.observation ?? ''}${source.footers?.[i - 1] ?? ''}` };
    yield replyOf(step);
  }
}

/** Other runs: all that the agent wrote or saw, before history processors, or what was recorded. */
export async function* playedHistory(
  { queries }: HistoryPorts,
  run: RunDetail,
  steps: readonly TrajectoryStep[],
): AsyncGenerator<HistoryMessage> {
  const definition = await queries.playedAs(run.runId);
  if (definition === null) {
    yield* recordedHistory(await queries.recordedPrompt(run.runId), steps);
    return;
  }
  const input = { ...definition, memoryRecords: run.memory ? run.memoryRecords : null };
  const context = promptContext(input, run.workspace ?? CONTAINER_WORKSPACE);
  for (const { role, content, origin } of openingMessages(context))
    yield { role, content, ...(origin === 'demonstration' && { is_demo: true }) };
  for (const [i, step] of steps.entries()) {
    const replies = (await queries.askedTurns(run.runId, step.step)).flatMap(({ reply }) => reply ?? []);
    for (const added of stepTurns(input, replies).flat())
      yield { role: added.role, content: added.content, requery: true };
    yield replyOf(step);
    // No prompt shows the last step's outcome.
    if (i === steps.length - 1) return;
    for (const { role, content, origin } of stepMessages(context, step))
      if (origin !== 'reply') yield { role, content };
  }
}
