import type Docker from 'dockerode';
import { judgeReward } from '../../../domain/harbor/reward.js';
import type { EvaluationOutcome } from '../../../domain/ports/evaluator-port.js';
import {
  type Collected,
  type LiveTests,
  LEFT_BY_TESTS,
  type SubmissionFile,
} from '../../../domain/ports/sandbox-port.js';
import { execOutput } from '../exec-output.js';
import { leftBehind } from './left-behind.js';
import { LOGS, pathOf, verificationEnvironment } from './provision-script.js';
import { testsArchive } from './tests-archive.js';

const PATIENCE_MS = 120_000;
/** Where the agent, who is not root, installs packages. */
const AGENT_LOCAL = '/home/agent/.local';
/** Exit codes of `timeout` for a command that it ended. */
const TOO_LONG = ['124', '137'];

const BEFORE = `rm -rf /tests ${LOGS} && mkdir -p /logs && mkdir -m 700 ${LOGS}`;
const TESTS = `cd "$1" && timeout --kill-after=5 "$2" /bin/bash /tests/test.sh </dev/null >${LOGS}/${LEFT_BY_TESTS.said} 2>&1; echo $?`;
const AFTER = `rm -rf /tests ${LOGS}`;

/**
 * Runs Harbor's tests as root in the agent's container, among the agent's processes, which are
 * under test. Those can neither read the tests nor write the reward, but tests may load packages of
 * theirs.
 */
export async function runLiveTests(
  container: Docker.Container,
  { taskDir, workdir, env, timeoutSeconds }: LiveTests,
): Promise<Collected> {
  const signal = AbortSignal.timeout(timeoutSeconds * 1000 + PATIENCE_MS);
  const shell = async (variables: string[], script: string, ...args: string[]): Promise<string> => {
    const chunks: Buffer[] = [];
    const command = ['/usr/bin/env', '-i', ...variables, '/bin/sh', '-c', script, 'sh', ...args];
    for await (const chunk of execOutput(container, command, signal)) chunks.push(chunk);
    return Buffer.concat(chunks).toString('utf8').trim();
  };
  const { Config: config } = await container.inspect();
  const path = `${pathOf(config.Env)}:${AGENT_LOCAL}/bin`;
  const variables = [...verificationEnvironment(env, path), `PYTHONUSERBASE=${AGENT_LOCAL}`];
  try {
    await shell(variables, BEFORE);
    await container.putArchive(await testsArchive(taskDir, 0o700), { path: '/' });
    const ended = await shell(variables, TESTS, workdir, String(timeoutSeconds));
    if (TOO_LONG.includes(ended)) return { kind: 'refused', reason: `the tests took longer than ${timeoutSeconds} s` };
    const left = await leftBehind(container);
    return {
      kind: 'files',
      files: Object.values(LEFT_BY_TESTS).map((path) => ({ path, bytes: Buffer.from(left.get(path) ?? '') })),
    };
  } finally {
    await shell(variables, AFTER);
  }
}

/** Empty text: the tests left no such file, or an empty one. */
export function judgeLiveTests(submission: readonly SubmissionFile[], ctrf: boolean): EvaluationOutcome {
  const text = (name: string): string | null =>
    submission.find(({ path }) => path === name)?.bytes.toString('utf8') || null;
  const { rewardJson, rewardTxt, report, said } = LEFT_BY_TESTS;
  const judged = judgeReward({ rewardJson: text(rewardJson), rewardTxt: text(rewardTxt), ctrf: text(report) }, ctrf);
  if (judged.kind !== 'evaluator_error') return judged;
  return { ...judged, message: `${judged.message}\n${(text(said) ?? '').trim().slice(-2000)}`.trim() };
}
