import { BenchError } from '../../domain/errors.js';
import { DEFAULT_PROFILE } from '../../domain/task/profile.js';
import type { Statements } from '../statements.js';

/** Throws BenchError (usage) if no submitted task has the profile: a typo would change nothing. */
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
  throw new BenchError('usage', `no submitted task has a profile "${asked}"`, {
    code: 'profile.not_found',
    remedy: `Profiles: ${[DEFAULT_PROFILE, ...names].join(', ')}.`,
  });
}
