import type { Queries } from '../../domain/ports/reading/queries.js';
import type { Bench } from '../bench.js';
import { ifDatabaseAnswers } from './if-database-answers.js';

export type Hosts = Awaited<ReturnType<Queries['hosts']>>;

/** For a dry run: null, and said so, where no database answers. */
export async function hostsIfKnown(bench: Bench): Promise<Hosts | null> {
  const hosts = await ifDatabaseAnswers(bench, ({ queries }) => queries.hosts());
  if (hosts === null) bench.notify({ code: 'hosts.unknown' });
  return hosts;
}
