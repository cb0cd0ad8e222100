import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { InfrastructureError } from '../../../domain/errors.js';
import { rideOut } from '../../../envs/ride-out.js';

const away = (): never => {
  throw new InfrastructureError('the database is away');
};
const PATIENCE_S = 1;

it('waits for services that come back', async () => {
  let tries = 0;
  expect(await rideOut(() => Promise.resolve((tries += 1) < 4 ? away() : 'done'))).toBe('done');
});

it('gives up when they stay away', async () => {
  let tries = 0;
  const work = (): Promise<string> => Promise.resolve(((tries += 1), away()));
  await expect(rideOut(work, PATIENCE_S)).rejects.toThrow('away');
  expect(tries).toBeGreaterThan(1);
});

it('waits for an outage that meets work which has gone on for longer than its patience', async () => {
  let tries = 0;
  const work = async (): Promise<string> => {
    tries += 1;
    if (tries === 1) await sleep(1.5 * PATIENCE_S * 1000);
    return tries < 3 ? away() : 'done';
  };
  expect(await rideOut(work, PATIENCE_S)).toBe('done');
});

it('throws at once what is no outage', async () => {
  let tries = 0;
  await expect(rideOut(() => ((tries += 1), Promise.reject(new Error('wrong'))))).rejects.toThrow('wrong');
  expect(tries).toBe(1);
});
