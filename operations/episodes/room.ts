import { BenchError } from '../../domain/errors.js';
import type { Episodes } from '../../domain/ports/episodes.js';
import type { Environment } from './environment.js';

export interface RoomPorts {
  episodes: Pick<Episodes, 'open'>;
}

export type Room = Pick<Environment, 'batchId' | 'beginning'> & {
  options: Pick<Environment['options'], 'capacity'>;
};

export const openEpisodes = ({ episodes }: RoomPorts, { batchId }: Pick<Environment, 'batchId'>): Promise<number> =>
  episodes.open(batchId);

/**
 * Begins these runs if capacity allows all of them: until they are stored, later calls count them
 * as open.
 * @throws BenchError (conflict, `episodes.at_capacity`) when full; (usage) for more runs than the
 * capacity.
 */
export async function withRoomFor<T>(
  ports: RoomPorts,
  env: Room,
  runIds: readonly string[],
  begin: () => Promise<T>,
): Promise<T> {
  const { capacity } = env.options;
  if (runIds.length > capacity)
    throw new BenchError('usage', `${runIds.length} episodes at once: the server has room for ${capacity}`, {
      remedy: `Ask for at most ${capacity}, or serve with a larger capacity.`,
    });
  for (const runId of runIds) env.beginning.add(runId);
  try {
    await expectRoom(ports, env, runIds);
    return await begin();
  } finally {
    for (const runId of runIds) env.beginning.delete(runId);
  }
}

/** Counts open episodes, and those begun earlier whose rows are not written yet. */
async function expectRoom(
  { episodes }: RoomPorts,
  { batchId, options, beginning }: Room,
  runIds: readonly string[],
): Promise<void> {
  const [first] = runIds;
  if (first === undefined) return;
  const earlier: string[] = [];
  for (const id of beginning) {
    if (id === first) break;
    earlier.push(id);
  }
  const open = (await episodes.open(batchId, earlier)) + earlier.length;
  const { capacity } = options;
  if (open + runIds.length <= capacity) return;
  const [message, remedy] =
    runIds.length === 1
      ? [`the server is at capacity: ${capacity} of ${capacity} episodes are open`, 'End one']
      : [`no room for ${runIds.length} episodes: ${open} of ${capacity} are open`, 'End some, ask for fewer'];
  throw new BenchError('conflict', message, {
    code: 'episodes.at_capacity',
    remedy: `${remedy}, or serve with a larger capacity.`,
  });
}
