import { join } from 'node:path';

/** Where things lie under `$BENCH_HOME`; pure path arithmetic, shared by the services, the worker and the CLI. */
export function homeLayout(home: string) {
  return {
    home,
    /** Read after the working directory's `.env`. */
    envFile: join(home, '.env'),
    /** Ports and process ids of the embedded services (see services/). */
    servicesFile: join(home, 'services.json'),
    logs: join(home, 'logs'),
    temporalDb: join(home, 'temporal', 'temporal.db'),
    postgresData: join(home, 'postgres', 'data'),
    /** 32 random bytes in hex, mode 0600: the key of the evaluators' seeds. */
    secretFile: join(home, 'secret'),
    /** The stable name of this home's host. */
    hostIdFile: join(home, 'host-id'),
    /** Frozen copies of task folders by content hash: what a run was submitted with is what it plays. */
    tasks: join(home, 'tasks'),
    /** Submissions by SHA-256. */
    artifacts: join(home, 'artifacts'),
    runs: join(home, 'runs'),
    /** One run's control directory, workspace (local backend) and scratch. */
    run: (runId: string, epoch: number) => {
      const dir = join(home, 'runs', runId, `epoch-${epoch}`);
      return { dir, control: join(dir, 'control'), workspace: join(dir, 'workspace') };
    },
    frozenTask: (contentHash: string) => join(home, 'tasks', contentHash),
  };
}
export type HomeLayout = ReturnType<typeof homeLayout>;
