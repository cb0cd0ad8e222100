import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { artifactLocation } from '../../../domain/home/artifact-location.js';
import { BenchError } from '../../../domain/errors.js';
import { encodeInvitation, type HostInvitation } from '../../../domain/home/host-invitation.js';
import { temporalAccess } from '../../../domain/home/temporal-access.js';
import { harnessVersion } from '../../harness-version.js';
import type { FleetReads } from '../../../domain/ports/reading/fleet.js';
import type { BenchSettings } from '../../settings.js';
import { createRoles } from '../database/create-roles.js';
import { type AdminPorts, adminUrl } from '../database/admin-url.js';

export type InvitePorts = AdminPorts & {
  settings: Pick<BenchSettings, 'env' | 'layout' | 'temporalAddress' | 'temporalNamespace' | 'assetsRoot'>;
  queries: Pick<FleetReads, 'hosts'>;
};

export interface InviteOptions {
  /** Host name; default: generated. */
  hostId?: string | undefined;
  /** `host:port` by which other machines reach the database, if it differs here. */
  database?: string | undefined;
  temporal?: string | undefined;
  /** Validity of the invitation. */
  days: number;
}

export interface Invitation {
  hostId: string;
  invitation: string;
  expiresAt: Date;
}

/** Settings of the artifact store and Temporal without secrets: each machine has its own keys. */
const PASSED_ON = [
  'BENCH_ARTIFACTS',
  'BENCH_S3_ENDPOINT',
  'BENCH_S3_PUBLIC_ENDPOINT',
  'BENCH_S3_PATH_STYLE',
  'AWS_REGION',
  'TEMPORAL_TLS_SERVER_NAME',
];

/** Creates a database user for a new machine; returns what the machine needs to join. */
export async function inviteHost(ports: InvitePorts, options: InviteOptions): Promise<Invitation> {
  const { env, layout, databaseUrl, temporalAddress, temporalNamespace, assetsRoot } = ports.settings;
  const hostId = options.hostId ?? `host-${randomBytes(3).toString('hex')}`;
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/.test(hostId))
    throw new BenchError('usage', `"${hostId}" is not a valid name of a host`, {
      remedy: 'Use letters, digits, dots, - and _, at most 63.',
    });
  if (databaseUrl === undefined || temporalAddress === undefined)
    throw new BenchError('usage', "a home's own PostgreSQL and Temporal serve only this machine", {
      code: 'invitation.services_unreachable',
      remedy: 'Run separate servers, and set DATABASE_URL and TEMPORAL_ADDRESS: docs/reference/deployment.md.',
    });
  if (!artifactLocation(layout, env).shared)
    throw new BenchError('usage', 'hosts need an artifact store that all of them reach', {
      code: 'invitation.services_unreachable',
      remedy: 'Set BENCH_ARTIFACTS to s3://<bucket>/<prefix>, or to a folder that is mounted on all of them.',
    });
  const at = new URL(databaseUrl);
  if (options.database !== undefined) Object.assign(at, hostAndPort('database', options.database));
  else refuseLoopback('PostgreSQL', at.hostname, 'database');
  const temporal = options.temporal ?? temporalAddress;
  if (options.temporal !== undefined) hostAndPort('temporal', temporal);
  else refuseLoopback('Temporal', temporal.replace(/:\d+$/, ''), 'temporal');

  const known = (await ports.queries.hosts()).find((host) => host.hostId === hostId);
  if (known?.state === 'up')
    throw new BenchError('conflict', `a host "${hostId}" is up`, {
      code: 'host.name_taken',
      remedy: `Choose another name, or \`bench hosts revoke ${hostId}\` first.`,
    });
  await createRoles(ports);
  const { inviteHostUser } = await import('../../../db/host-users.js');
  const { user, password, expiresAt } = await inviteHostUser(await adminUrl(ports), { hostId, days: options.days });
  [at.username, at.password] = [user, password];

  const access = temporalAccess(env, (path) => readFileSync(path));
  const databaseAuthority = at.searchParams.get('sslrootcert');
  at.searchParams.delete('sslrootcert');
  const authority = access.tls?.serverRootCACertificate;
  const invitation: HostInvitation = {
    schema: 1,
    version: harnessVersion(assetsRoot),
    hostId,
    databaseUrl: at.href,
    ...(databaseAuthority === null ? {} : { databaseAuthority: readFileSync(databaseAuthority, 'utf8') }),
    ...(authority === undefined ? {} : { temporalAuthority: new TextDecoder().decode(authority) }),
    settings: {
      TEMPORAL_ADDRESS: temporal,
      TEMPORAL_NAMESPACE: temporalNamespace,
      ...(access.tls === undefined ? {} : { TEMPORAL_TLS: 'true' }),
      ...Object.fromEntries(PASSED_ON.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]))),
    },
  };
  return { hostId, invitation: encodeInvitation(invitation), expiresAt };
}

function hostAndPort(field: 'database' | 'temporal', text: string): { hostname: string; port: string } {
  const parts = /^(\[[0-9a-fA-F:]+\]|[^\s:/@]+):(\d{1,5})$/.exec(text);
  if (parts === null)
    throw new BenchError('usage', `"${text}" is not an address such as host:5432`, {
      code: 'setting.invalid',
      remedy: 'Give only host and port.',
      fields: { [field]: true },
    });
  return { hostname: parts[1] ?? '', port: parts[2] ?? '' };
}

function refuseLoopback(server: string, host: string, field: 'database' | 'temporal'): void {
  if (!/^(localhost|127\.|\[?::1\]?$)/.test(host)) return;
  throw new BenchError('usage', `other machines cannot reach ${server} at ${host}`, {
    code: 'invitation.services_unreachable',
    remedy: 'Give the address at which they reach it, as host:port.',
    fields: { [field]: true },
  });
}
