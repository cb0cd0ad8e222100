import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connectEngine } from '../../backends/docker/engine.js';
import { engineAddress } from '../../backends/docker/engine-address.js';
import { ensureImage } from '../../backends/docker/images.js';
import { addStatedTask } from '../fixtures/stated-task.js';
import { BenchHome } from '../setup/bench-home.js';
import { EnvServer } from '../setup/env-server.js';
import { startPrivateEngine, type PrivateEngine } from '../setup/private-engine.js';
import { pick, seededRandom } from '../setup/random.js';
import { hitContainer } from './faults.js';
import { killServiceOnceItRuns } from './kill-service.js';
import { openOrs } from './played-ors.js';

// It wants root: it kills an engine of its own.
const EPISODES = 50;
const KILLS = 100;
const AT_ONCE = 6;
const LIMIT_MS = 10_800_000;

type Killed = 'front' | 'server' | 'worker' | 'temporal' | 'postgres' | 'engine' | 'container';
const VICTIMS: readonly Killed[] = ['container', 'engine', 'front', 'server', 'worker', 'temporal', 'postgres'];
// BENCH_CHAOS_SEED tries other moments.
const random = seededRandom(Number(process.env['BENCH_CHAOS_SEED'] ?? 20));

let engine: PrivateEngine;
let docker: ReturnType<typeof connectEngine>;
let home: BenchHome;
let server: EnvServer;
beforeAll(async () => {
  const donor = connectEngine(engineAddress('docker', process.env));
  engine = await startPrivateEngine();
  docker = connectEngine(engineAddress('docker', { DOCKER_HOST: `unix://${engine.socketPath}` }));
  const options = { assetsRoot: join(import.meta.dirname, '../..'), donor };
  for (const kind of ['agent', 'evaluator'] as const) await ensureImage(docker, kind, options);
  home = new BenchHome({ DOCKER_HOST: `unix://${engine.socketPath}` });
  addStatedTask(home.dir);
  server = new EnvServer(home, ['--backend', 'docker', '--tasks', 'stated', '--max-steps', '40']);
  await server.start();
}, 900_000);
afterAll(async () => {
  await server.stop();
  await home.remove();
  await engine.stop();
}, 900_000);

const LOST = /\[command lost/;
/** Episodes are of so many kinds. */
const KINDS = 5;
const stated = (number: number): number => 3 + (number % KINDS);
/** Each records its execution outside the workspace. A policy repeats what was lost. */
const noted = (step: number, command: string): string => `echo ${step} >> done.log; ${command}`;
const commandsOf = (number: number): string[] => [
  noted(1, 'sleep 1; echo one > a'),
  noted(2, `echo ${stated(number)} > answer.json; cat a`),
  'validate',
  noted(3, `sleep 1; echo ${stated(number) + 1} > answer.json`),
  noted(4, 'cat a answer.json'),
];

interface Episode {
  rewards: (number | null)[];
  ended: boolean;
  /** How often each command was executed, and how often the policy was told that one was lost. */
  executed: Record<string, number>;
  lost: Record<string, number>;
}

async function play(number: number, onStep: () => void): Promise<Episode> {
  const client = await openOrs(server, number);
  const lost: Record<string, number> = {};
  const untilDone = async (command: string, name: string) => {
    for (;;) {
      const told = await client.act(command);
      onStep();
      if (!LOST.test(told.message)) return told;
      lost[name] = (lost[name] ?? 0) + 1;
    }
  };
  const rewards: (number | null)[] = [];
  for (const command of commandsOf(number))
    rewards.push((await untilDone(command, /^echo (\d)/.exec(command)?.[1] ?? command)).reward);
  const counted = await untilDone(`sort done.log | uniq -c | tr '\\n' ';'`, 'count');
  const executed = [...counted.message.matchAll(/(\d+) (\d);/g)].map(
    ([, times, step]) => [step, Number(times)] as const,
  );
  const last = await untilDone('submit', 'submit');
  if (!last.terminated) console.info(`episode ${number}: submit was answered ${JSON.stringify(last)}`);
  await client.close();
  return {
    rewards: [...rewards, last.reward],
    ended: last.terminated,
    executed: Object.fromEntries(executed) as Record<string, number>,
    lost,
  };
}

async function playAll(episodes: number, onStep: () => void): Promise<Episode[]> {
  const played: Episode[] = [];
  let next = 0;
  const player = async (): Promise<void> => {
    for (let number = next++; number < episodes; number = next++) played[number] = await play(number, onStep);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, player));
  return played;
}

async function kill(victim: Killed): Promise<void> {
  switch (victim) {
    case 'front':
      await server.kill();
      await server.start();
      return;
    case 'server':
      while (!server.killServer()) await sleep(50);
      return;
    case 'engine':
      return engine.restart();
    case 'container':
      while ((await hitContainer('container_killed', { docker, home, random }).catch(() => null)) === null)
        await sleep(100);
      return;
    default:
      return killServiceOnceItRuns(home, victim);
  }
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

it(
  `${KILLS} kills, of containers, the engine and services, cost ${EPISODES} sessions of ORS nothing: no error, the rewards of the undisturbed run`,
  async () => {
    const undisturbed = await playAll(KINDS, () => undefined);
    expect(undisturbed.map(({ rewards, ended }) => ({ rewards, ended }))).toEqual(
      undisturbed.map((_, number) => ({
        rewards: [null, null, (stated(number) - 2) / 2, null, null, 0.5],
        ended: true,
      })),
    );
    for (const { executed, lost } of undisturbed)
      expect({ executed, lost }).toEqual({ executed: { 1: 1, 2: 1, 3: 1, 4: 1 }, lost: {} });

    const total = EPISODES * (commandsOf(0).length + 2);
    let [steps, kills, played] = [0, 0, false];
    const killer = (async () => {
      while (kills < KILLS && !played) {
        if (steps < (kills / KILLS) * total * 0.8) await sleep(20);
        else {
          await sleep(random() * 1500);
          await kill(kills < VICTIMS.length ? VICTIMS[kills]! : pick(random, VICTIMS));
          kills += 1;
          if (kills % 10 === 0) console.info(`${kills} kills, ${steps} of ${total} steps`);
        }
      }
    })();
    // Together: a failed start ends the test at once, while players would ask indefinitely.
    const playing = playAll(EPISODES, () => (steps += 1)).finally(() => (played = true));
    const [disturbed] = await Promise.all([playing, killer]);

    expect(kills).toBe(KILLS);
    expect(disturbed.map(({ rewards, ended }) => ({ rewards, ended }))).toEqual(
      disturbed.map((_, number) => {
        const { rewards, ended } = undisturbed[number % KINDS]!;
        return { rewards, ended };
      }),
    );
    // Once each; a command that died with its container was repeated, and may have begun before.
    for (const { executed, lost } of disturbed)
      for (const step of ['1', '2', '3', '4']) {
        expect(executed[step]).toBeGreaterThanOrEqual(1);
        expect(executed[step]).toBeLessThanOrEqual(1 + (lost[step] ?? 0));
      }
    expect(
      await home.sql(`select run_id, end_reason, detail from runs where end_reason is distinct from 'submit'`),
    ).toEqual([]);
    const told = disturbed.flatMap(({ lost }) => Object.values(lost)).reduce((sum, count) => sum + count, 0);
    console.info(`${kills} kills; ${told} commands died with their containers, and were told so`);
  },
  LIMIT_MS,
);
