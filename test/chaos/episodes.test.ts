import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { addStatedTask } from '../fixtures/stated-task.js';
import { BenchHome } from '../setup/bench-home.js';
import { EnvServer } from '../setup/env-server.js';
import { LONG } from '../setup/long.js';
import { pick, seededRandom } from '../setup/random.js';
import { killServiceOnceItRuns, pauseService } from './kill-service.js';
import { actionsOf, COUNTED, playEpisode, rewardsOf, type Told } from './played-episode.js';
import { playOpenEnv } from './played-openenv.js';
import { playOrs } from './played-ors.js';

// In the short form each interface once, and each service.
const EPISODES = LONG ? 50 : 3;
const KILLS = LONG ? 100 : 4;
/** Of what is played at once, so that every kill meets some. */
const AT_ONCE = LONG ? 8 : EPISODES;
const LIMIT_MS = LONG ? 7_200_000 : 900_000;

type Killed = 'front' | 'server' | 'worker' | 'temporal' | 'postgres';
const VICTIMS: readonly Killed[] = ['server', 'worker', 'temporal', 'postgres', ...(LONG ? (['front'] as const) : [])];
// The moments of the kills come from this seed; BENCH_CHAOS_SEED tries others.
const random = seededRandom(Number(process.env['BENCH_CHAOS_SEED'] ?? 20));

let home: BenchHome;
let server: EnvServer;
beforeAll(async () => {
  home = new BenchHome();
  addStatedTask(home.dir);
  server = new EnvServer(home, ['--tasks', 'stated', '--max-steps', '20']);
  await server.start();
});
afterAll(async () => {
  await server.stop();
  await home.remove();
});

it(
  `${KILLS} kills cost none of ${EPISODES} episodes anything: no error, each command once, the rewards of the undisturbed run`,
  async () => {
    const undisturbed = await playAll(() => undefined);
    expect(undisturbed.map((told) => told.at(-1)?.terminated)).toEqual(Array(EPISODES).fill(true));
    expect(undisturbed.map((told) => told.map(({ reward }) => reward))).toEqual(
      undisturbed.map((_, n) => rewardsOf(n)),
    );

    const total = EPISODES * actionsOf(0).length;
    let steps = 0;
    let kills = 0;
    let played = false;
    const killer = (async () => {
      while (kills < KILLS && !played) {
        // By what was played, so that they come as long as anything is.
        if (steps < (kills / KILLS) * total * 0.9) await sleep(20);
        else {
          await sleep(random() * 1500);
          await kill(kills < VICTIMS.length ? VICTIMS[kills]! : pick(random, VICTIMS));
          kills += 1;
        }
      }
    })();
    // Together: a failed start ends the test at once, while players would ask indefinitely.
    const [disturbed] = await Promise.all([playAll(() => (steps += 1)).finally(() => (played = true)), killer]);

    expect(kills).toBe(KILLS);
    expect(disturbed).toEqual(undisturbed);
    for (const told of disturbed)
      expect(told.map(({ message }) => /^\d$/m.exec(message)?.[0]).filter((count) => count !== undefined)).toEqual(
        COUNTED,
      );
    const faults = await home.sql(
      `select run_id, end_reason, detail from runs where end_reason is distinct from 'submit'`,
    );
    expect(faults).toEqual([]);
  },
  LIMIT_MS,
);

// Temporal gives an activity to another attempt after 10 s without a heartbeat.
it.runIf(LONG)(
  'a command outlasts an outage of Temporal: it goes on, and its outcome is the one that counts',
  async () => {
    const reset = { task: 'stated', episode_id: `e-${newKey()}` };
    const path = `/v1/episodes/${reset.episode_id}/step`;
    await server.ask('POST', '/v1/episodes', reset);
    const step = (action: string, seq: number) =>
      server.ask<{ info: { output: string } }>('POST', path, { action, action_seq: seq });
    await step('true', 1);
    const first = step('sleep 50; echo done', 2);
    await sleep(5_000);
    expect(await pauseService(home, 'temporal', 20_000)).toBe(true);
    let answer = await first;
    while (answer.status === 202) answer = await step('sleep 50; echo done', 2);
    expect(answer.body.info.output).toBe('done\n');
  },
  LIMIT_MS,
);

/** Needed where the front is killed too. */
const newKey = (): string => randomUUID();

const PLAYS: Record<string, (number: number, onStep: () => void) => Promise<Told[]>> = {
  rest: (number, onStep) => playEpisode(server, number, onStep),
  openenv: (number, onStep) => playOpenEnv(server, { number, key: LONG ? newKey() : null }, onStep),
  ors: (number, onStep) => playOrs(server, number, onStep),
};
/** BENCH_CHAOS_PROTOCOL has one of them play all. */
const PLAYED = Object.keys(PLAYS).filter((name) => name === (process.env['BENCH_CHAOS_PROTOCOL'] ?? name));

/** Some at once, each answer counted; over REST, over OpenEnv's WebSocket, over ORS. */
async function playAll(onStep: () => void): Promise<Told[][]> {
  const told: Told[][] = [];
  let next = 0;
  const player = async (): Promise<void> => {
    for (let number = next++; number < EPISODES; number = next++)
      told[number] = await PLAYS[PLAYED[number % PLAYED.length]!]!(number, onStep);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, player));
  return told;
}

async function kill(victim: Killed): Promise<void> {
  if (victim === 'front') {
    await server.kill();
    await server.start();
    return;
  }
  if (victim !== 'server') return killServiceOnceItRuns(home, victim);
  while (!server.killServer()) await sleep(50);
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
