import type { EpisodeRecord } from '../../../domain/ports/exports.js';
import { type FinalEvaluation, mlgymExitStatus } from '../../../domain/run/outcomes.js';
import type { EpisodeLine } from '../../../domain/views/training.js';

/** `first`: the policy's first message. */
export function episodeLine(
  { final_evaluation: final, actions, ...episode }: EpisodeRecord,
  first: string,
): EpisodeLine {
  const { end_reason: end, masked } = episode;
  const messages: EpisodeLine['messages'] = [{ role: 'user', content: first }];
  const lines = actions.map(({ text, outcome, ...action }) => {
    const message = messages.push({ role: 'assistant', content: text }) - 1;
    if (outcome !== null) messages.push({ role: 'user', content: outcome });
    const mask = masked ? (0 as const) : (1 as const);
    return { ...action, message, mask };
  });
  return {
    ...episode,
    exit_status: end === null ? null : mlgymExitStatus(end, (final ?? 'not_run') as FinalEvaluation) || end,
    messages,
    actions: lines,
  };
}
