import { describe, expect, it } from 'vitest';
import { remedyText } from '../../../../cli/render/remedy.js';
import { checkTask, type Offer } from '../../../../operations/tasks/verify/check-tasks.js';
import type { TaskFolder } from '../../../../domain/task/task.js';
import { loadTask } from '../../../../catalog/index.js';
import { configs, taskYaml } from '../../catalog/fixtures.js';

const task = (text = '', files: Record<string, string> = {}): TaskFolder =>
  loadTask([configs({ 'tasks/coin/task.yaml': `${taskYaml}${text}`, ...files })], 'coin');
const offer: Offer = { backend: 'docker', gpus: 0, memoryMb: null, freeBytes: 1e12 };
const data = { sample: false, prepared: () => true, missingBytes: 0 };
const needs = (one: TaskFolder, given: Partial<Offer> = {}, of: Partial<typeof data> = {}) => {
  const { ready, needs: found } = checkTask(one, { ...offer, ...given }, { ...data, ...of });
  return {
    ready,
    ...Object.fromEntries(
      found.map(({ name, status, remedy, fields }) => [
        name,
        [status, remedy === null ? null : remedyText(remedy, fields)],
      ]),
    ),
  };
};

describe('what a task lacks', () => {
  it('is nothing where it needs nothing', () => {
    expect(needs(task())).toEqual({
      ...{ ready: true, data: ['none', null], gpus: ['none', null], images: ['none', null] },
      ...{ memory: ['ok', null], disk: ['ok', null] },
    });
  });

  it('are data, with the command that prepares them', () => {
    const one = task('data: { agent: [data] }\n', { 'tasks/coin/prepare.py': '' });
    expect(needs(one, {}, { prepared: () => false, sample: true })).toMatchObject({
      ...{ ready: false, data: ['missing', 'bench tasks prepare coin (--sample)'] },
    });
    expect(needs(one)).toMatchObject({ ready: true, data: ['ok', null] });
  });

  it('are GPUs, with the profile that needs fewer', () => {
    const one = task('gpus: 2\nprofiles: { cpu: { gpus: 0 } }\n');
    expect(needs(one, { gpus: 1 })).toMatchObject({
      ready: false,
      gpus: ['missing', 'the profile cpu (--profile cpu)'],
    });
    expect(needs(one, { gpus: 2 })).toMatchObject({ ready: true, gpus: ['ok', null] });
    expect(needs(one, { gpus: 2, backend: 'podman' })).toMatchObject({ ready: false });
    expect(needs(task('gpus: 2\n'), { gpus: 1 })).toMatchObject({
      gpus: ['missing', 'fewer GPUs per run (--gpus-per-run)'],
    });
  });

  it('are packages: built for containers, and missing without any', () => {
    const one = task('requirements: { agent: r.txt }\n', { 'tasks/coin/r.txt': 'numpy==2.0.0\n' });
    expect(needs(one)).toMatchObject({
      ...{ ready: true, images: ['build', 'bench images build (--backend docker, --tasks coin)'] },
    });
    expect(needs(one, { backend: 'local' })).toMatchObject({
      ready: false,
      images: ['missing', 'a container backend (--backend docker)'],
    });
  });

  it('are memory and disk', () => {
    const one = task('limits: { memoryMb: 9000 }\nprofiles: { cpu: { limits: { memoryMb: 1000 } } }\n');
    expect(needs(one, { memoryMb: 4000 })).toMatchObject({
      ready: false,
      memory: ['missing', 'the profile cpu (--profile cpu)'],
    });
    expect(needs(task(), { freeBytes: 100 }, { missingBytes: 50 })).toMatchObject({ ready: false });
    expect(needs(task(), { freeBytes: 200 }, { missingBytes: 50 })).toMatchObject({ ready: true });
  });
});
