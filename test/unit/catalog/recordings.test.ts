import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { BenchError } from '../../../domain/errors.js';
import { loadRecording, resolveModels } from '../../../catalog/index.js';
import { configs, folder } from './fixtures.js';

const entry = { response: '```\nls\n```', thought: '', action: 'ls\n', observation: 'a', state: '{}' };
const TRAJ = JSON.stringify({ trajectory: [entry], info: { exit_status: 'submitted' } });
let dir: string;
beforeEach(() => {
  dir = folder({ 'run.traj': TRAJ, 'empty.traj': '', 'sub/x': '' });
});

function refusal(name: string): BenchError {
  try {
    resolveModels([configs()], [`replay:${name}`]);
  } catch (error) {
    if (error instanceof BenchError) return error;
    throw error;
  }
  throw new Error('the recording was read');
}

describe('replay:<file> as a model', () => {
  it('is the recording, by its content', () => {
    const file = join(dir, 'run.traj');
    const [model] = resolveModels([configs()], [`replay:${file}`]);
    expect(model).toMatchObject({ name: `replay:${file}`, kind: 'replay', provider: 'replay' });
    expect(model?.model).toMatch(/^[0-9a-f]{64}$/);
    expect(model?.recording?.steps).toEqual([
      { response: '```\nls\n```', thought: '', action: 'ls\n', observation: 'a' },
    ]);
  });

  it('has the same hash whatever else is in the file, and another one when a reply changes', () => {
    const hash = (content: object): string => {
      writeFileSync(join(dir, 'changed.traj'), JSON.stringify(content, null, 2));
      return loadRecording(join(dir, 'changed.traj')).hash;
    };
    const same = {
      history: [{}],
      info: { exit_status: 'submitted', model_stats: { total_cost: 7 } },
      trajectory: [entry],
    };
    expect(hash(same)).toBe(loadRecording(join(dir, 'run.traj')).hash);
    expect(hash({ ...same, trajectory: [{ ...entry, response: 'ls' }] })).not.toBe(hash(same));
  });

  it('may begin with a byte order mark', () => {
    writeFileSync(join(dir, 'bom.traj'), `\ufeff${TRAJ}`);
    expect(loadRecording(join(dir, 'bom.traj'))).toEqual(loadRecording(join(dir, 'run.traj')));
  });

  it('that cannot be read is refused, with the file and a remedy', () => {
    writeFileSync(join(dir, 'latin1.traj'), Buffer.from(TRAJ.replace('"a"', '"é"'), 'latin1'));
    const problems = Object.entries({
      'missing.traj': 'no such file',
      sub: 'is a folder',
      'latin1.traj': 'not UTF-8 text',
      'empty.traj': 'the file is empty',
    });
    for (const [name, problem] of problems) {
      const error = refusal(join(dir, name));
      expect(error.message).toBe(`${join(dir, name)}: ${problem}`);
      expect(error.exitCode).toBe(2);
      expect(error.remedy).toMatch(/\w/);
    }
    expect(refusal('').message).toBe('replay: names no file');
  });
});
