import pg from 'pg';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
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
    const token = await inviteHostUser(admin, { hostId: 'box', days: 7 });
    const { user, password } = await joined(token, 'box');
    expect(user).toMatch(HOST_USER);
    expect(password).toMatch(/^[0-9a-f]{48}$/);
    expect([user, password]).not.toEqual([token.user, token.password]);
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
    await expect(checkHostUser(as(token.user), 'box')).rejects.toMatchObject({ code: 'invitation.rejected' });
    expect(await revokeHostUsers(admin, 'box')).toBe(1);
    expect(await revokeHostUsers(admin, 'other')).toBe(0);
    const owner = openDatabase(url, { max: 1 });
    onTestFinished(() => owner.close());
    expect((await owner.queries.hosts()).map(({ hostId, state }) => [hostId, state])).toEqual([['box', 'drained']]);

    // Its name is another machine's at once.
    const next = await inviteHostUser(admin, { hostId: 'box', days: 7 });
    const other = openDatabase(as((await joined(next, 'box')).user), { max: 1 });
    onTestFinished(() => other.close());
    await other.store.registerHost({ ...host, homeId: 'of-another-machine' });
    expect((await owner.queries.hosts()).map(({ hostId, state }) => [hostId, state])).toEqual([['box', 'up']]);
  });

  it('has no password until it joins; the token’s is none after the invitation has expired, nor after that', async () => {
    const token = await inviteHostUser(admin, { hostId: 'guest', days: 7 });
    const user = token.user.replace('join', 'host');
    expect(await logins(token.user)).toEqual({ hasPassword: true, until: token.expiresAt });
    expect(await logins(user)).toEqual({ hasPassword: false, until: null });
    expect((await joined(token, 'guest')).user).toBe(user);
    expect(await logins(token.user)).toMatchObject({ hasPassword: false });
    expect(await logins(user)).toEqual({ hasPassword: true, until: null });
  });

  it('is shut out however fast it comes in again', async () => {
    const { user } = await joined(await inviteHostUser(admin, { hostId: 'quick', days: 7 }), 'quick');
    let refused = 0;
    const comeIn = async (): Promise<void> => {
      for (;;) {
        const client = new pg.Client({ connectionString: as(user) });
        const lost = new Promise<void>((resolve) => client.on('error', () => resolve()).on('end', resolve));
        try {
          await client.connect();
          await lost;
        } catch (error) {
          await client.end().catch(() => undefined);
          if (!isRevoked(as(user), error)) continue;
          refused += 1;
          return;
        }
      }
    };
    const all = Promise.all(Array.from({ length: 8 }, comeIn));
    await vi.waitFor(async () => expect(await connections(user)).toBe(8));
    // The next one of the host is held up, so that there is time.
    const next = await inviteHostUser(admin, { hostId: 'quick', days: 7 });
    const holder = new pg.Client({ connectionString: url });
    await holder.connect();
    await holder.query('begin');
    await holder.query(`alter role ${next.user.replace('join', 'host')} connection limit 9`);
    const revoking = revokeHostUsers(admin, 'quick');
    await new Promise((wait) => setTimeout(wait, 300));
    await holder.query('rollback');
    await holder.end();
    await revoking;
    expect(await connections(user)).toBe(0);
    await all;
    expect(refused).toBe(8);
  });

  it('cannot be made by whoever may not make users', async () => {
    await expect(
      inviteHostUser(as('fleet_admin').replace('fleet_admin', await plain()), { hostId: 'b', days: 1 }),
    ).rejects.toMatchObject({
      code: 'database.access_denied',
      remedy: expect.stringContaining('BENCH_OWNER_DATABASE_URL') as string,
    });
  });
});

async function joined(token: { user: string; password: string }, hostId: string) {
  const kept: { user: string; password: string }[] = [];
  await joinAsHostUser(as(token.user, token.password), hostId, (one) => kept.push(one));
  return kept[0] ?? { user: '', password: '' };
}

async function ask<Row extends pg.QueryResultRow>(text: string, values: unknown[]): Promise<Row | undefined> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(text, values)).rows[0];
  } finally {
    await client.end();
  }
}
const logins = (user: string) =>
  ask('select rolpassword is not null as "hasPassword", rolvaliduntil as until from pg_authid where rolname = $1', [
    user,
  ]);
const connections = async (user: string): Promise<number | undefined> =>
  (await ask<{ n: number }>('select count(*)::int as n from pg_stat_activity where usename = $1', [user]))?.n;

async function plain(): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(
    `do $$ begin create role fleet_user login in role bench_app; exception when duplicate_object then null; end $$`,
  );
  await client.end();
  return 'fleet_user';
}
