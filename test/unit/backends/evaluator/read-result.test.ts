import { describe, expect, it } from 'vitest';
import { readResult } from '../../../../backends/evaluator/read-result.js';
import { InfrastructureError } from '../../../../domain/errors.js';
import type { TaskSpec } from '../../../../domain/task/task.js';

const task = { id: 't', metrics: { Score: {}, Time: {} } } as unknown as TaskSpec;

describe('the result line of an evaluation', () => {
  it('with exactly the declared metrics is ok', () => {
    const line = '{"outcome": "ok", "metrics": {"Time": 2, "Score": 1.5}}\n';
    expect(readResult(line, task)).toEqual({ kind: 'ok', metrics: { Score: 1.5, Time: 2 } });
  });

  it('that rejects carries its message', () => {
    expect(readResult('{"outcome": "rejected", "message": "no"}', task)).toEqual({ kind: 'rejected', message: 'no' });
  });

  it('that an engine has lost is evaluated again', () => {
    for (const nothing of ['', '\n']) expect(() => readResult(nothing, task)).toThrow(InfrastructureError);
  });

  it.each([
    ['no JSON', '{"outcome": "o'],
    ['two lines', '{"outcome": "rejected", "message": "a"}\n{"outcome": "rejected", "message": "b"}'],
    ['a metric too few', '{"outcome": "ok", "metrics": {"Score": 1}}'],
    ['a metric too many', '{"outcome": "ok", "metrics": {"Score": 1, "Time": 2, "Other": 3}}'],
    ['NaN', '{"outcome": "ok", "metrics": {"Score": NaN, "Time": 2}}'],
    ['more than a double holds', '{"outcome": "ok", "metrics": {"Score": 1e999, "Time": 2}}'],
    ['text for a number', '{"outcome": "ok", "metrics": {"Score": "1", "Time": 2}}'],
    ['null', '{"outcome": "ok", "metrics": {"Score": null, "Time": 2}}'],
    ['an unknown outcome', '{"outcome": "fine", "metrics": {"Score": 1, "Time": 2}}'],
    ['an unknown key', '{"outcome": "ok", "metrics": {"Score": 1, "Time": 2}, "bonus": 1}'],
  ])('with %s is an evaluator error', (_, line) => {
    expect(readResult(line, task)).toMatchObject({ kind: 'evaluator_error' });
  });
});
