import type Docker from 'dockerode';
import { z } from 'zod';
import { LIMIT_KINDS, type LimitKind } from '../../domain/run/run.js';
import { statusOf } from './engine-errors.js';
import { isPodman } from './engine.js';

/** The cgroup controller that enforces each limit. */
const CONTROLLERS: Readonly<Record<LimitKind, string>> = { memory: 'memory', cpus: 'cpu', processes: 'pids' };

const libpodSchema = z.object({
  host: z.object({
    cgroupControllers: z.array(z.string()).nullish(),
    security: z.object({ rootless: z.boolean() }),
  }),
});
const dockerSchema = z.object({
  MemoryLimit: z.boolean().optional(),
  CpuCfsQuota: z.boolean().optional(),
  PidsLimit: z.boolean().optional(),
});

/**
 * Limits that a rootless engine accepts but does not enforce, without delegated cgroup controllers.
 * Empty where podman does not say. Throws if the engine does not answer.
 */
export async function unenforcedLimits(docker: Docker): Promise<LimitKind[]> {
  if (!(await isPodman(docker))) {
    const info = dockerSchema.parse(await docker.info());
    const enforced = { memory: info.MemoryLimit, cpus: info.CpuCfsQuota, processes: info.PidsLimit };
    return LIMIT_KINDS.filter((kind) => enforced[kind] === false);
  }
  // Its Docker-compatible `/info` always claims all of them.
  const info = libpodSchema.safeParse(await libpodInfo(docker));
  if (!info.success || !info.data.host.security.rootless) return [];
  const { host } = info.data;
  return LIMIT_KINDS.filter((kind) => !(host.cgroupControllers ?? []).includes(CONTROLLERS[kind]));
}

/** Null: this version of Podman reports them elsewhere. */
function libpodInfo(docker: Docker): Promise<unknown> {
  return new Promise((resolve, reject) => {
    docker.modem.dial(
      { path: '/v4.0.0/libpod/info', method: 'GET', statusCodes: { 200: true, 500: 'server error' } },
      (error, answer) => {
        if (!(error instanceof Error)) resolve(answer);
        else if (statusOf(error) !== undefined) resolve(null);
        else reject(error);
      },
    );
  });
}
