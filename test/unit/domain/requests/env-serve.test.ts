import { describe, expect, it } from 'vitest';
import { envServeSchema, servedTasks } from '../../../../domain/requests/env-serve.js';
import { episodeOptions } from '../../../../domain/requests/run-options.js';

const served = (given: object) => {
  const { tasks, splits } = servedTasks(envServeSchema.parse(given));
  return { tasks, splits: Object.fromEntries(splits) };
};

describe('the tasks of a server', () => {
  it('are those it is told, in no list of their own', () => {
    expect(served({ tasks: ['a', 'suite'] })).toEqual({ tasks: ['a', 'suite'], splits: {} });
    expect(served({})).toEqual({ tasks: ['battleOfSexes'], splits: {} });
  });

  it('are those of its splits; a part without a name goes on with the list before it', () => {
    expect(served({ split: ['train=a', 'b', 'test=b', 'train=c'] })).toEqual({
      tasks: ['a', 'b', 'c'],
      splits: { train: ['a', 'b', 'c'], test: ['b'] },
    });
    expect(served({ tasks: ['z'], split: ['test=b'] })).toEqual({ tasks: ['z', 'b'], splits: { test: ['b'] } });
  });

  it.each([[['a']], [['train=']], [['=a']], [['train=a=b']], [['1st=a']]])('are not read from %j', (split) => {
    const { error } = envServeSchema.safeParse({ split });
    expect(error?.issues[0]?.message).toContain('as train=battleOfSexes');
  });
});

it('passes on to its episodes the options that runs have, too', () => {
  expect(episodeOptions(envServeSchema.parse({}))).toEqual({ snapshotEvery: null, sample: false });
  expect(episodeOptions(envServeSchema.parse({ snapshotEvery: 0, port: 1 }))).toEqual({
    snapshotEvery: 0,
    sample: false,
  });
});
