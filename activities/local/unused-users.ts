import { randomInt } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import type { EvaluationUsers } from '../evaluator/job-files.js';

/** Above people's and services' user ids, below those of systemd's dynamic services. */
const [FIRST, LAST] = [50_000, 59_998];

/** A pair of user ids that no process of this host has, so that all processes of the player can be ended by user id. */
export async function unusedUsers(): Promise<EvaluationUsers> {
  const taken = new Set<number>();
  for (const name of await readdir('/proc').catch(() => [])) {
    if (!/^\d+$/.test(name)) continue;
    const owner = await stat(`/proc/${name}`).catch(() => null);
    if (owner !== null) taken.add(owner.uid);
  }
  for (;;) {
    const referee = randomInt(FIRST / 2, LAST / 2) * 2;
    const player = referee + 1;
    if (taken.has(referee) || taken.has(player)) continue;
    return { referee: { uid: referee, gid: referee }, player: { uid: player, gid: player } };
  }
}
