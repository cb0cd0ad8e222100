import { setTimeout as sleep } from 'node:timers/promises';
import { InfrastructureError } from '../../domain/errors.js';
import type { ControlChannel } from './control-channel.js';

const START_LIMIT_MS = 60_000;
const LOOK_EVERY_MS = 250;

/** Waits until the supervisor of `what` answers. `whyNot`, polled: why it never will, or null. */
export async function waitForSupervisor(
  channel: ControlChannel,
  what: string,
  whyNot: (waitedMs: number) => Promise<string | null>,
): Promise<void> {
  const begun = performance.now();
  let looked = begun;
  for (let pause = 2; ; pause = Math.min(pause * 1.5, 50)) {
    if (await channel.answers()) return;
    const now = performance.now();
    if (now - looked > LOOK_EVERY_MS) {
      looked = now;
      const reason = await whyNot(now - begun);
      if (reason !== null) throw new InfrastructureError(reason);
    }
    if (now - begun > START_LIMIT_MS)
      throw new InfrastructureError(`the supervisor of ${what} has not come up within ${START_LIMIT_MS / 1000} s`);
    await sleep(pause);
  }
}
