import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BenchHome } from '../setup/bench-home.js';
import { testPodman } from '../setup/podman-engine.js';
import { tinyWheel } from '../setup/tiny-wheel.js';
import { LONG } from '../setup/long.js';
import type { RunDetail } from '../../domain/views/runs.js';
import type { EventRow } from '../../domain/views/events.js';
import type { TrajectoryStep } from '../../domain/views/trajectory.js';

const ROOT = resolve(import.meta.dirname, '../..');
const WORKSPACE_MB = 64;
const DIGEST = /^sha256:[0-9a-f]{64}$/;

const GET = `import sys, urllib.request, urllib.error
try:
    print(urllib.request.urlopen(sys.argv[1], timeout=20).read().decode())
except urllib.error.HTTPError as error:
    print(error.code, error.read().decode())
`;

/** The long suite plays it on podman too. */
const BACKENDS = LONG ? (['docker', 'podman'] as const) : (['docker'] as const);

describe.each(BACKENDS)('a task with a network, packages and limits on %s', (backend) => {
  const home = new BenchHome(backend === 'podman' ? { BENCH_PODMAN_HOST: testPodman().url } : {});
  /** What the internet is here: a server of this process. */
  let internet: Server;
  let allowed: string;
  let run: RunDetail;
  let observations: string[];

  /** An address of this machine that containers reach, too. */
  const ownAddress = (): string =>
    Object.values(networkInterfaces())
      .flat()
      .find((at) => at?.family === 'IPv4' && !at.internal)?.address ?? '172.17.0.1';

  /** A game with a way out to one host, a package of its own, and a small workspace. */
  async function writeTask(dir: string): Promise<void> {
    mkdirSync(join(dir, 'wheels'));
    const wheel = await tinyWheel('coinrules', `OWNER = "the task"\n`);
    writeFileSync(join(dir, 'wheels', wheel.file), wheel.bytes);
    writeFileSync(join(dir, 'requirements.txt'), `./wheels/${wheel.file}\n`);
    writeFileSync(join(dir, 'starter', 'get.py'), GET);
    const referee = join(dir, 'evaluator', 'referee.py');
    writeFileSync(referee, `import coinrules\nassert coinrules.OWNER == "the task"\n${readFileSync(referee, 'utf8')}`);
    const yaml = readFileSync(join(dir, 'task.yaml'), 'utf8').replace(/^limits:.*\n(?: .*\n)*/m, '');
    const more = {
      network: { allow: [allowed], allowPrivate: true },
      requirements: { agent: 'requirements.txt', evaluator: 'requirements.txt' },
      limits: { commandSeconds: 60, workspaceMb: WORKSPACE_MB, memoryMb: 1024, cpus: 1, pids: 256 },
    };
    const lines = Object.entries(more).map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`);
    writeFileSync(join(dir, 'task.yaml'), yaml + lines.join(''));
  }

  /** What the recorded agent did; what it was told then is of no interest. */
  function writeRecording(): void {
    const actions = [
      'python3 -c "import coinrules; print(coinrules.OWNER)"',
      `python3 get.py http://${allowed}/data?page=1`,
      'python3 get.py http://forbidden.test/secret',
      `head -c ${2 * WORKSPACE_MB}M /dev/zero > big; rm big`,
      'submit',
    ];
    const trajectory = actions.map((action) => ({
      state: '{}',
      response: `I do it.\n\`\`\`\n${action}\n\`\`\`\n`,
      thought: 'I do it.\n',
      action: `${action}\n`,
      execution_time: 0.1,
      observation: '',
    }));
    writeFileSync(join(home.dir, 'run.traj'), JSON.stringify({ trajectory, history: [], info: {} }));
  }

  beforeAll(async () => {
    internet = createServer((request, response) => response.end(`the page ${request.url}`));
    await new Promise<void>((listening) => internet.listen(0, '0.0.0.0', listening));
    allowed = `${ownAddress()}:${(internet.address() as AddressInfo).port}`;
    const configs = join(home.dir, 'configs');
    cpSync(join(ROOT, 'configs'), configs, { recursive: true });
    await writeTask(join(configs, 'tasks', 'battleOfSexes'));
    home.env['BENCH_CONFIGS'] = configs;
    writeRecording();
    const batch = await home.processJson<{ status: string; runs: { runId: string }[] }>(
      'submit',
      ...['--models', 'replay:run.traj', '--tasks', 'battleOfSexes', '--attempts', '1'],
      ...['--backend', backend, '--wait'],
    );
    run = await home.json<RunDetail>('show', batch.runs[0]?.runId ?? '');
    const { steps } = await home.json<{ steps: TrajectoryStep[] }>('trajectory', run.runId);
    observations = steps.map(({ observation }) => observation ?? '');
  });
  afterAll(async () => {
    internet.close();
    await home.remove();
  });

  it('a run has the packages that its task requires, for the agent and for its evaluation', () => {
    expect(observations[0]).toContain('the task');
    expect(run).toMatchObject({ status: 'ended', endReason: 'submit', finalEvaluation: 'ok' });
  });

  it('an allowed host answers, another is refused with the reason, and both requests are events', async () => {
    expect(observations[1]).toContain('the page /data?page=1');
    expect(observations[2]).toMatch(/^403 .*network policy does not allow forbidden\.test:80/m);
    const { events } = await home.json<{ events: EventRow[] }>('events', run.runId);
    const requests = events.filter(({ kind }) => kind === 'network_request').map(({ detail }) => detail);
    expect(requests).toEqual([
      expect.stringContaining(`GET ${allowed} allowed: `) as string,
      expect.stringMatching(/^GET forbidden\.test:80 refused: .*does not allow/) as string,
    ]);
  });

  it('the workspace ends where the task says, and the agent is told', () => {
    expect(observations[3]).toMatch(run.workspaceLimit === 'watched' ? /workspace/ : /No space left on device/);
  });

  it('the run says in what world it was played, and show prints it', async () => {
    expect(run).toMatchObject({
      imageDigest: expect.stringMatching(DIGEST) as string,
      evaluatorImageDigest: expect.stringMatching(DIGEST) as string,
      workspaceLimit: expect.stringMatching(/^(file_system|watched)$/) as string,
      limits: { workspaceMb: WORKSPACE_MB, memoryMb: 1024, cpus: 1, pids: 256 },
      network: { allow: [allowed], allowPrivate: true },
      memory: false,
      memoryRecords: null,
    });
    expect(run.imageDigest).not.toBe(run.evaluatorImageDigest);
    const { stdout } = await home.run('show', run.runId);
    expect(stdout).toMatch(/limits +1 cpus, 1024 MB, 256 processes, workspace 64 MB \((by its file system|watched)\)/);
    const short = [run.imageDigest, run.evaluatorImageDigest].map((digest) => digest?.slice(7, 19));
    expect(stdout).toContain(`agent ${short[0]}, evaluator ${short[1]}`);
    expect(stdout).toContain(`only ${allowed}`);
  });
});
