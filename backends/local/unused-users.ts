import { randomInt } from 'node:crypto';
import type { EvaluationUsers } from '../evaluator/job-files.js';
import { usersWithProcesses } from './host-processes.js';

/** Above ids of people and services, below those of systemd's dynamic services. */
const [FIRST, LAST] = [50_000, 59_998];

/** Two user ids without processes, so that the player's processes can be killed by user id. */
export async function unusedUsers(): Promise<EvaluationUsers> {
  const taken = await usersWithProcesses().catch(() => new Set<number>());
  for (;;) {
    const referee = randomInt(FIRST / 2, LAST / 2) * 2;
    const player = referee + 1;
    if (taken.has(referee) || taken.has(player)) continue;
    return { referee: { uid: referee, gid: referee }, player: { uid: player, gid: player } };
  }
}
