import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { BenchError } from '../domain/errors.js';
import { connectionSettings, describeDatabase } from './connection-settings.js';
import { connectionError, errorFields, queryError } from './database-error.js';
import { WORKER_ROLE } from './key-roles.js';

export const HOST_USER = /^bench_host_[0-9a-f]{12}$/;
/** The user until the machine has joined: its password expires with the invitation. */
const joinerOf = (user: string): string => user.replace('bench_host_', 'bench_join_');

const newPassword = (): string => randomBytes(24).toString('hex');

/** Makes the host's user, without a password, and a joiner who may set one, by the token. */
export function inviteHostUser(
  adminUrl: string,
  { hostId, days }: { hostId: string; days: number },
): Promise<{ user: string; password: string; expiresAt: Date }> {
  return asAdministrator(adminUrl, async (client) => {
    const [user, password] = [`bench_host_${randomBytes(6).toString('hex')}`, newPassword()];
    const joiner = joinerOf(user);
    const { rows } = await client.query<{ expiresAt: Date; text: string }>(
      `insert into host_invitations (database_user, host_id, expires_at)
       values ($1, $2, now() + make_interval(days => $3)) returning expires_at as "expiresAt", expires_at::text as text`,
      [user, hostId, days],
    );
    const { expiresAt = new Date(0), text = '-infinity' } = rows[0] ?? {};
    await client.query(`create role ${user} login in role ${WORKER_ROLE}`);
    await client.query(
      `create role ${joiner} login password ${client.escapeLiteral(password)} valid until ${client.escapeLiteral(text)} in role ${user}`,
    );
    // Only its members may end its connections, if they are no superusers.
    for (const one of [user, joiner])
      await client.query(
        `do $$ begin if not pg_has_role(current_user, '${one}', 'usage') then grant ${one} to current_user; end if; end $$`,
      );
    return { user: joiner, password, expiresAt };
  });
}

/** Blocks logins, ends connections and drains the host. Returns the number of users. Idempotent. */
export async function revokeHostUsers(adminUrl: string, hostId: string): Promise<number> {
  // Committed by itself: until then an ended connection could return.
  const users = await asAdministrator(adminUrl, async (client) => {
    const { rows } = await client.query<{ user: string }>(
      `update host_invitations set revoked_at = coalesce(revoked_at, now()) where host_id = $1 returning database_user as user`,
      [hostId],
    );
    for (const { user } of rows)
      for (const one of [user, joinerOf(user)])
        await client.query(
          `do $$ begin alter role ${client.escapeIdentifier(one)} nologin; exception when undefined_object then null; end $$`,
        );
    return rows.map(({ user }) => user);
  });
  const left = await endConnections(adminUrl, [...users, ...users.map(joinerOf)]);
  await asAdministrator(adminUrl, (client) =>
    // Frees the name at once for another machine.
    client.query('update hosts set drained_at = coalesce(drained_at, now()), home_id = null where host_id = $1', [
      hostId,
    ]),
  );
  if (left > 0)
    throw new BenchError('services', `host "${hostId}" can log in no more, but ${left} of its connections do not end`, {
      remedy: `Repeat \`bench hosts revoke ${hostId}\`.`,
    });
  return users.length;
}

const LOOK_MS = 100;
const MOST_LOOKS = 100;

/** Needs a second look for connections in the making. Returns how many are left. */
async function endConnections(adminUrl: string, users: readonly string[]): Promise<number> {
  let left = 0;
  for (let [looks, none] = [0, 0]; users.length > 0 && none < 2 && looks < MOST_LOOKS; looks++) {
    if (looks > 0) await sleep(LOOK_MS);
    left = await asAdministrator(
      adminUrl,
      async (client) =>
        (await client.query('select pg_terminate_backend(pid) from pg_stat_activity where usename = any($1)', [users]))
          .rowCount ?? 0,
    );
    none = left === 0 ? none + 1 : 0;
  }
  return left;
}

/** Checks an invitation's token. BenchError (usage): used, revoked or expired. */
export const checkHostUser = (databaseUrl: string, hostId: string): Promise<void> =>
  asHostUser(databaseUrl, hostId, () => Promise.resolve());

/** Uses up the token; `keep` gets the machine's new identity. */
export const joinAsHostUser = (
  databaseUrl: string,
  hostId: string,
  keep: (as: { user: string; password: string }) => void,
): Promise<void> =>
  asHostUser(databaseUrl, hostId, async (client, user) => {
    const password = newPassword();
    // First: a password that is set but not kept would lock this machine out.
    keep({ user, password });
    await client.query('begin');
    // No user may change another's password.
    await client.query(`set local role ${user}`);
    await client.query(`alter role ${user} password ${client.escapeLiteral(password)}`);
    await client.query('reset role');
    await client.query(`alter role ${joinerOf(user)} password null`);
    await client.query('update host_invitations set joined_at = now() where database_user = $1', [user]);
    await client.query('update hosts set drained_at = null where host_id = $1', [hostId]);
    await client.query('commit');
  });

async function asHostUser(
  databaseUrl: string,
  hostId: string,
  work: (client: pg.Client, user: string) => Promise<void>,
): Promise<void> {
  const client = new pg.Client(connectionSettings(databaseUrl));
  client.on('error', () => undefined);
  try {
    await client.connect().catch((error: unknown) => {
      throw refused(error) ? usedOrRevoked(hostId) : connectionError(describeDatabase(databaseUrl), error);
    });
    const { rows } = await client.query<{ user: string; revoked: boolean; expired: boolean; joined: boolean }>(
      `select database_user as user, revoked_at is not null as revoked, expires_at < now() as expired, joined_at is not null as joined
       from host_invitations where 'bench_join_' || right(database_user, 12) = session_user`,
    );
    const [invited] = rows;
    if (invited === undefined || invited.revoked) throw usedOrRevoked(hostId);
    if (invited.expired && !invited.joined)
      throw new BenchError('usage', `the invitation of host "${hostId}" has expired`, {
        code: 'invitation.rejected',
        remedy: `Ask for another: \`bench hosts invite ${hostId}\`.`,
      });
    await work(client, invited.user);
  } catch (error) {
    throw queryError('joining', error);
  } finally {
    await client.end().catch(() => undefined);
  }
}

const refused = (error: unknown): boolean => ['28P01', '28000'].includes(errorFields(error).code ?? '');

const usedOrRevoked = (hostId: string): BenchError =>
  new BenchError('usage', `the token of this invitation was used already, or revoked, or has expired`, {
    code: 'invitation.rejected',
    remedy: `Ask for another: \`bench hosts invite ${hostId}\`.`,
  });

export const isRevoked = (databaseUrl: string, error: unknown): boolean =>
  refused(error) && HOST_USER.test(new URL(databaseUrl).username);

async function asAdministrator<T>(adminUrl: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(connectionSettings(adminUrl));
  client.on('error', () => undefined);
  try {
    await client.connect().catch((error: unknown) => {
      throw connectionError(describeDatabase(adminUrl), error);
    });
    await client.query('begin');
    const done = await work(client);
    await client.query('commit');
    return done;
  } catch (error) {
    if (errorFields(error).code === '42501')
      throw new BenchError('services', `this user of the database may not make or change users`, {
        code: 'database.access_denied',
        remedy: 'Set BENCH_OWNER_DATABASE_URL to a user that owns the schema and has CREATEROLE.',
      });
    throw queryError('changing the users of hosts', error);
  } finally {
    await client.end().catch(() => undefined);
  }
}
