import type pg from 'pg';
import type { Episodes } from '../../../domain/ports/episodes.js';
import { storeError } from '../../database-error.js';
import { preparedStatements } from '../../statements.js';
import { stepRewards } from '../step-reward.js';
import { takenAction, deliverAction, interruptAction, takeAction, settleAction } from './actions.js';
import { episodeCreation } from './creation.js';
import { touchEpisode, expireEpisode, detachEpisode, expiredEpisodes, openEpisodes } from './expiry.js';
import { actionProgress } from './progress.js';
import { findEpisode, openEpisodeBatch, episodeOfSession, adoptEpisode } from './rows.js';
import { wantEpisode, notBegunEpisodes } from './starts.js';

export function episodeStore(pool: pg.Pool): Episodes {
  const run = preparedStatements(pool, storeError);
  return {
    find: (id) => findEpisode(run, id),
    openBatch: (batch) => openEpisodeBatch(run, batch),
    create: episodeCreation(pool, run),
    ofSession: (session) => episodeOfSession(run, session),
    adopt: (runId, session) => adoptEpisode(run, runId, session),
    taken: (runId, seq) => takenAction(run, runId, seq),
    delivered: (runId, seq) => deliverAction(run, runId, seq),
    interrupt: (runId, seq) => interruptAction(run, runId, seq),
    want: (runId) => wantEpisode(run, runId),
    notBegun: (seconds) => notBegunEpisodes(run, seconds),
    take: (action) => takeAction(pool, action),
    progress: (runId, seq) => actionProgress(run, runId, seq),
    stepReward: stepRewards(pool),
    settle: (runId, outcome, next) => settleAction(run, runId, outcome, next),
    touch: (runId) => touchEpisode(run, runId),
    expireIn: (runId, seconds) => expireEpisode(run, runId, seconds),
    detach: (runId, seconds) => detachEpisode(run, runId, seconds),
    expired: () => expiredEpisodes(run),
    open: (batchId, except) => openEpisodes(run, batchId, except),
  };
}
