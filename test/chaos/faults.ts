import type { connectEngine } from '../../backends/docker/engine.js';
import type { BenchHome } from '../setup/bench-home.js';
import type { EngineGate } from '../setup/engine-gate.js';
import type { PrivateEngine } from '../setup/private-engine.js';
import { pick } from '../setup/random.js';
import type { SmallDisk } from '../setup/small-disk.js';
import type { TemporalServer } from '../setup/temporal-server.js';
import { killContainer, killService, type Victim } from './kill-service.js';

const FULL_MS = 60_000;

/** Something that was broken on purpose. */
export interface InjectedFault {
  kind: FaultKind;
  at: Date;
  /** Of the container that was hit. */
  runId?: string;
}
export type FaultKind =
  | Victim
  | 'container_killed'
  | 'container_removed'
  /** The engine answers nobody for a while. */
  | 'engine_away'
  | 'engine_restarted'
  | 'disk_full';

export interface FaultTargets {
  home: BenchHome;
  docker: ReturnType<typeof connectEngine>;
  gate: EngineGate;
  /** Where the engine is the test's own, it may be restarted. */
  engine?: PrivateEngine;
  /** Where the home has a disk of its own, it may be filled. */
  disk?: SmallDisk;
  /** Where the home's own server does not serve it. */
  temporal?: TemporalServer | undefined;
  random: () => number;
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Break one thing. Null: there was nothing of that kind to break at this moment. */
export async function inject(kind: FaultKind, targets: FaultTargets): Promise<InjectedFault | null> {
  const at = new Date();
  switch (kind) {
    case 'temporal':
      if (targets.temporal === undefined) return killService(targets.home, kind) ? { kind, at } : null;
      await targets.temporal.crash();
      return { kind, at };
    case 'worker':
    case 'postgres':
      return killService(targets.home, kind) ? { kind, at } : null;
    case 'container_killed':
    case 'container_removed': {
      const hit = await hitContainer(kind, targets);
      // What was done until now may have been done before.
      return hit === null ? null : { kind, at: new Date(), runId: hit };
    }
    case 'engine_away': {
      const before = targets.gate.cut;
      targets.gate.shut();
      await sleep(3_000);
      targets.gate.open();
      // Commands go past the engine: an outage that nobody met was none.
      return targets.gate.cut > before ? { kind, at } : null;
    }
    case 'engine_restarted':
      await targets.engine?.restart();
      return targets.engine === undefined ? null : { kind, at };
    case 'disk_full':
      if (targets.disk === undefined) return null;
      await fillDisk(targets.disk);
      return { kind, at };
  }
}

/** A random run's container, by its run. Null: none could be hit at this moment. */
export async function hitContainer(
  kind: 'container_killed' | 'container_removed',
  { docker, home, random }: Pick<FaultTargets, 'docker' | 'home' | 'random'>,
): Promise<string | null> {
  const begun = await home.sql<{ run_id: string }>(`select run_id from runs where status = 'running' and step > 0`);
  const runs = new Set(begun.map((run) => run.run_id));
  const containers = await docker.listContainers({ filters: { label: ['bench.run'] } });
  const running = containers.filter((one) => runs.has(one.Labels['bench.run'] ?? ''));
  if (running.length === 0) return null;
  const chosen = pick(random, running);
  const container = docker.getContainer(chosen.Id);
  try {
    if (kind === 'container_killed') await killContainer(container);
    else await container.remove({ force: true, v: true });
  } catch {
    // The run ended in this moment.
    return null;
  }
  return chosen.Labels['bench.run'] ?? null;
}

/** No more writes to the home, for long enough that the kernel drops what it has in memory. */
async function fillDisk(disk: SmallDisk): Promise<void> {
  disk.fill();
  try {
    await sleep(FULL_MS);
  } finally {
    disk.free();
  }
}
