import { addRuns } from './batches/add-runs.js';
import { cancel } from './batches/cancel.js';
import { follow } from './batches/follow.js';
import { forkRun } from './batches/fork-run.js';
import { pause } from './batches/pause.js';
import { planBatch } from './batches/plan-batch.js';
import { resume } from './batches/resume.js';
import { retry } from './batches/retry.js';
import { submitBatch } from './batches/submit-batch.js';
import type { Bench as Home } from './bench.js';
import { exportEpisodes } from './episodes/export/export-episodes.js';
import { listEpisodes } from './episodes/list-episodes.js';
import { rewardEpisodes } from './episodes/reward-episodes.js';
import { showEpisode } from './episodes/show-episode.js';
import { down } from './home/down.js';
import { type BenchHooks, openBench as openSettings } from './open-bench.js';
import { batchStatus } from './results/batch-status.js';
import { compare } from './results/compare.js';
import { events } from './results/events.js';
import { leaderboard } from './results/leaderboard.js';
import { deletePlanned, planBatchDeletion, planRunDeletion } from './records/deletion/delete.js';
import { archiveBatch, labelBatch, labelRun } from './records/deletion/label.js';
import { listBatches } from './results/list-batches.js';
import { listRuns } from './results/list-runs.js';
import { prompt } from './results/prompt.js';
import { showRun } from './results/show-run.js';
import { sql } from './results/sql.js';
import { trajectory } from './results/trajectory.js';
import { findAssetsRoot, readSettings } from './settings.js';
import { answerTurn } from './turns/answer-turn.js';
import { openTurns } from './turns/open-turns.js';

export interface OpenOptions extends BenchHooks {
  /** Where everything is kept; default: `BENCH_HOME` of `env`, else `~/.bench`. */
  home?: string;
  /** Settings and providers' keys; default: those of this process. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Folder whose `.env` counts, and that relative paths start from; default: working directory. */
  cwd?: string;
}

/** The home of these options, for a server that is part of the product. Throws as `openBench`. */
export function openHome({ home, env = process.env, cwd = process.cwd(), ...hooks }: OpenOptions = {}): Home {
  const environment = { ...env, ...(home !== undefined && { BENCH_HOME: home }) };
  return openSettings(readSettings(environment, cwd, findAssetsRoot()), hooks);
}

/**
 * Opens a home and lists its verbs. Services start when a verb needs them and run until `down`. A
 * process may open several homes. Throws BenchError (usage) for a wrong setting.
 */
export const openBench = (options: OpenOptions = {}): Bench => verbsOf(openHome(options));

/** The verbs of one home, by what they act on. */
export type Bench = ReturnType<typeof verbsOf>;

function verbsOf(home: Home) {
  const of =
    <Request extends unknown[], Result>(verb: (home: Home, ...request: Request) => Result) =>
    (...request: Request): Result =>
      verb(home, ...request);
  return {
    settings: home.settings,
    batches: {
      submit: of(submitBatch),
      /** What `submit` would store. */
      plan: of(planBatch),
      add: of(addRuns),
      list: of(listBatches),
      status: of(batchStatus),
      /** Progress until the batch has ended. */
      follow: of(follow),
      pause: of(pause),
      resume: of(resume),
      retry: of(retry),
      cancel: of(cancel),
      archive: of(archiveBatch),
      label: of(labelBatch),
      planDeletion: of(planBatchDeletion),
      /** What `planDeletion` returned. */
      delete: of(deletePlanned),
    },
    runs: {
      list: of(listRuns),
      show: of(showRun),
      trajectory: of(trajectory),
      prompt: of(prompt),
      fork: of(forkRun),
      retry: of(retry),
      cancel: of(cancel),
      label: of(labelRun),
      planDeletion: of(planRunDeletion),
      delete: of(deletePlanned),
    },
    episodes: {
      list: of(listEpisodes),
      show: of(showEpisode),
      rewards: of(rewardEpisodes),
      export: of(exportEpisodes),
    },
    /** Questions of runs that are answered from outside. */
    turns: { open: of(openTurns), answer: of(answerTurn) },
    events: of(events),
    leaderboard: of(leaderboard),
    /** Is B better than A, by paired attempts? */
    compare: of(compare),
    sql: of(sql),
    /** Stops the services. */
    down: of(down),
    /** Closes connections; services keep running. */
    close: () => home.close(),
  };
}
