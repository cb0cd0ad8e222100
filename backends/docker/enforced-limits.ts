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
 * Limits that this engine accepts and does not enforce: a rootless one whose user was delegated no cgroup controllers accepts them
 * silently. Empty where podman does not tell. Throws what keeps an engine from answering.
 */
export async function unenforcedLimits(docker: Docker): Promise<LimitKind[]> {
  if (!(await isPodman(docker))) {
    const info = dockerSchema.parse(await docker.info());
    const enforced = { memory: info.MemoryLimit, cpus: info.CpuCfsQuota, processes: info.PidsLimit };
    return LIMIT_KINDS.filter((kind) => enforced[kind] === false);
  }
  // Its `/info` in Docker's shape says yes to all of them in any case.
  const info = libpodSchema.safeParse(await libpodInfo(docker));
  if (!info.success || !info.data.host.security.rootless) return [];
  const { host } = info.data;
  return LIMIT_KINDS.filter((kind) => !(host.cgroupControllers ?? []).includes(CONTROLLERS[kind]));
}

/** Podman's own words; null: this version has them elsewhere. */
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
