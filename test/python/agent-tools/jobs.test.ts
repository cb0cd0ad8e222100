import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { AgentCommands, compileTools } from './agent-commands.js';

compileTools();
let agent: AgentCommands;
beforeEach(() => void (agent = new AgentCommands()));
afterEach(async () => {
  await agent.shell('for job in 1 2; do stop_job $job; done');
  agent.remove();
});

it('a job outlives the command that started it; its output and exit code are kept', async () => {
  expect(await agent.output('start_job "echo one; until [ -e go ]; do sleep 0.1; done; echo two >&2; exit 3"')).toBe(
    'Job 1 has started. job_output 1 shows its output, stop_job 1 ends it.',
  );
  expect(await agent.output('until job_output 1 | grep -q one; do sleep 0.1; done; job_output 1')).toBe(
    'Job 1: running.\none',
  );
  writeFileSync(join(agent.workspace, 'go'), '');
  expect(await agent.output('job_output 1 60')).toMatch(/^Job 1: ended with exit code 3 after [\d.]+ s\.\none\ntwo$/);
});

it('a stopped job ends with all that it started, and the list shows each', async () => {
  await agent.output("start_job 'sleep 1000 & echo $! > child; wait'; start_job true");
  await agent.output('until [ -s child ]; do sleep 0.1; done');
  expect(await agent.output('stop_job 1')).toBe('Job 1: stopped.');
  // Gone, or not yet reaped.
  expect((await agent.shell('ps -o stat= -p $(cat child)')).output).toMatch(/^(?:Z.*)?$/);
  await agent.output('job_output 2 60');
  expect(await agent.output('job_output')).toMatch(
    /^Job 1: stopped\. sleep 1000 & .*\nJob 2: ended with exit code 0 .*$/,
  );
});

it('a job has the time of a command', async () => {
  await agent.output('start_job "sleep 1000"', { AGENT_JOB_SECONDS: '0.3' });
  expect(await agent.output('job_output 1 60')).toMatch(/^Job 1: stopped: it ran longer than 0\.3 s\./);
});

it('a job whose keeper was killed is lost, and unknown jobs are named', async () => {
  const lock = join(agent.home, '.bench', 'jobs', '1', 'lock');
  await agent.output("start_job 'sleep 1000 & echo $! > child; wait'; until [ -s child ]; do sleep 0.1; done");
  // The keeper is the parent of the job's shell, which is the parent of the child.
  await agent.output(
    `shell=$(ps -o ppid= -p $(cat child)); kill -9 $(ps -o ppid= -p $shell); kill -9 $shell $(cat child)
     until flock -n ${lock} true; do sleep 0.1; done`,
  );
  expect(await agent.output('job_output 1')).toContain('lost: its processes are gone');
  expect(await agent.output('job_output 7')).toContain('there is no job 7');
});
