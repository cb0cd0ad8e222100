import type { Database } from '../../db/index.js';
import type { RewardRequest } from '../../domain/requests/reward.js';
import { run, submission, task } from '../fixtures/rows.js';
import { pick, seededRandom } from '../setup/random.js';
import type { OracleEvaluation } from './reward-oracle.js';

/** Episodes made up of durations and ends, and the rows that bench would have stored of them. */

export interface MadeAction {
  step: number;
  try: number;
  policyVersion: number | null;
  /** Of a format error nothing is executed. */
  malformed: boolean;
  failed: boolean;
  text: string;
  /** Milliseconds. */
  think: number;
  queue: number;
  command: number;
  /** Of its `validate` on the split that is shown; null: none. */
  validated: { score: OracleEvaluation['score']; ms: number } | null;
  /** At the end, where nobody sees the score. */
  hidden: number;
  platform: number;
}

export interface MadeEpisode {
  runId: string;
  task: number;
  group: string | null;
  seed: number;
  resetVersion: number | null;
  /** Null: it goes on; its last action is over. */
  end: string | null;
  /** Milliseconds after the first one. */
  createdAt: number;
  resetMs: number;
  actions: MadeAction[];
}

export const BASELINE = 2;
const START = Date.parse('2026-03-01T12:00:00Z');
const at = (ms: number): string => new Date(START + ms).toISOString();

export const startedAt = ({ createdAt, actions: [first] }: MadeEpisode): number | null =>
  first === undefined ? null : createdAt + first.think + first.queue;
/** When the outcome of its last action was known. */
export const overAt = ({ createdAt, actions }: MadeEpisode): number =>
  actions.reduce(
    (sum, { think, queue, command, validated, hidden, platform }) =>
      sum + think + queue + command + (validated?.ms ?? 0) + hidden + platform,
    createdAt,
  );

/** `versions`: the trainer goes from one to the next every so many episodes. */
export function makeEpisodes(seed: number, count: number): MadeEpisode[] {
  const random = seededRandom(seed);
  const whole = (most: number) => Math.floor(random() * (most + 1));
  const made: MadeEpisode[] = [];
  for (let index = 0; index < count; index++) {
    const before = made.at(-1);
    // Twins, so that rewards are equal here and there.
    if (before !== undefined && random() < 0.15) {
      made.push({ ...before, createdAt: index * 400 });
      continue;
    }
    const first = index < count / 10 ? null : Math.floor(index / 12);
    const grouped = random() < 0.6;
    const malformedEnd = random() < 0.1;
    const actions: MadeAction[] = [];
    const steps = random() < 0.05 ? 0 : 1 + whole(5);
    const hides = index % 3 === 2;
    for (let step = 1; step <= steps; step++) {
      const last = step === steps;
      const unused = random() < 0.8 ? 0 : 1 + whole(1);
      for (let one = 0; one <= unused; one++) {
        const malformed = one < unused || (last && malformedEnd);
        actions.push({
          ...{ step, try: one, malformed, failed: !malformed && random() < 0.2 },
          policyVersion: first === null ? null : first + (step > 3 ? 1 : 0),
          text: 'x'.repeat(1 + whole(20)),
          think: whole(3000),
          queue: actions.length === 0 ? whole(500) : 0,
          command: malformed ? 0 : whole(900),
          validated:
            !malformed && random() < 0.4
              ? {
                  ms: whole(200),
                  score: random() < 0.8 ? BASELINE + whole(4) / 2 - 1 : pick(random, ['invalid', 'evaluator_error']),
                }
              : null,
          hidden: 0,
          platform: whole(60),
        });
      }
    }
    const final = actions.at(-1);
    const end = malformedEnd
      ? 'format'
      : pick(random, ['submit', 'submit', 'max_steps', 'forfeit', 'infra_error', 'cancelled', 'wall_time', null]);
    if (final !== undefined && end !== null && hides) final.hidden = whole(300);
    made.push({
      ...{
        runId: '',
        task: index % 3,
        group: grouped ? `g${Math.floor(index / 4)}` : null,
        seed: Math.floor(index / 4),
      },
      ...{ resetVersion: first, end, createdAt: index * 400 + whole(300), resetMs: 1 + whole(40), actions },
    });
  }
  return made;
}

const REWARDS: RewardRequest[] = [{ mode: 'delta_prev', format_penalty: 0.125 }, { mode: 'best' }];
export const rewardOf = ({ task: of }: MadeEpisode): RewardRequest => REWARDS[of % 2]!;

const TASKS = ['one', 'two', 'hiding'];
export const taskName = ({ task: of }: MadeEpisode, name: string): string => `${name}-${TASKS[of]!}`;

