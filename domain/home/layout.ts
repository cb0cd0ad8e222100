import { join } from 'node:path';

/** Paths under `$BENCH_HOME`, for the services, the worker and the command line. No I/O. */
export function homeLayout(home: string) {
  return {
    home,
    /** The user's own models, agents, suites and tasks override bench's. */
    configs: join(home, 'configs'),
    /** Read after the working directory's `.env`. */
    envFile: join(home, '.env'),
    /** Ports and process ids of the embedded services (see services/). */
    servicesFile: join(home, 'services.json'),
    logs: join(home, 'logs'),
    /** One fault per line: the supervisor writes them, the worker stores them as events. */
    serviceFaults: join(home, 'supervisor', 'faults.jsonl'),
    temporalDb: join(home, 'temporal', 'temporal.db'),
    postgresData: join(home, 'postgres', 'data'),
    /** Key of evaluators' seeds in old homes; now in the database. */
    secretFile: join(home, 'secret'),
    /** Signing key of exports, made at the first one, mode 0600, and its public half. */
    exportKey: join(home, 'export-key.pem'),
    exportPublicKey: join(home, 'export-key.pub.pem'),
    /** Read-only database user, for `bench db url`, mode 0600. */
    readerLogin: join(home, 'reader-login'),
    hostIdFile: join(home, 'host-id'),
    /** Frozen task folders by content hash: runs play the task as submitted. */
    tasks: join(home, 'tasks'),
    /** Sources of tasks' data by SHA-256, and the prepared data. */
    downloads: join(home, 'downloads'),
    prepared: join(home, 'prepared'),
    preparedData: (taskId: string, version: string, sample: boolean) =>
      join(home, 'prepared', taskId, `${version}-${sample ? 'sample' : 'real'}`),
    /** Submissions and snapshots by SHA-256, unless BENCH_ARTIFACTS names another place. */
    artifacts: join(home, 'artifacts'),
    /** Kept sandbox disks by name; see docs/concepts/snapshots.md. */
    disks: join(home, 'disks'),
    runs: join(home, 'runs'),
    /** Agents of kind program, by the hash of their packages. */
    programs: join(home, 'programs'),
    /** Made-up machine figures shown to containers. */
    figures: join(home, 'figures'),
    /** Unix sockets between the two processes of `bench env serve`. */
    environmentSockets: join(home, 'env'),
    environmentToken: join(home, 'env', 'token'),
    /** Hashed tokens of `bench serve`, mode 0600; and its address. */
    tokens: join(home, 'page', 'tokens.json'),
    pageServer: join(home, 'page', 'server.json'),
    /** Temporary folders of evaluations on the local backend. */
    scratch: join(home, 'scratch'),
    /** A run's control directory, workspace (local backend) and scratch. */
    run: (runId: string, epoch: number) => {
      const dir = join(home, 'runs', runId, `epoch-${epoch}`);
      return { dir, control: join(dir, 'control'), workspace: join(dir, 'workspace'), gateway: join(dir, 'gw') };
    },
    frozenTask: (contentHash: string) => join(home, 'tasks', contentHash),
  };
}
export type HomeLayout = ReturnType<typeof homeLayout>;
