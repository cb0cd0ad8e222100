import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadedGroup } from '../../fakes/loaded-group.js';
import { planRuns } from '../../../operations/batches/plan-runs.js';
import { evaluationMessage } from '../../../domain/agent/evaluation-message.js';
import { homeLayout } from '../../../domain/home/layout.js';
import type { PreparedData } from '../../../domain/task/data.js';
import type { TaskFolder } from '../../../domain/task/task.js';
import { freezeTask, loadAgent, loadTask, resolveModels, underProfile, validatePath } from '../../../catalog/index.js';
import { withData } from '../../../catalog/prepared-data.js';
import { configs, folder, taskYaml } from './fixtures.js';

const PROFILES = `gpus: 2
limits: { commandSeconds: 900, memoryMb: 9000 }
baseline: { value: 0.5, standardError: 0.1, command: python3 baseline.py, sample: { value: 0.4, standardError: 0.2 } }
profiles:
  cpu:
    gpus: 0
    limits: { commandSeconds: 60 }
`;
const withProfiles = (text = PROFILES, files: Record<string, string> = {}): string =>
  configs({
    'tasks/coin/task.yaml': `${taskYaml}${text}`,
    'tasks/coin/starter/baseline.py': '',
    'tasks/plain/task.yaml': taskYaml.replace('id: coin', 'id: plain'),
    'tasks/plain/starter/strategy.py': '',
    'tasks/plain/evaluator/referee.py': '',
    ...files,
  });
const tasksOf = (dir: string): TaskFolder[] => [loadTask([dir], 'coin'), loadTask([dir], 'plain')];
const under = (profile: string | null, sample = false) => underProfile(tasksOf(withProfiles()), { profile, sample });

describe('a profile', () => {
  it('puts what it names, whole, in the place of the task’s own, and leaves the rest', () => {
    const [coin] = under('cpu');
    expect(coin?.spec).toMatchObject({ gpus: 0, profile: 'cpu', limits: { commandSeconds: 60, memoryMb: 4096 } });
    expect(coin?.spec.baseline).toMatchObject({ value: 0.5, command: 'python3 baseline.py' });
    expect(coin?.spec.profiles).toBeUndefined();
  });

  it('is none unless it is asked for; on samples it is cpu unless another one is', () => {
    expect(under(null).map(({ spec }) => spec.profile)).toEqual([undefined, undefined]);
    expect(under(null, true).map(({ spec }) => spec.profile)).toEqual(['cpu', undefined]);
    expect(under('default', true).map(({ spec }) => spec.profile)).toEqual([undefined, undefined]);
  });

  it('leaves tasks without it as they are, and is refused if none has it', () => {
    const tasks = tasksOf(withProfiles());
    expect(underProfile(tasks, { profile: 'cpu', sample: false })[1]).toBe(tasks[1]);
    expect(() => under('cqu')).toThrow('none of the tasks has a profile "cqu"');
  });

  it('makes another version of the task, which is frozen under its own hash', () => {
    const layout = homeLayout(folder({}));
    const [plain, played] = [under(null)[0]!, under('cpu')[0]!];
    expect(played.contentHash).not.toBe(plain.contentHash);
    expect(freezeTask(layout, plain)).toBe(layout.frozenTask(plain.contentHash));
    const frozen = freezeTask(layout, played);
    expect(frozen).toBe(layout.frozenTask(played.contentHash));
    expect(freezeTask(layout, played)).toBe(frozen);
    expect(readFileSync(join(frozen, 'profile.json'), 'utf8')).toBe('{"profile":"cpu"}');
    expect(existsSync(join(frozen, 'starter', 'strategy.py'))).toBe(true);
  });

  it('is what runs are planned with', () => {
    const dir = withProfiles(PROFILES, { 'agents/plain.yaml': '' });
    const agents = configs();
    const group = loadedGroup({
      models: resolveModels([dir], ['scripted:baseline']),
      tasks: under('cpu'),
      agent: loadAgent([agents], 'plain'),
    });
    const [run] = planRuns(group, { batchId: 'b-1', seed: 1, backend: 'local' });
    expect(run).toMatchObject({ gpus: 0, task: { profile: 'cpu', limits: { commandSeconds: 60 } } });
  });

  it('is refused with an unknown key, a name of its own, or a file that is not there', () => {
    const problems = (text: string) =>
      validatePath(join(withProfiles(text), 'tasks', 'coin')).flatMap((file) => file.problems);
    expect(problems('profiles:\n  cpu:\n    gpu: 0\n')).toMatchObject([
      { line: 21, key: 'profiles.cpu.gpu', message: 'unknown key; did you mean gpus?' },
    ]);
    expect(problems('profiles:\n  default:\n    gpus: 0\n')).toMatchObject([{ line: 20, key: 'profiles.default' }]);
    expect(problems('profiles:\n  cpu:\n    requirements: { agent: cpu.txt }\n')).toMatchObject([
      { line: 21, key: 'profiles.cpu.requirements.agent' },
    ]);
    expect(problems('baseline: { value: 1 }\n')).toMatchObject([{ key: 'baseline.standardError' }]);
  });
});

describe('the baseline of a task', () => {
  const data = (sample: boolean): PreparedData => ({ dir: '/none', hash: 'ab', sample, files: [] });
  const baselineOn = (text: string, sample: boolean) =>
    withData(loadTask([withProfiles(text)], 'coin'), data(sample)).spec.baseline;

  it('keeps its command on samples, with the score that is stated for them', () => {
    expect(baselineOn(PROFILES, true)).toMatchObject({
      value: 0.4,
      standardError: 0.2,
      command: 'python3 baseline.py',
    });
    expect(baselineOn(PROFILES, false)).toMatchObject({ value: 0.5, standardError: 0.1 });
  });

  it('may state no score: then there is none until a run tells it', () => {
    const text = 'baseline: { command: python3 baseline.py }\n';
    expect(baselineOn(text, false)).toEqual({ command: 'python3 baseline.py' });
    const { spec } = loadTask([withProfiles(text)], 'coin');
    expect(evaluationMessage(spec, { kind: 'ok', metrics: { payoff: 1 } } as never)).toContain('baseline: not known');
    expect(baselineOn('baseline: { value: 0.5, standardError: 0.1 }\n', true)).toEqual({});
  });
});
