import { BenchError } from '../../domain/errors.js';
import type { TakenAction } from '../../domain/ports/episodes.js';

/** A refusal of `take` as an error; null: it was taken. */
export function refusal(taken: TakenAction, episodeId: string): BenchError | null {
  switch (taken.kind) {
    case 'taken':
      return null;
    case 'busy':
      return new BenchError('conflict', `action ${taken.seq} of episode ${episodeId} has not finished`, {
        code: 'episode.busy',
        remedy: 'Wait for its outcome first.',
      });
    case 'out_of_order':
      return new BenchError('conflict', `the next action of episode ${episodeId} is number ${taken.expected}`, {
        code: 'episode.out_of_order',
        remedy: `Set action_seq to ${taken.expected}, or omit it.`,
      });
    case 'action_conflict':
      return new BenchError('conflict', `action ${taken.seq} of episode ${episodeId} was a different one`, {
        code: 'episode.action_conflict',
        remedy: 'Number actions from 1, each once; repeat one only unchanged.',
      });
    case 'ended':
      return new BenchError('conflict', `episode ${episodeId} has ended`, {
        code: 'episode.ended',
        remedy: 'Reset to begin another.',
      });
    case 'not_found':
      return new BenchError('not_found', `no episode ${episodeId}`, { code: 'episode.not_found' });
  }
}
