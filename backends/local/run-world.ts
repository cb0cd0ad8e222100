import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { HomeLayout } from '../../domain/home/layout.js';
import type { SandboxRef } from '../../domain/ports/sandbox-port.js';

/** Input and reports of a local run's supervisor, as files of the control directory. */

/** Written before the first start; images/agent/durable_shell/local_world.py acts on it. */
export interface WorldPlan {
  /** Unprivileged user of this run only; needs root. */
  uid: number | null;
  /** Holds workspace, home and temporary directory, unless the agent's user cannot reach it. */
  base: string;
  starterDir: string;
  tools: string;
  hide: string[];
  gpuDevices: string[];
  /** True: the host's network; false: none. */
  openNetwork: boolean;
  pids: number;
  /** Limit for all of the agent's files; absent: none. */
  workspaceMb?: number;
  /** Exported to every command, in addition to what the supervisor sets. */
  environment: Readonly<Record<string, string>>;
}

const placeSchema = z.object({ base: z.string(), workspace: z.string() });
/** Where the run's directories are. Written once the starter files are in place. */
export type Place = z.infer<typeof placeSchema>;

const viewSchema = z.object({ workspace: z.string() }).catchall(z.string());
const recordSchema = z.object({
  pid: z.number().int().positive(),
  started: z.number(),
  boot: z.string(),
  uid: z.number().int().nullable(),
  /** True: it is init of a process namespace, and its end ends everything. */
  ownsProcesses: z.boolean(),
});

export const PLAN_FILE = 'plan.json';

export const writePlan = (control: string, plan: WorldPlan): Promise<void> =>
  writeFile(join(control, PLAN_FILE), JSON.stringify(plan), { mode: 0o600 });

export const readPlace = (control: string) => readRecord(join(control, 'place.json'), placeSchema);
export const readView = (control: string) => readRecord(join(control, 'view.json'), viewSchema);
export const readUnusable = (control: string) => readRecord(join(control, 'unusable'), z.string());
/** Host pid of the process whose end is the sandbox's. */
export const readSupervisor = (control: string) => readRecord(join(control, 'supervisor.json'), recordSchema);

async function readRecord<T>(path: string, schema: z.ZodType<T>): Promise<T | null> {
  try {
    return schema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

const STOPPING_FILE = 'stopping';

/** No supervisor starts here any more; see _become_supervisor in local_world.py. */
export const markStopping = (control: string): Promise<void> => writeFile(join(control, STOPPING_FILE), '');

export const isStopping = (control: string): boolean => existsSync(join(control, STOPPING_FILE));

const FIRST_UID = 1_900_000_000;
const UIDS = 200_000_000;

/** A user of this run alone, outside the ranges that systems assign. Null: we are not root. */
export function uidOfRun(layout: HomeLayout, { runId, epoch }: SandboxRef): number | null {
  if (process.getuid?.() !== 0) return null;
  const hash = createHash('sha256').update(`${layout.home}\0${runId}\0${epoch}`).digest();
  return FIRST_UID + (hash.readUInt32BE(0) % UIDS);
}
