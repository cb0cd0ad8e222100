import { join } from 'node:path';

/** Paths under `$BENCH_HOME`, shared by the services, the worker and the command line. No I/O. */
export function homeLayout(home: string) {
  return {
    home,
    /** The user's own models, agents, suites and tasks, over those that come with bench. */
    configs: join(home, 'configs'),
    /** Read after the working directory's `.env`. */
    envFile: join(home, '.env'),
    /** Ports and process ids of the embedded services (see services/). */
    servicesFile: join(home, 'services.json'),
    logs: join(home, 'logs'),
    /** Faults of services, one per line: the supervisor writes them, the worker stores them as events. */
    serviceFaults: join(home, 'supervisor', 'faults.jsonl'),
    temporalDb: join(home, 'temporal', 'temporal.db'),
    postgresData: join(home, 'postgres', 'data'),
    /** Of homes of earlier versions: the key of the evaluators' seeds, which lies in the database now. */
    secretFile: join(home, 'secret'),
    /** The private key that signs exported lines, made at the first export, mode 0600; its public half, for those who import them. */
    exportKey: join(home, 'export-key.pem'),
    exportPublicKey: join(home, 'export-key.pub.pem'),
    /** The user of the database who only reads, for `bench db url`, mode 0600. */
    readerLogin: join(home, 'reader-login'),
    /** The stable name of this home's host. */
    hostIdFile: join(home, 'host-id'),
    /** Frozen copies of task folders by content hash: runs play the task as submitted. */
    tasks: join(home, 'tasks'),
    /** Sources of tasks' data by SHA-256, and the prepared data. */
    downloads: join(home, 'downloads'),
    prepared: join(home, 'prepared'),
    preparedData: (taskId: string, version: string, sample: boolean) =>
      join(home, 'prepared', taskId, `${version}-${sample ? 'sample' : 'real'}`),
    /** Submissions and snapshots by SHA-256, unless BENCH_ARTIFACTS names another place. */
    artifacts: join(home, 'artifacts'),
    /** Disks of sandboxes that were kept, by name; see docs/concepts/snapshots.md. */
    disks: join(home, 'disks'),
    runs: join(home, 'runs'),
    /** What agents of the kind program consist of, by the hash of their packages. */
    programs: join(home, 'programs'),
    /** Made-up machine figures shown to containers. */
    figures: join(home, 'figures'),
    /** Unix sockets between the two processes of `bench env serve`. */
    environmentSockets: join(home, 'env'),
    /** The token of `bench env serve`, mode 0600. */
    environmentToken: join(home, 'env', 'token'),
    /** Tokens of `bench serve`, hashed, mode 0600; and where a running one listens. */
    tokens: join(home, 'page', 'tokens.json'),
    pageServer: join(home, 'page', 'server.json'),
    /** Folders of evaluations on the local backend, while these last. */
    scratch: join(home, 'scratch'),
    /** One run's control directory, workspace (local backend) and scratch. */
    run: (runId: string, epoch: number) => {
      const dir = join(home, 'runs', runId, `epoch-${epoch}`);
      return { dir, control: join(dir, 'control'), workspace: join(dir, 'workspace'), gateway: join(dir, 'gw') };
    },
    frozenTask: (contentHash: string) => join(home, 'tasks', contentHash),
  };
}
export type HomeLayout = ReturnType<typeof homeLayout>;
