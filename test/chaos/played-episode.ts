import type { EnvServer } from '../setup/env-server.js';

/** What a policy was told of one of its actions: the same however often anything died meanwhile. */
export interface Told {
  message: string;
  reward: number | null;
  terminated: boolean;
  truncated: boolean;
  score: number | null;
}

interface Outcome {
  observation: { message: string };
  reward: number | null;
  terminated: boolean;
  truncated: boolean;
  info: { evaluation: { primary: number } | null };
}

const BASELINE = 2;
const statedBy = (number: number) => [3 + (number % 5), 1 + (number % 3), 5 + (number % 4)] as const;

/** Rewards of an episode: each score's gain over the one before, in units of the baseline. */
export function rewardsOf(number: number): (number | null)[] {
  const [first, second, last] = statedBy(number);
  const gain = (now: number, before: number) => (now - before) / BASELINE;
  return [null, null, gain(first, BASELINE), null, null, gain(second, first), null, gain(last, second)];
}

/** Commands that count their executions, and scores that rise and fall. The last one submits. */
export const actionsOf = (number: number): string[] => [
  'echo 1 >> marks; sleep 1; wc -l < marks',
  `echo ${statedBy(number)[0]} > answer.json`,
  'validate',
  'cd /; echo 2 >> "$OLDPWD/marks"; sleep 1; wc -l < "$OLDPWD/marks"; cd "$OLDPWD"',
  `echo ${statedBy(number)[1]} > answer.json`,
  'validate',
  `sleep 0.5; echo 3 >> marks; echo ${statedBy(number)[2]} > answer.json; wc -l < marks`,
  'submit',
];
/** What the three counting commands of an episode print. */
export const COUNTED = ['1', '2', '3'];

/** Plays an episode of `stated` over REST, as a client that repeats unanswered requests. */
export async function playEpisode(server: EnvServer, number: number, onStep: () => void): Promise<Told[]> {
  const id = `e-${number}-${Math.random().toString(36).slice(2)}`;
  await answered(server, 'POST', '/v1/episodes', { task: 'stated', seed: number, episode_id: id });
  const told: Told[] = [];
  for (const [at, action] of actionsOf(number).entries()) {
    const path = `/v1/episodes/${id}/step`;
    const { observation, reward, terminated, truncated, info } = await answered<Outcome>(server, 'POST', path, {
      ...{ action, action_seq: at + 1 },
    });
    const score = info.evaluation?.primary ?? null;
    told.push({ message: observation.message, reward, terminated, truncated, score });
    onStep();
  }
  return told;
}

/** 202: the action still runs; 503: services are away. All else but success is an error. */
async function answered<Body>(server: EnvServer, method: string, path: string, body: unknown): Promise<Body> {
  for (;;) {
    const answer = await server.ask<Body & { error?: { type: string } }>(method, path, body);
    const away = answer.status === 503 && answer.body.error?.type === 'services';
    if (answer.status === 200 || answer.status === 201) return answer.body;
    if (answer.status !== 202 && !away) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
