import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { artifactLocation } from '../../../domain/home/artifact-location.js';
import { BenchError } from '../../../domain/errors.js';
import { decodeInvitation, type HostInvitation } from '../../../domain/home/host-invitation.js';
import { temporalAccess } from '../../../domain/home/temporal-access.js';
import { harnessVersion } from '../../harness-version.js';
import type { BenchSettings } from '../../settings.js';
import { makeFolder } from '../../../services/make-folder.js';

type Settings = Pick<BenchSettings, 'home' | 'layout' | 'env' | 'assetsRoot' | 'databaseUrl'>;

/**
 * Makes this machine's home that of a host: checks version, token, servers and store in the order
 * of a person, then writes the settings. Each refusal is one sentence and changes nothing.
 */
export async function joinFleet(settings: Settings, text: string): Promise<{ hostId: string; home: string }> {
  const invitation = decodeInvitation(text);
  const { hostId } = invitation;
  const version = harnessVersion(settings.assetsRoot);
  if (version !== invitation.version)
    throw new BenchError('usage', `this machine has bench ${version}, the others have ${invitation.version}`, {
      code: 'invitation.rejected',
      remedy: `Install bench ${invitation.version} here, then join again.`,
    });
  refuseOtherServers(settings, invitation);
  const files = authorityFiles(settings, invitation);
  const url = new URL(invitation.databaseUrl);
  if (files.database !== undefined) url.searchParams.set('sslrootcert', files.database.path);
  const given = {
    ...invitation.settings,
    ...(files.temporal === undefined ? {} : { TEMPORAL_TLS_SERVER_CA_CERT_PATH: files.temporal.path }),
    BENCH_HOST: hostId,
    BENCH_ROLES: 'host',
    BENCH_WORKER: 'external',
  };
  const env = { ...settings.env, ...given };
  makeFolder(settings.home, 0o700);
  for (const file of Object.values(files)) writeFileSync(file.path, file.pem);

  const { joinAsHostUser, checkHostUser } = await import('../../../db/host-users.js');
  const { checkSchema } = await import('../../../db/index.js');
  const { checkExternalTemporal } = await import('../../../services/index.js');
  await checkHostUser(url.href, hostId);
  await checkSchema(url.href);
  const { TEMPORAL_ADDRESS: address = '', TEMPORAL_NAMESPACE: namespace = 'default' } = given as Record<string, string>;
  await checkExternalTemporal(
    address,
    namespace,
    temporalAccess(env, (path) => readFileSync(path)),
  );
  const { databaseOfNamespace } = await import('../claim-namespace.js');
  await databaseOfNamespace({ temporalAddress: address, temporalNamespace: namespace }, url.href, { ...settings, env });
  const location = artifactLocation(settings.layout, env);
  await (await import('../../../backends/artifacts/check-store.js')).checkArtifactStore(location);

  await joinAsHostUser(url.href, hostId, ({ user, password }) => {
    [url.username, url.password] = [user, password];
    writeSettings(settings.layout.envFile, { ...given, DATABASE_URL: url.href });
  });
  return { hostId, home: settings.home };
}

/** A home serves one database. */
function refuseOtherServers({ databaseUrl, home }: Settings, invitation: HostInvitation): void {
  if (databaseUrl === undefined) return;
  const [here, there] = [new URL(databaseUrl), new URL(invitation.databaseUrl)];
  if (here.host === there.host && here.pathname === there.pathname) return;
  throw new BenchError('usage', `the home ${home} is set to another database, ${here.host}${here.pathname}`, {
    code: 'invitation.rejected',
    remedy: 'Unset DATABASE_URL, also in its .env, or choose another BENCH_HOME.',
  });
}

interface PemFile {
  path: string;
  pem: string;
}

/** The certificate authorities of the servers. */
function authorityFiles(
  { home }: Settings,
  { databaseAuthority, temporalAuthority }: HostInvitation,
): { database?: PemFile; temporal?: PemFile } {
  const file = (name: string, pem: string | undefined) =>
    pem === undefined ? {} : { [name]: { path: join(home, `${name}-ca.pem`), pem } };
  return { ...file('database', databaseAuthority), ...file('temporal', temporalAuthority) };
}

/** Keeps the file's other lines. */
function writeSettings(path: string, values: Record<string, string>): void {
  const kept = (existsSync(path) ? readFileSync(path, 'utf8').split('\n') : []).filter(
    (line) => line !== '' && !(/^\s*([A-Z0-9_]+)\s*=/.exec(line)?.[1] ?? '' in values),
  );
  const lines = [...kept, ...Object.entries(values).map(([name, value]) => `${name}='${value}'`)];
  writeFileSync(`${path}.new`, `${lines.join('\n')}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}
