import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { openReading } from '../../../envs/reading.js';

function leaving({ destroyed = false } = {}) {
  const delivered: string[] = [];
  const reading = openReading({
    delivered: async (runId, seq) => {
      await Promise.resolve();
      delivered.push(`${runId} ${seq}`);
    },
  });
  const raw = Object.assign(new EventEmitter(), { destroyed });
  reading.leaves('key', raw as unknown as ServerResponse, { runId: 'r-1', seq: 2 });
  return { reading, raw, delivered };
}

test('what follows a response begins when it is stored that it was read', async () => {
  const { reading, raw, delivered } = leaving();
  setImmediate(() => raw.emit('finish'));
  await reading.over('another key');
  expect(delivered).toEqual([]);
  await reading.over('key');
  expect(delivered).toEqual(['r-1 2']);
});

test('a response whose client left is not read, and nobody waits for it', async () => {
  const { reading, raw, delivered } = leaving();
  setImmediate(() => raw.emit('close'));
  await reading.over('key');
  await leaving({ destroyed: true }).reading.over('key');
  expect(delivered).toEqual([]);
});
