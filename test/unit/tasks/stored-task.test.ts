import { join } from 'node:path';
import { expect, it } from 'vitest';
import { storedTaskSchema } from '../../../domain/task/task.js';
import { selectTasks, underProfile } from '../../../catalog/index.js';

const configs = join(import.meta.dirname, '..', '..', '..', 'configs');

it('a task that is played under a profile is read back as it was stored', () => {
  const played = underProfile(selectTasks([configs], ['tabular']), { profile: null, sample: true });
  expect(played.map(({ spec }) => spec.profile)).toEqual(['cpu', 'cpu', 'cpu']);
  for (const { spec } of played) {
    const stored: unknown = JSON.parse(JSON.stringify(spec));
    expect(storedTaskSchema.parse(stored)).toEqual(stored);
  }
});
