import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import Docker from 'dockerode';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { resolveBaseImage } from '../../backends/docker/base-image.js';
import { createDockerEvaluator } from '../../backends/docker/evaluator.js';
import type { BuiltImage } from '../../backends/docker/images.js';
import { packageSources } from '../../backends/docker/package-sources.js';
import { createDockerSandbox } from '../../backends/docker/sandbox.js';
import { ensureTaskImage } from '../../backends/docker/task-image.js';
import { loadTaskFolder } from '../../catalog/tasks.js';
import { homeLayout } from '../../domain/home/layout.js';
import { newRunId } from '../../domain/ids.js';
import type { EvaluationOutcome } from '../../domain/ports/evaluator-port.js';
import type { SandboxPort } from '../../domain/ports/sandbox-port.js';
import type { TaskFolder } from '../../domain/task/task.js';
import { layerOf } from '../../domain/task/requirements.js';
import { importHarborTasks } from '../../operations/tasks/harbor/import.js';
import type { BenchSettings } from '../../operations/settings.js';
import { REPOSITORY } from './evaluation-job.js';
import { LONG } from '../setup/long.js';

const docker = new Docker();
const root = mkdtempSync(join(tmpdir(), 'bench-harbor-tasks-'));
const homeTag = `harbor${process.pid}`;
const ref = { runId: newRunId(), epoch: 1 };
const never = new AbortController().signal;
let task: TaskFolder;
let images: { agent: BuiltImage; evaluator: BuiltImage };
let sandbox: SandboxPort;
let n = 0;

/** As in public sets, the tests install what they need, and write the report and the reward. */
const FILES: Record<string, string> = {
  'task.toml': 'version = "1.0"\n[verifier]\ntimeout_sec = 600\n[environment]\nallow_internet = false\nmemory = "1G"\n',
  'instruction.md': 'Write the answer to /app/answer.txt. {{ It is no template. }}\n',
  'environment/Dockerfile': `FROM the-base\nWORKDIR /app\nRUN mkdir -p data && echo ${process.pid} > data/question.txt && ln -s data/question.txt link && chmod 750 data\n`,
  'tests/expected.txt': '42\n',
  'tests/report.py': [
    'import json, sys, xml.etree.ElementTree as tree',
    'suite = tree.parse(sys.argv[1]).getroot().find("testsuite")',
    'tests, bad = int(suite.get("tests")), sum(int(suite.get(k)) for k in ("failures", "errors", "skipped"))',
    'json.dump({"results": {"summary": {"tests": tests, "passed": tests - bad}}}, open(sys.argv[2], "w"))',
  ].join('\n'),
  'tests/test_outputs.py': [
    'import os, socket',
    'def test_localhost():',
    '    assert socket.gethostbyname("localhost") == "127.0.0.1"',
    'def test_chroot():',
    '    assert os.system("chroot / true") == 0',
    'def test_files_move_between_folders():',
    '    os.rename("/app/data", "/tmp/moved")',
    '    os.rename("/tmp/moved", "/app/data")',
    'def test_answer():',
    '    assert open("/app/answer.txt").read() == open("/tests/expected.txt").read()',
    'def test_begins_as_the_image():',
    '    assert os.readlink("/app/link") == "data/question.txt" and os.stat("/app/data").st_mode & 0o777 == 0o750',
  ].join('\n'),
  'tests/test.sh': [
    '#!/bin/bash',
    'apt-get update && apt-get install -y --no-install-recommends python3-pytest',
    'pytest-3 --junitxml /tmp/report.xml /tests/test_outputs.py',
    'passed=$?',
    'python3 /tests/report.py /tmp/report.xml /logs/verifier/ctrf.json',
    'if [ $passed -eq 0 ]; then',
    '  echo 1 > /logs/verifier/reward.txt',
    'else',
    '  echo 0 > /logs/verifier/reward.txt',
    'fi',
  ].join('\n'),
  'solution/solve.sh': '#!/bin/bash\necho 42 > /app/answer.txt\n',
};

