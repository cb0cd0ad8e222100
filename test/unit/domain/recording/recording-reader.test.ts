import { describe, expect, it } from 'vitest';
import { BenchError } from '../../../../domain/errors.js';
import { recordingSchema } from '../../../../domain/recording/recording.js';
import { readRecording } from '../../../../domain/recording/reader.js';

const item = (action: string, more: Record<string, unknown> = {}) => ({
  state: '{"open_file": "n/a", "working_dir": "/home/agent/workspace"}',
  response: `I think.\n\`\`\`\n${action}\n\`\`\``,
  thought: 'I think.\n',
  action: `${action}\n`,
  execution_time: 0.1,
  observation: `did ${action}`,
  ...more,
});
const traj = (trajectory: unknown[], more: Record<string, unknown> = {}): string =>
  JSON.stringify({ environment: 'mlgym_main', trajectory, history: [], ...more });
const step = (number: number, more: Record<string, unknown> = {}) => ({
  step: number,
  response: 'r',
  thought: 't',
  action: 'ls',
  observation: 'o',
  ...more,
});

function refusal(content: string): BenchError {
  try {
    readRecording(content, 'some.traj');
  } catch (error) {
    if (error instanceof BenchError) return error;
    throw error;
  }
  throw new Error('the recording was read');
}

describe('a .traj of MLGym', () => {
  it('gives replies, scores, end and workspace; forced ends are left out and counted', () => {
    const forced = item('exit_cost', {
      action: 'exit_cost',
      response: 'Exit due to cost limit',
      thought: 'Exit due to cost limit',
    });
    const info = { exit_status: 'autosubmission (exit_cost)', score: [{ Score: 1 }, { Score: 2, note: 'x' }] };
    const recording = readRecording(traj([item('ls'), item('validate'), forced], { info }), 'some.traj');
    expect(recordingSchema.parse(recording)).toEqual(recording);
    expect(recording).toMatchObject({
      format: 'mlgym',
      omitted: 1,
      endedBy: 'autosubmission (exit_cost)',
      scores: [{ Score: 1 }, { Score: 2 }],
      workspace: '/home/agent/workspace',
    });
    expect(recording.steps.map(({ action }) => action)).toEqual(['ls\n', 'validate\n']);
  });

  it('that ended before the first usable reply has none, and is no error', () => {
    const recording = readRecording(traj([item('exit_format', { action: 'exit_format' })]), 'some.traj');
    expect(recording).toMatchObject({ steps: [], omitted: 1, endedBy: null, scores: [] });
  });

  it('may hold the numbers that Python writes and JSON does not have; texts that look alike stay', () => {
    const json = traj([item('echo NaN', { observation: 'NaN "Infinity"' })], { info: { score: [{ a: 7, b: 8 }] } });
    const recording = readRecording(json.replace('"a":7', '"a":NaN').replace('"b":8', '"b":-Infinity'), 'some.traj');
    expect(recording.steps[0]).toMatchObject({ action: 'echo NaN\n', observation: 'NaN "Infinity"' });
    expect(recording.scores).toEqual([]);
  });
});

describe('what `bench trajectory --json` prints', () => {
  it('gives replies, scores, end and workspace; a step without a usable reply is left out and counted', () => {
    const evaluations = [
      { status: 'ok', metrics: { payoff: 1.5 }, primary: 1.5 },
      { status: 'rejected', metrics: null },
    ];
    const document = {
      runId: 'r-1',
      workspace: '/workspace',
      endReason: 'format',
      steps: [step(1, { evaluations, exitCode: 0 }), step(2, { observation: null }), step(3, { action: null })],
    };
    expect(readRecording(JSON.stringify(document), 'some.json')).toEqual({
      format: 'bench',
      steps: [
        { response: 'r', thought: 't', action: 'ls', observation: 'o' },
        { response: 'r', thought: 't', action: 'ls', observation: '' },
      ],
      omitted: 1,
      endedBy: 'format',
      scores: [{ payoff: 1.5 }],
      workspace: '/workspace',
    });
  });

  it('must begin with the first step', () => {
    const error = refusal(JSON.stringify({ steps: [step(5), step(6)] }));
    expect(error.message).toBe('some.traj: steps[0].step: is 5 where 1 was expected');
    expect(error.remedy).toContain('from the first step on');
  });
});

describe('a file that cannot be played is refused, with the place and a remedy', () => {
  it.each([
    ['an empty file', ' \n', 'the file is empty'],
    ['bytes that are no text', 'PK\u0003\u0004\0\0', 'NUL bytes'],
    ['a file that was cut off', traj([item('ls')]).slice(0, -30), 'not complete JSON'],
    ['another JSON document', '{"agent": []}', 'neither "trajectory"'],
    ['JSON that is no object', '[1, 2]', 'neither "trajectory"'],
    ['a trajectory without entries', traj([]), 'trajectory: is empty'],
    ['a run without steps', '{"steps": []}', 'steps: is empty'],
    ['a trajectory that is no list', '{"trajectory": {}}', 'trajectory: '],
    ['a missing key', traj([item('ls'), { ...item('ls'), action: undefined }]), 'trajectory[1].action: '],
    ['a value of another type', traj([item('ls', { response: 7 })]), 'trajectory[0].response: '],
    ['a NUL in a text', traj([item('ls', { observation: 'a\0b' })]), 'trajectory[0].observation: contains a NUL'],
    ['half a character', traj([item('ls', { action: 'echo \ud83d' })]), 'trajectory[0].action: contains half'],
  ])('%s', (_, content, message) => {
    const error = refusal(content);
    expect(error.message).toContain(`some.traj: `);
    expect(error.message).toContain(message);
    expect(error.type).toBe('usage');
    expect(error.remedy).toMatch(/\w/);
  });
});
