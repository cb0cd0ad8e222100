import pg from 'pg';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ensureRoles, isRevoked, openDatabase } from '../../db/index.js';
import { checkHostUser, HOST_USER, inviteHostUser, joinAsHostUser, revokeHostUsers } from '../../db/host-users.js';
import { sharedDatabases } from '../setup/shared-databases.js';

const server = sharedDatabases();
let url: string;
/** No superuser: of managed databases one never is. */
let admin: string;
const as = (user: string, password = 'x') => url.replace(/\/\/postgres:[^@]*@/, `//${user}:${password}@`);

beforeAll(async () => {
  url = await server.createDatabase();
  await ensureRoles(url);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`do $$ begin create role fleet_admin login createrole; exception when duplicate_object then null; end $$;
    grant bench_worker to fleet_admin with admin option`);
  await client.end();
  admin = as('fleet_admin');
});

describe('the user of an invited host', () => {
  it('does a worker’s work until it is revoked, which ends its connections too', async () => {
    const { user, password } = await inviteHostUser(admin, { hostId: 'box', days: 7 });
    expect(user).toMatch(HOST_USER);
    const kept: string[] = [];
    await joinAsHostUser(as(user, password), 'box', (replaced) => kept.push(replaced));
    expect(kept).toEqual([expect.stringMatching(/^[0-9a-f]{48}$/)]);
    expect(kept).not.toEqual([password]);
    const db = openDatabase(as(user), { max: 2 });
    onTestFinished(() => db.close());
    const host = { hostId: 'box', homeId: 'box', hostname: 'box', cpus: 1, memoryMb: 1, gpus: [], backends: [] };
    await db.store.registerHost(host);
    expect(await db.keys.evaluator('ab'.repeat(32))).toBe('ab'.repeat(32));
    expect((await db.pool.query('select database_user from hosts')).rows).toEqual([{ database_user: user }]);

    expect(await revokeHostUsers(admin, 'box')).toBe(1);
    // The connection that it had fails as one that is lost; the next is refused.
    const failures: unknown[] = [];
    for (let i = 0; i < 3; i++) await db.store.registerHost(host).catch((error: unknown) => failures.push(error));
    expect(failures).toHaveLength(3);
    expect(isRevoked(as(user), failures.at(-1))).toBe(true);
    expect(isRevoked(url, failures.at(-1))).toBe(false);
    await expect(checkHostUser(as(user), 'box')).rejects.toMatchObject({ code: 'invitation.refused' });
    expect(await revokeHostUsers(admin, 'box')).toBe(1);
    expect(await revokeHostUsers(admin, 'other')).toBe(0);
    const owner = openDatabase(url, { max: 1 });
    onTestFinished(() => owner.close());
    expect((await owner.queries.hosts()).map(({ hostId, state }) => [hostId, state])).toEqual([['box', 'drained']]);

    // Its name is another machine's at once.
    const next = await inviteHostUser(admin, { hostId: 'box', days: 7 });
    await joinAsHostUser(as(next.user, next.password), 'box', () => undefined);
    const other = openDatabase(as(next.user), { max: 1 });
    onTestFinished(() => other.close());
    await other.store.registerHost({ ...host, homeId: 'of-another-machine' });
    expect((await owner.queries.hosts()).map(({ hostId, state }) => [hostId, state])).toEqual([['box', 'up']]);
  });

  it('cannot be made by whoever may not make users', async () => {
    await expect(
      inviteHostUser(as('fleet_admin').replace('fleet_admin', await plain()), { hostId: 'b', days: 1 }),
    ).rejects.toMatchObject({
      code: 'database.refused',
      remedy: expect.stringContaining('BENCH_ADMIN_DATABASE_URL') as string,
    });
  });
});

async function plain(): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(
    `do $$ begin create role fleet_user login in role bench_app; exception when duplicate_object then null; end $$`,
  );
  await client.end();
  return 'fleet_user';
}