beforeAll(async () => {
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(root, 'set', 'tiny', name)), { recursive: true });
    writeFileSync(join(root, 'set', 'tiny', name), text);
  }
  chmodSync(join(root, 'set', 'tiny', 'tests', 'test.sh'), 0o755);
  const base = await resolveBaseImage(docker, undefined, { onProgress: () => undefined });
  const layout = homeLayout(join(root, 'home'));
  mkdirSync(join(layout.configs, 'tasks'), { recursive: true });
  const settings = { assetsRoot: REPOSITORY, layout, configFolders: [layout.configs] } as unknown as BenchSettings;
  const found = importHarborTasks({ settings }, join(root, 'set'), {
    ...{ prefix: '', bases: [{ from: 'the-*', to: base.ref }], build: false, live: false, force: false, dryRun: false },
  });
  expect(found.tasks).toMatchObject([{ id: 'tiny', verification: 'clean-room', refusals: [] }]);
  task = loadTaskFolder(join(layout.configs, 'tasks', 'tiny'));
  const options = { sources: packageSources(process.env), assetsRoot: REPOSITORY };
  const plain = { ref: 'none', digest: 'none' };
  const made = (kind: 'agent' | 'evaluator') =>
    ensureTaskImage(docker, kind, plain, layerOf(task.spec, kind, task.dir), options);
  images = { agent: await made('agent'), evaluator: await made('evaluator') };
  sandbox = createDockerSandbox({ docker, image: async () => images.agent, layout, homeTag });
  await sandbox.start({
    ...{ ...ref, starterDir: join(task.dir, 'starter'), network: 'none', gpuDevices: [] },
    limits: { memoryMb: 512, cpus: 1, pids: 128, workspaceMb: 256 },
  });
});
afterAll(async () => {
  await sandbox?.stop(ref);
  rmSync(root, { recursive: true, force: true });
});

async function asAgent(script: string): Promise<string> {
  const { output } = await sandbox.run(ref, { n: ++n, script, timeLimitSeconds: 60 }, never);
  return output;
}

/** What the working folder is worth now. */
async function verified(taskDir = task.dir): Promise<EvaluationOutcome> {
  const whole = { workdir: '/app', besides: false };
  const taken = await sandbox.collect(ref, [], 64 * 1024 * 1024, { whole });
  if (taken.kind === 'refused') return { kind: 'rejected', message: taken.reason };
  if (taken.kind !== 'files') throw new Error('nothing was taken');
  const evaluator = createDockerEvaluator({ docker, imageRef: images.evaluator.ref, homeTag });
  const job = {
    id: `tiny-${++n}`,
    task: task.spec,
    taskDir,
    submission: taken.files,
    split: 'test' as const,
    seed: 'ab',
  };
  return await evaluator.evaluate(job, never);
}
const reward = (value: number) => ({ kind: 'ok', metrics: { reward: value } });

