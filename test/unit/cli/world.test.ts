import { expect, it } from 'vitest';
import { worldFields } from '../../../cli/render/world.js';

const digest = (letter: string) => `sha256:${letter.repeat(64)}`;
const limits = { workspaceMb: 256, memoryMb: 512, cpus: 1, pids: 128 };

it('the world of a run is told in a line each', () => {
  const fields = worldFields({
    limits,
    workspaceLimit: 'file_system',
    unenforcedLimits: [],
    imageDigest: digest('a'),
    evaluatorImageDigest: digest('b'),
    network: { allow: ['data.example.org', '*.example.net:8080'], allowPrivate: false },
    memory: true,
    memoryRecords: 3,
  });
  expect(fields).toEqual([
    ['limits', '1 cpus, 512 MB, 128 processes, workspace 256 MB (by its file system)'],
    ['images', 'agent aaaaaaaaaaaa, evaluator bbbbbbbbbbbb'],
    ['network', 'only data.example.org, *.example.net:8080'],
    ['memory', "the task's, 3 records when the run began"],
  ]);
});

it('what a run that has not begun does not have is not told', () => {
  const none = {
    workspaceLimit: null,
    unenforcedLimits: null,
    imageDigest: null,
    evaluatorImageDigest: null,
    memory: false,
    memoryRecords: null,
  };
  expect(worldFields({ limits, ...none, network: 'none' })).toEqual([
    ['limits', '1 cpus, 512 MB, 128 processes, workspace 256 MB'],
    ['images', '–'],
    ['network', 'none'],
    ['memory', 'none'],
  ]);
});

it('limits that the host does not enforce are told', () => {
  const unenforcedLimits: ('memory' | 'cpus')[] = ['memory', 'cpus'];
  const world = { limits, workspaceLimit: 'watched' as const, unenforcedLimits, imageDigest: null };
  expect(
    worldFields({ ...world, evaluatorImageDigest: null, network: 'none', memory: false, memoryRecords: null }),
  ).toContainEqual(['not enforced', 'memory, cpus: its host does not enforce these limits']);
});
