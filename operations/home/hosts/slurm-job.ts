import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { BenchError } from '../../../domain/errors.js';
import type { SlurmJob } from '../../../domain/requests/slurm.js';
import type { BenchSettings } from '../../settings.js';
import { slurmScript } from './slurm-script.js';

type JobSettings = Pick<BenchSettings, 'home' | 'layout' | 'assetsRoot' | 'databaseUrl' | 'temporalAddress'>;

/** The job of a home that has joined. */
export function slurmJob(settings: JobSettings, request: SlurmJob): string {
  const { home, layout, assetsRoot, databaseUrl, temporalAddress } = settings;
  if (databaseUrl === undefined || temporalAddress === undefined || !existsSync(layout.envFile))
    throw new BenchError('usage', `the home ${home} has not joined a fleet, whose settings its jobs would take`, {
      code: 'fleet.not_joined',
      remedy: '`bench hosts invite` prints a line; run it with a BENCH_HOME that all nodes see.',
    });
  const command = [process.execPath, join(assetsRoot, 'dist', 'cli', 'main.js')];
  return slurmScript({ ...request, home, command });
}