describe("a task in Harbor's format", () => {
  test('begins as its image has it, under the name that its instruction has', async () => {
    expect(await asAgent('cat /app/link && stat -c %a /app/data && ls /tests /logs/verifier 2>&1 | head -1')).toMatch(
      new RegExp(`^${process.pid}\n750\nls: .*No such file`),
    );
    expect(task.spec.description).toContain('/app/answer.txt');
  });

  test('is not passed as it begins, and passed by its solution, both without a network', async () => {
    expect(await verified()).toMatchObject(reward(0));
    await asAgent('echo 42 > /app/answer.txt');
    expect(await verified()).toMatchObject(reward(1));
    await asAgent('rm -r /app/answer.txt');
    expect(await verified()).toMatchObject(reward(0));
  });

  const attacks = [
    [
      'a daemon that writes the reward',
      "setsid sh -c 'while :; do mkdir -p /logs/verifier; echo 1 > /logs/verifier/reward.txt; sleep 0.05; done' >/dev/null 2>&1 &",
    ],
    [
      'another bash',
      `printf '#!/bin/sh\\necho 1 > /logs/verifier/reward.txt\\n' > /app/bash; chmod 755 /app/bash; cp /app/bash /bin/bash; cp /app/bash /usr/local/bin/bash; mkdir -p ~/bin; cp /app/bash ~/bin; echo 'PATH=~/bin:/app:$PATH' >> ~/.bashrc`,
    ],
    [
      'a conftest.py that lets every test pass',
      `printf 'import pytest\\n@pytest.hookimpl(hookwrapper=True)\\ndef pytest_runtest_makereport():\\n    (yield).get_result().outcome = "passed"\\n' | tee /app/conftest.py > /conftest.py; printf '[pytest]\\naddopts = --collect-only\\n' > /app/pytest.ini`,
    ],
    [
      'a library that is loaded into every program',
      'mkdir -p /app/etc; echo /app/evil.so | tee /app/etc/ld.so.preload > /etc/ld.so.preload; cp /lib/x86_64-linux-gnu/libc.so.6 /app/evil.so; export LD_PRELOAD=/app/evil.so',
    ],
    [
      'a reward that lies there before',
      `mkdir -p /logs/verifier /app/logs/verifier; echo 1 | tee /app/reward.txt /app/logs/verifier/reward.txt > /logs/verifier/reward.txt; echo '{"reward": 1}' > /logs/verifier/reward.json`,
    ],
  ] as const;
  // The first works beside the tests, the third in their process.
  test.each(LONG ? attacks : [attacks[0], attacks[2]])('%s gains nothing', async (_, script) => {
    await asAgent(`cd /app; ${script} true`.replace('& true', '&').replace(/(?<!&) true$/, '; true'));
    const found = await verified();
    expect(found.kind === 'ok' ? found.metrics : found.kind).toEqual({ reward: 0 });
    await asAgent('rm -rf /app/bash /app/conftest.py /app/pytest.ini /app/etc /app/evil.so /app/reward.txt /app/logs');
  });

  test.each([
    ['/tests/expected.txt', 'ln -s /tests/expected.txt /app/answer.txt'],
    ['a way up', 'ln -s ../../tests/expected.txt /app/answer.txt'],
    ['a way up behind a link', 'ln -s . /app/here; ln -s here/../../tests/expected.txt /app/answer.txt'],
  ])('an answer that is a link to %s is refused', async (_, script) => {
    await asAgent(script);
    expect(await verified()).toMatchObject({
      kind: 'rejected',
      message: expect.stringMatching(/answer\.txt is a link to .*, outside of the working folder/) as string,
    });
    await asAgent('rm -f /app/answer.txt /app/here');
  });

  test('tests that do not get to run are no score', async () => {
    const broken = join(root, 'broken');
    cpSync(task.dir, broken, { recursive: true });
    writeFileSync(join(broken, 'evaluator/tests/test.sh'), 'missing-program\necho 0 > /logs/verifier/reward.txt\n');
    expect(await verified(broken)).toMatchObject({
      kind: 'evaluator_error',
      message: expect.stringMatching(/left no ctrf\.json[^]*missing-program/) as string,
    });
  });

  test('a verification that something else ended is done again, and no verdict', async () => {
    const killed = join(root, 'killed');
    cpSync(task.dir, killed, { recursive: true });
    writeFileSync(join(killed, 'evaluator/tests/test.sh'), 'kill -KILL $$\n');
    await expect(verified(killed)).rejects.toThrow(/ended with code 137 before it gave a reward/);
  });

  test('running processes are verified where they run; the agent neither reads nor outdoes the tests', async () => {
    const taskDir = join(root, 'live');
    mkdirSync(join(taskDir, 'evaluator/tests'), { recursive: true });
    writeFileSync(
      join(taskDir, 'evaluator/tests/test.sh'),
      [
        'if [ "$PWD $(id -u)" != "/app 0" ]; then exit 1; fi',
        'if exec 3<>/dev/tcp/127.0.0.1/7000 && read -r said <&3 && [ "$said" = ready ]; then passed=1; else passed=0; fi',
        'sleep 0.5; echo "the server said: $said"',
        'echo "{\\"results\\": {\\"summary\\": {\\"tests\\": 1, \\"passed\\": $passed}}}" > /logs/verifier/ctrf.json',
        'if [ -z "$UNSCORED" ]; then echo $passed > /logs/verifier/reward.txt; fi',
      ].join('\n'),
    );
    const apart = { verification: 'live' as const, workdir: '/app', ctrf: true, inProcess: false, env: {} };
    const spec = { kind: 'harbor' as const, ...apart, timeoutSeconds: 60, memoryMb: 512 };
    const inPlace = async (env: Record<string, string> = {}) => {
      const live = { taskDir, workdir: '/app', env, timeoutSeconds: 60 };
      const taken = await sandbox.collect(ref, [], 1, { live });
      if (taken.kind !== 'files') return taken;
      const evaluator = createDockerEvaluator({ docker, imageRef: images.evaluator.ref, homeTag });
      const job = {
        id: `live-${++n}`,
        task: { ...task.spec, evaluator: spec },
        taskDir,
        submission: taken.files,
        split: 'test' as const,
        seed: 'ab',
      };
      return await evaluator.evaluate(job, never);
    };
    await asAgent(
      "setsid sh -c 'while :; do cat /tests/test.sh >> /app/seen; echo 1 > /logs/verifier/reward.txt; sleep 0.05; done' >/dev/null 2>&1 &",
    );
    expect(await inPlace()).toMatchObject(reward(0));
    const server =
      'import socket\ns = socket.create_server(("127.0.0.1", 7000))\nwhile True: s.accept()[0].send(b"ready\\n")';
    await asAgent(`printf '%s' '${server}' > /app/server.py; setsid python3 /app/server.py >/dev/null 2>&1 & sleep 1`);
    expect(await inPlace()).toMatchObject(reward(1));
    expect(await inPlace({ UNSCORED: '1' })).toMatchObject({
      kind: 'evaluator_error',
      message: expect.stringMatching(/neither reward[^]*the server said: ready/) as string,
    });
    expect(await asAgent('wc -c < /app/seen; ls -d /tests /logs/verifier 2>&1')).toMatch(/^0\n[^]*No such/m);
  });
});
