/**
 * A trivial command through the durable shell and plain `docker exec` (engine API), in turns; a new
 * container up to its first answer; the evaluation of 10,000 CSV rows. Milliseconds.
 *
 *   npm run benchmark:shell -- [--commands 200] [--containers 20] [--evaluations 20]
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { finished } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { connectEngine, probeEngine } from '../backends/docker/engine.js';
import { engineAddress } from '../backends/docker/engine-address.js';
import { createDockerEvaluator } from '../backends/docker/evaluator.js';
import { ensureImage } from '../backends/docker/images.js';
import { createDockerSandbox } from '../backends/docker/sandbox.js';
import { homeLayout } from '../domain/home/layout.js';
import { newRunId } from '../domain/ids.js';
import type { SandboxRef } from '../domain/ports/sandbox-port.js';
import { csvJob } from './csv-evaluation.js';
import { quantile } from '../domain/statistics/quantile.js';

const { values } = parseArgs({
  options: {
    commands: { type: 'string', default: '200' },
    containers: { type: 'string', default: '20' },
    evaluations: { type: 'string', default: '20' },
  },
});
/** A model thinks between commands; a hundredth of that lets the shell get ready. */
const PAUSE_MS = 20;
const WARM_UP = 20;
const never = new AbortController().signal;

const address = engineAddress('docker', {});
const engine = await probeEngine(address);
if (engine.kind !== 'ok') throw new Error(`${engine.reason}: ${engine.remedy}`);
const docker = connectEngine(address);
const home = mkdtempSync(join(tmpdir(), 'bench-shell-'));
const starterDir = join(home, 'starter');
mkdirSync(starterDir);
const homeTag = `shellbench${process.pid}`;
const imageOf = (kind: 'agent' | 'evaluator') =>
  ensureImage(docker, kind, {
    assetsRoot: resolve(import.meta.dirname, '../..'),
    onProgress: (line) => process.stderr.write(`${line}\n`),
  });
const image = await imageOf('agent');
const layout = homeLayout(home);
const sandbox = createDockerSandbox({ docker, image: () => Promise.resolve(image), layout, homeTag });

async function start(): Promise<SandboxRef> {
  const ref = { runId: newRunId(), epoch: 1 };
  await sandbox.start({
    ...ref,
    starterDir,
    limits: { memoryMb: 1024, cpus: 2, pids: 200 },
    network: 'none',
    gpuDevices: [],
  });
  return ref;
}

async function timed(action: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await action();
  return performance.now() - begun;
}

const pause = () => new Promise((done) => setTimeout(done, PAUSE_MS));
const summary = (times: number[]) => ({ p50: quantile(times, 0.5), p95: quantile(times, 0.95), count: times.length });

function say(name: string, times: number[]): void {
  const { p50, p95, count } = summary(times);
  const cell = (ms: number) => ms.toFixed(1).padStart(8);
  process.stderr.write(`  ${name.padEnd(40)} p50 ${cell(p50)}   p95 ${cell(p95)}   of ${count}\n`);
}

/** In turns, so that other load hits both. */
async function commands() {
  const ref = await start();
  let n = 0;
  const durable = () => sandbox.run(ref, { n: ++n, script: 'true', timeLimitSeconds: 60 }, never);
  const container = docker.getContainer(`bench-${homeTag}-${ref.runId}-${ref.epoch}`);
  const exec = async () => {
    const command = await container.exec({ Cmd: ['bash', '-c', 'true'], AttachStdout: true, AttachStderr: true });
    const stream = await command.start({});
    await finished(stream.resume());
    const { ExitCode: code } = await command.inspect();
    if (code !== 0) throw new Error(`docker exec ended with ${code}`);
  };
  const apart: number[] = [];
  const together: number[] = [];
  const plain: number[] = [];
  for (let i = 0; i < WARM_UP; i++) await durable();
  await exec();
  for (let i = 0; i < Number(values.commands); i++) {
    await pause();
    apart.push(await timed(durable));
    together.push(await timed(durable));
    plain.push(await timed(exec));
  }
  await sandbox.stop(ref);
  return { apart, together, plain };
}

async function firstCommands(): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < Number(values.containers); i++) {
    let ref: SandboxRef | undefined;
    times.push(
      await timed(async () => {
        ref = await start();
        await sandbox.run(ref, { n: 1, script: 'true', timeLimitSeconds: 60 }, never);
      }),
    );
    if (ref !== undefined) await sandbox.stop(ref);
  }
  return times;
}

/** Submission and secrets into a fresh container, its result out of it. */
async function evaluations(): Promise<number[]> {
  const evaluator = createDockerEvaluator({ docker, imageRef: (await imageOf('evaluator')).ref, homeTag });
  const times: number[] = [];
  for (let i = 0; i < Number(values.evaluations); i++) {
    const job = csvJob(join(home, 'task'), `csv-${i}`);
    times.push(
      await timed(async () => {
        const outcome = await evaluator.evaluate(job, never);
        if (outcome.kind !== 'ok' || outcome.metrics['accuracy'] !== 0.5) throw new Error(JSON.stringify(outcome));
      }),
    );
  }
  return times;
}

try {
  const { apart, together, plain } = await commands();
  const ratio = quantile(plain, 0.5) / quantile(apart, 0.5);
  const load = loadavg()[0] ?? NaN;
  process.stderr.write(`\nmilliseconds, at a load of ${load.toFixed(1)}\n`);
  say(`command, ${PAUSE_MS} ms after the last one`, apart);
  say('command, at once after the last one', together);
  say('docker exec', plain);
  process.stderr.write(`  docker exec takes ${ratio.toFixed(1)} times as long\n`);
  const first = await firstCommands();
  say('new container up to its first answer', first);
  const scored = await evaluations();
  say('evaluation of 10,000 rows of CSV', scored);
  const ms = {
    command: summary(apart),
    commandAtOnce: summary(together),
    dockerExec: summary(plain),
    firstAnswer: summary(first),
    csvEvaluation: summary(scored),
  };
  process.stdout.write(`${JSON.stringify({ benchmark: 'shell', load, ratio, ms })}\n`);
} finally {
  for (const ref of await sandbox.list()) await sandbox.stop(ref);
  rmSync(home, { recursive: true, force: true });
}
