import { afterAll, beforeAll, expect, it } from 'vitest';
import { engineAddress } from '../../backends/docker/engine-address.js';
import { addStatedTask, FAILING_STATEMENT } from '../fixtures/stated-task.js';
import { BenchHome } from '../setup/bench-home.js';
import { PROTOCOLS, type Protocol } from '../setup/protocol-players.js';
import { type EngineGate, openEngineGate } from '../setup/engine-gate.js';
import { EnvServer } from '../setup/env-server.js';
import { LONG } from '../setup/long.js';
import { seededRandom } from '../setup/random.js';
import { killService } from './kill-service.js';

/** Injected at the engine, the store and the host; those of the evaluator are its episodes' own. */
const QUOTA = LONG ? { engine: 400, store: 400, host: 20 } : { engine: 7, store: 6, host: 1 };
const EVALUATOR = LONG ? 180 : 4;
const FAULTS = EVALUATOR + Object.values(QUOTA).reduce((sum, count) => sum + count, 0);
const AT_ONCE = LONG ? 8 : 4;
const NAMES = Object.keys(PROTOCOLS) as Protocol[];
const LIMIT_MS = LONG ? 7_200_000 : 900_000;
// BENCH_CHAOS_SEED tries other moments.
const random = seededRandom(Number(process.env['BENCH_CHAOS_SEED'] ?? 20));

let gate: EngineGate;
let home: BenchHome;
let server: EnvServer;
beforeAll(async () => {
  gate = await openEngineGate(engineAddress('docker', process.env).socketPath ?? '/var/run/docker.sock');
  home = new BenchHome({ DOCKER_HOST: gate.url });
  addStatedTask(home.dir);
  server = new EnvServer(home, ['--backend', 'docker', '--tasks', 'stated', '--max-steps', '20']);
  await server.start();
});
afterAll(async () => {
  gate.failRequests(() => false);
  await server.stop();
  await home.remove();
  await gate.close();
});

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const BASELINE = 2;
const state = (score: number): string => `echo ${score} > answer.json`;

interface Action {
  command: string;
  /** What it is paid, however often anything fails. */
  reward: number | null;
  /** The evaluator fails: within the episode nothing is paid, at its end it is an error. */
  fails?: 'within' | 'at the end';
}

/** The evaluator fails once in every other episode, and at the end of every fourth. */
function actionsOf(number: number): Action[] {
  const [first, last] = [3 + (number % 4), 6 + (number % 3)];
  return [
    { command: state(first), reward: null },
    { command: 'validate', reward: (first - BASELINE) / BASELINE },
    ...(number % 2 === 1
      ? [
          { command: state(FAILING_STATEMENT), reward: null },
          { command: 'validate', reward: null, fails: 'within' as const },
        ]
      : []),
    { command: state(number % 4 === 1 ? FAILING_STATEMENT : last), reward: null },
    number % 4 === 1
      ? { command: 'submit', reward: null, fails: 'at the end' }
      : { command: 'submit', reward: (last - first) / BASELINE },
  ];
}

const injected = { engine: 0, store: 0, host: 0, evaluator: 0 };
const outside = (): boolean =>
  (Object.keys(QUOTA) as (keyof typeof QUOTA)[]).every((kind) => injected[kind] >= QUOTA[kind]);

/** `recovered` with every reward, or an error in the protocol's shape and no reward after it. */
async function play(number: number): Promise<{ protocol: Protocol; ended: 'recovered' | 'errored' }> {
  const protocol = NAMES[number % NAMES.length]!;
  const episode = await PROTOCOLS[protocol](server, { task: 'stated', seed: number });
  for (const { command, reward, fails } of actionsOf(number)) {
    const said = await episode.act(command);
    if (said.fault !== null) {
      expect(said.reward).toBeNull();
      if (fails === 'at the end') injected.evaluator += 1;
      return { protocol, ended: 'errored' };
    }
    // A number only where it is the undisturbed one.
    expect({ number, protocol, command, reward: said.reward }).toEqual({ number, protocol, command, reward });
    expect(fails).not.toBe('at the end');
    if (fails === 'within') {
      expect(said.whole).toContain('evaluator_error');
      injected.evaluator += 1;
    }
    if (said.done) return { protocol, ended: 'recovered' };
  }
  throw new Error(`episode ${number} over ${protocol} did not end`);
}

it(
  `${FAULTS} faults of evaluator, engine, store and host become no number: an episode is paid as without them, or it is an error`,
  async () => {
    gate.failRequests(() => {
      if (injected.engine >= QUOTA.engine || random() > 0.08) return false;
      injected.engine += 1;
      return true;
    });
    let over = false;
    const store = (async () => {
      while (!over && injected.store < QUOTA.store) {
        await sleep(random() * 800);
        const [row] = await home.sql<{ cut: number }>(
          `select count(pg_terminate_backend(pid))::int as cut from (
             select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
               and backend_type = 'client backend' order by random() limit 1
           ) one`,
        );
        injected.store += row?.cut ?? 0;
      }
    })();
    const host = (async () => {
      while (!over && injected.host < QUOTA.host) {
        await sleep(2_000 + random() * 8_000);
        if (killService(home, 'worker')) injected.host += 1;
      }
    })();

    const played: Awaited<ReturnType<typeof play>>[] = [];
    let next = 0;
    // Every protocol told faults, and recovered ones, too.
    const seen = (ended: string) =>
      new Set(played.filter((one) => one.ended === ended).map(({ protocol }) => protocol));
    const allTold = (): boolean => seen('recovered').size === NAMES.length && seen('errored').size > 1;
    const player = async (): Promise<void> => {
      while (!outside() || injected.evaluator < EVALUATOR || !allTold()) played.push(await play(next++));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, player)).finally(() => (over = true));
    await Promise.all([store, host]);

    expect(Object.values(injected).reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(FAULTS);
    expect([...seen('recovered')].toSorted()).toEqual(NAMES.toSorted());
    expect(seen('errored').size).toBeGreaterThan(1);

    // The same by the record: where the fault is ours there is no reward.
    const paid = await home.sql(
      `select e.run_id, r.end_reason, r.final_evaluation, w.reward
       from episodes e join runs r on r.run_id = e.run_id
       cross join lateral episode_returns(array[e.run_id], e.reward) w
       where (r.end_reason <> 'submit' or r.final_evaluation = 'evaluator_error') and w.reward is not null`,
    );
    expect(paid).toEqual([]);
    const outcomes = await home.sql(
      `select run_id, seq, outcome from episode_actions
       where (jsonb_typeof(outcome -> 'fault') = 'object' or outcome #>> '{evaluation,status}' = 'evaluator_error')
         and jsonb_typeof(outcome -> 'reward') = 'number'`,
    );
    expect(outcomes).toEqual([]);
    const errored = played.filter(({ ended }) => ended === 'errored').length;
    console.info(
      `${JSON.stringify(injected)} over ${played.length} episodes: ${errored} errored, the others as without`,
    );
  },
  LIMIT_MS,
);
