import { BenchError } from '../../domain/errors.js';
import { DEFAULT_PROFILE } from '../../domain/task-profile.js';
import type { Statements } from '../statements.js';

/** A slip of the keyboard would else show every task as it is. BenchError (usage) that names the profiles that submitted tasks have. */
export async function refuseUnknownProfile(run: Statements, asked: string): Promise<void> {
  if (asked === DEFAULT_PROFILE) return;
  const [known] = await run<{ names: string[] }>(
    'knownProfiles',
    `select coalesce(array_agg(distinct p.name order by p.name), '{}') as names
     from task_versions v
     cross join lateral (
       select v.spec ->> 'profile' as name union all select jsonb_object_keys(v.spec -> 'profiles')
     ) p
     where p.name is not null`,
    [],
  );
  const names = known?.names ?? [];
  if (names.includes(asked)) return;
  throw new BenchError('usage', `no task that was submitted has a profile "${asked}"`, {
    code: 'profile.unknown',
    remedy: `There are: ${[DEFAULT_PROFILE, ...names].join(', ')}.`,
  });
}