/** Stores them as one batch, and names their runs. Returns the batch. */
export async function storeEpisodes(db: Database, name: string, episodes: MadeEpisode[]): Promise<string> {
  const specs = TASKS.map((one) =>
    task(`${name}-${one}`, 'maximize', {
      baseline: { value: BASELINE, standardError: 0 },
      ...(one === 'hiding' && { splits: ['validation', 'test'] }),
    }),
  );
  const batch = submission(name, (id) =>
    episodes.map((episode, i) => ({ ...run(id, specs[episode.task]!, 'external', i + 1), seed: episode.seed })),
  );
  await db.intake.submit(batch);
  episodes.forEach((episode, i) => (episode.runId = batch.runs[i]!.runId));
  const insert = (table: string, rows: Record<string, unknown>[]) => {
    const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))].join(', ');
    return db.pool.query(
      `insert into ${table} (${columns}) select ${columns} from jsonb_populate_recordset(null::${table}, $1)`,
      [JSON.stringify(rows)],
    );
  };
  await insert('episodes', episodes.map(episodeRow));
  const actions = episodes.flatMap((episode) => actionRows(episode));
  await insert(
    'episode_actions',
    actions.map(({ action }) => action),
  );
  await insert('turns', [...actions.map(({ turn }) => turn), ...episodes.flatMap(openTurn)]);
  await insert(
    'steps',
    actions.flatMap(({ step }) => step),
  );
  await insert(
    'evaluations',
    actions.flatMap(({ evaluations }) => evaluations),
  );
  const ends = episodes.map((episode) => ({
    ...{ id: episode.runId, reason: episode.end, steps: episode.actions.at(-1)?.step ?? 0 },
    ...{
      started: startedAt(episode) === null ? null : at(startedAt(episode)!),
      ended: episode.end === null ? null : at(overAt(episode)),
    },
  }));
  await db.pool.query(
    `update runs r set step = e.steps, status = case when e.reason is null then 'running' else 'ended' end, end_reason = e.reason,
       final_evaluation = case when e.reason is not null then 'not_run' end, started_at = e.started, ended_at = e.ended
     from jsonb_to_recordset($1) as e (id text, steps int, reason text, started timestamptz, ended timestamptz) where r.run_id = e.id`,
    [JSON.stringify(ends)],
  );
  await db.pool.query('update batches set training = true, concurrency = 500 where batch_id = $1', [
    batch.batch.batchId,
  ]);
  return batch.batch.batchId;
}

const episodeRow = (episode: MadeEpisode) => ({
  ...{
    run_id: episode.runId,
    episode_id: `e-${episode.runId}`,
    protocol: 'rest',
    group_key: episode.group,
    labels: {},
  },
  reset: { ...(episode.resetVersion !== null && { policy_version: episode.resetVersion }) },
  ...{ reward: rewardOf(episode), policy_version: episode.actions.at(-1)?.policyVersion ?? episode.resetVersion },
  ...{ seq: episode.actions.length, next_step: (episode.actions.at(-1)?.step ?? 0) + 1, next_try: 0, idle_seconds: 60 },
  ...{
    expires_at: at(0),
    requested_at: at(episode.createdAt),
    created_at: at(episode.createdAt),
    reset_ms: episode.resetMs,
  },
});

function actionRows(episode: MadeEpisode) {
  let shown = episode.createdAt;
  let number = 0;
  return episode.actions.map((made, index) => {
    const { runId } = episode;
    const taken = shown + made.think;
    // The first turn is answered unasked; each other is requested after the one before.
    const asked = index === 0 ? taken : shown;
    const done = taken + made.queue + made.command + (made.validated?.ms ?? 0) + made.hidden + made.platform;
    shown = done;
    const unread = made.malformed && episode.actions[index + 1]?.step !== made.step;
    const acts = !made.malformed || unread;
    const evaluation = {
      run_id: runId,
      step: made.step,
      evaluator_version: 'v',
      contract: 1,
      suspect: false,
      isolation: 'container',
      message: '',
      created_at: at(taken),
    };
    const { validated } = made;
    const score = typeof validated?.score === 'number' ? validated.score : null;
    if (validated !== null) number++;
    return {
      action: {
        ...{
          run_id: runId,
          seq: index + 1,
          step: made.step,
          try: made.try,
          policy_version: made.policyVersion,
          created_at: at(taken),
        },
        action: made.malformed
          ? { malformed: made.text }
          : index % 2 === 0
            ? { command: made.text }
            : { reply: made.text },
      },
      turn: {
        run_id: runId,
        step: made.step,
        try: made.try,
        messages: index === 0 ? null : [],
        reply: 'x',
        created_at: at(asked),
      },
      step: !acts
        ? []
        : [
            {
              ...{
                run_id: runId,
                step: made.step,
                response: '',
                thought: '',
                timed_out: false,
                lost: false,
                created_at: at(taken),
              },
              ...(unread
                ? { action: null }
                : {
                    action: 'ls',
                    observation: 'output',
                    exit_code: made.failed ? 1 : 0,
                    command_ms: made.command,
                    executed_at: at(taken + made.queue + made.command),
                  }),
            },
          ],
      evaluations: [
        ...(validated === null
          ? []
          : [
              {
                ...{ ...evaluation, kind: 'validate', split: episode.task === 2 ? 'validation' : 'test', number },
                ...{
                  status: score !== null ? 'ok' : validated.score === 'invalid' ? 'rejected' : validated.score,
                  primary_score: score,
                  ms: validated.ms,
                },
              },
            ]),
        ...(made.hidden === 0
          ? []
          : [{ ...evaluation, kind: 'forced', split: 'test', number: 1, status: 'rejected', ms: made.hidden }]),
      ],
    };
  });
}

/** The question that an open episode has not answered. */
const openTurn = (episode: MadeEpisode) =>
  episode.end !== null || episode.actions.length === 0
    ? []
    : [
        {
          run_id: episode.runId,
          step: episode.actions.at(-1)!.step + 1,
          try: 0,
          messages: [],
          reply: null,
          created_at: at(overAt(episode)),
        },
      ];
