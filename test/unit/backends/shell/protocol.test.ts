import { describe, expect, it } from 'vitest';
import { parseOutcome, replySchema } from '../../../../backends/shell/protocol.js';

const outcome = {
  n: 3,
  exitCode: 0,
  timedOut: false,
  interrupted: false,
  stoppedBy: null,
  lost: false,
  output: 'fine\n',
  outputBytes: 5,
  stateReset: false,
  notice: null,
  workingDir: '/home/agent/workspace',
  requested: null,
  openFile: null,
  memories: [],
  ms: 12,
  pid: 4711,
};

describe('an outcome written by a supervisor', () => {
  it('is taken as it is, without its number', () => {
    const { n: _, openFile, ...expected } = outcome;
    expect(parseOutcome(JSON.stringify(outcome))).toEqual({
      ...expected,
      toolState: { openFile },
    });
  });

  it('tells what the special commands remember', () => {
    const gpus = [{ name: 'A GPU\0', memoryMb: 1000, usedMb: 10 }];
    const told = parseOutcome(JSON.stringify({ ...outcome, openFile: '/a\0', gpus, memories: ['first', 'second\0'] }));
    expect(told.toolState).toEqual({ openFile: '/a\ufffd', gpus: [{ ...gpus[0], name: 'A GPU\ufffd' }] });
    expect(told.memories).toEqual(['first', 'second\ufffd']);
  });
  it('has no file open when its path is longer than any', () =>
    expect(parseOutcome(JSON.stringify({ ...outcome, openFile: '/'.repeat(5000) })).toolState.openFile).toBeNull());

  it('is freed of what Postgres cannot store', () => {
    const dirty = JSON.stringify({ ...outcome, output: 'a\0b', workingDir: '/x\0' }).replace('fine', '\\ud800');
    expect(parseOutcome(dirty)).toMatchObject({ output: 'a\ufffdb', workingDir: '/x\ufffd' });
    const lone = JSON.stringify(outcome).replace('fine', '\\ud83d half, \\ud83d\\ude00 whole, \\ude00 half');
    expect(parseOutcome(lone).output).toBe('\ufffd half, \u{1f600} whole, \ufffd half\n');
  });

  it.each([
    ['no JSON', '{"exitCode": 0'],
    ['an exit code out of range', JSON.stringify({ ...outcome, exitCode: 256 })],
    ['a request that does not exist', JSON.stringify({ ...outcome, requested: 'win' })],
    ['a negative count', JSON.stringify({ ...outcome, outputBytes: -1 })],
    ['a field that is missing', JSON.stringify({ ...outcome, lost: undefined })],
    ['more memory than a command may write', JSON.stringify({ ...outcome, memories: Array(33).fill('a') })],
    ['a directory longer than any', JSON.stringify({ ...outcome, workingDir: '/'.repeat(6000) })],
  ])('is refused when it has %s', (_, text) => {
    expect(() => parseOutcome(text)).toThrow();
  });
});

describe('a reply of the control socket', () => {
  it('is one of three', () => {
    expect(replySchema.parse({ ok: true, running: null })).toEqual({ ok: true });
    expect(replySchema.parse({ done: 3 })).toEqual({ done: 3 });
    expect(replySchema.parse({ error: 'busy' })).toEqual({ error: 'busy' });
    expect(replySchema.safeParse({ anything: 1 }).success).toBe(false);
  });
});
