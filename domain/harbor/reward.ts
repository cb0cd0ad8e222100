import type { EvaluationOutcome } from '../ports/evaluator-port.js';

/** From a verification's log folder; null: no plain file of this name. */
export interface VerifierFiles {
  rewardJson: string | null;
  rewardTxt: string | null;
  ctrf: string | null;
}

type Judged = EvaluationOutcome & { kind: 'ok' | 'rejected' | 'evaluator_error' };

const fault = (message: string): Judged => ({ kind: 'evaluator_error', message });

/**
 * The reward of Harbor's tests. A verifier that could not start also writes 0, so tests with a
 * report must have written one, and a full reward must agree with it: the agent's code may have
 * skipped or ended them.
 */
export function judgeReward({ rewardJson, rewardTxt, ctrf }: VerifierFiles, wantsReport: boolean): Judged {
  if (wantsReport && ctrf === null) return fault('tests/test.sh left no ctrf.json: it did not get to its tests');
  const reward = rewardJson === null ? ofText(rewardTxt) : ofJson(rewardJson);
  if (typeof reward === 'string') return fault(reward);
  const report = wantsReport && ctrf !== null ? readReport(ctrf) : null;
  if (typeof report === 'string') return fault(report);
  if (report !== null && reward >= 1 && (report.tests === 0 || report.passed < report.tests))
    return {
      kind: 'rejected',
      message: `the tests give the full reward, though ${report.passed} of ${report.tests} passed`,
    };
  return { kind: 'ok', metrics: { reward } };
}

/** A text result is the problem. */
function ofText(text: string | null): number | string {
  if (text === null) return 'tests/test.sh left neither reward.json nor reward.txt';
  const trimmed = text.trim();
  const value = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(trimmed) ? Number(trimmed) : NaN;
  return Number.isFinite(value) ? value : `reward.txt is no finite number: ${JSON.stringify(trimmed.slice(0, 60))}`;
}

function ofJson(text: string): number | string {
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    return 'reward.json is no JSON';
  }
  if (typeof found === 'number') return finite(found);
  if (typeof found !== 'object' || found === null || Array.isArray(found)) return 'reward.json is no object of numbers';
  const rewards = found as Record<string, unknown>;
  const keys = Object.keys(rewards);
  const key = keys.includes('reward') ? 'reward' : keys.length === 1 ? keys[0]! : null;
  if (key === null)
    return `reward.json has several rewards and none is called reward: ${keys.join(', ').slice(0, 200)}`;
  const value = rewards[key];
  return typeof value === 'number' ? finite(value) : `reward.json: ${key} is no number`;
}

/** JSON can contain numbers that overflow. */
const finite = (value: number): number | string =>
  Number.isFinite(value) ? value : 'reward.json has no finite number';

function readReport(text: string): { tests: number; passed: number } | string {
  try {
    const { tests, passed } = (JSON.parse(text) as { results: { summary: { tests: unknown; passed: unknown } } })
      .results.summary;
    if (Number.isInteger(tests) && Number.isInteger(passed)) return { tests: Number(tests), passed: Number(passed) };
  } catch {
    // Reported below.
  }
  return 'ctrf.json has no summary of tests and passed ones';
}
