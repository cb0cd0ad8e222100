import {
  type Client,
  WorkflowExecutionAlreadyStartedError,
  type WorkflowExecutionDescription,
  WorkflowNotFoundError,
} from '@temporalio/client';
import type { Installation } from '../domain/home/installation.js';
import { BenchError } from '../domain/errors.js';
import type { TemporalNamespace } from '../domain/ports/record/hosts.js';
import { GPU_POOL_WORKFLOW_ID, INSTALLATION_WORKFLOW_ID } from '../domain/run/queues.js';

/** Memo of the marker workflow. Only the id is compared; the rest is for people. */
export interface NamespaceOwner {
  installation: string;
  database: string;
  machine: string;
  since: Date;
  workflowRunId: string;
}

export interface NamespaceClaim {
  installation: Pick<Installation, 'id' | 'database'>;
  machine: string;
  temporalAddress: string;
  /** This home's server; an owner without workflows then loses the namespace. */
  ownServer: boolean;
}

const SEE = 'docs/reference/deployment.md, "One database, one namespace"';

/** Others may claim at the same time: each try settles it or sees another's change. */
const TRIES = 5;

/**
 * Two installations in one namespace would take each other's runs and GPUs. The first caller owns
 * it, marked by a workflow that no worker executes.
 *
 * @throws BenchError (usage) if the namespace serves another installation; else what the client
 * throws.
 */
export async function claimNamespace(client: Client, claim: NamespaceClaim): Promise<void> {
  for (let tries = 1; ; tries++) {
    const owner = await namespaceOwner(client);
    if (owner === null) await mark(client, claim);
    else if (owner.installation === claim.installation.id) return;
    else if (claim.ownServer && tries < TRIES && (await isIdle(client))) await giveUp(client, owner);
    else throw refusalOf(client.options.namespace, claim, owner);
  }
}

/** Null: unclaimed. */
export async function namespaceOwner(client: Client): Promise<NamespaceOwner | null> {
  let marker: WorkflowExecutionDescription;
  try {
    marker = await client.workflow.getHandle(INSTALLATION_WORKFLOW_ID).describe();
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
  if (marker.status.name !== 'RUNNING') return null;
  const { installation, database, machine } = marker.memo ?? {};
  return {
    installation: String(installation),
    database: String(database),
    machine: String(machine),
    since: marker.startTime,
    workflowRunId: marker.runId,
  };
}

export async function namespaceOf(client: Client, temporalAddress: string): Promise<TemporalNamespace> {
  const { namespace } = client.options;
  const { namespaceInfo } = await client.workflowService.describeNamespace({ namespace });
  return { id: String(namespaceInfo?.id), at: `namespace '${namespace}' at ${temporalAddress}` };
}

/**
 * Hosts of one database in two namespaces would wait for each other's runs forever, so check first.
 * Ignores this home's host, since its server may have changed.
 *
 * @throws BenchError (usage) if a live host polls another namespace.
 */
export function refuseSecondNamespace(
  installation: Installation,
  namespace: TemporalNamespace,
  homeId: string | null,
): void {
  const other = installation.hosts.find((host) => host.namespace.id !== namespace.id && host.homeId !== homeId);
  if (other === undefined) return;
  throw new BenchError(
    'usage',
    `the database ${installation.database} is served by another Temporal: its host ${other.hostId} polls ${other.namespace.at}, not ${namespace.at}`,
    {
      code: 'namespace.taken',
      remedy:
        'Set TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE to that one (`bench down` first, if this home is up), or DATABASE_URL to another ' +
        `database. If the server was replaced, wait half a minute. See ${SEE}.`,
    },
  );
}

export function refusalOf(namespace: string, claim: NamespaceClaim, owner: NamespaceOwner): BenchError {
  const { installation, temporalAddress, ownServer } = claim;
  const since = owner.since.toISOString().replace(/\.\d+Z$/, 'Z');
  return new BenchError(
    'usage',
    `the Temporal namespace '${namespace}' at ${temporalAddress} serves another database of bench, ${owner.database} ` +
      `(installation ${owner.installation}, since ${since}, from ${owner.machine}), not ${installation.database} (installation ${installation.id})`,
    {
      code: 'namespace.taken',
      remedy:
        owner.database === installation.database
          ? `That database was restored or recreated since: see ${SEE}.`
          : ownServer
            ? `Run \`bench down\`, then set DATABASE_URL as it was until that database has no unfinished runs, or use another BENCH_HOME. See ${SEE}.`
            : `Run \`bench down\`, then use another namespace (TEMPORAL_NAMESPACE), or set DATABASE_URL to that database. If that database is gone for good, see ${SEE}.`,
    },
  );
}

async function mark(client: Client, { installation, machine }: NamespaceClaim): Promise<void> {
  try {
    await client.workflow.start('installation', {
      workflowId: INSTALLATION_WORKFLOW_ID,
      // No worker polls this queue.
      taskQueue: INSTALLATION_WORKFLOW_ID,
      memo: { installation: installation.id, database: installation.database, machine },
      staticSummary: 'Names the owner of this namespace. Never executed.',
    });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}

async function isIdle(client: Client): Promise<boolean> {
  const others = [INSTALLATION_WORKFLOW_ID, GPU_POOL_WORKFLOW_ID].map((id) => ` and WorkflowId != '${id}'`).join('');
  return (await client.workflow.count(`ExecutionStatus = 'Running'${others}`)).count === 0;
}

/** Ends the owner's marker; the caller that succeeds also ends the pool with the owner's hosts. */
async function giveUp(client: Client, { workflowRunId }: NamespaceOwner): Promise<void> {
  const reason = 'the home of this server has another database now';
  try {
    await client.workflow.getHandle(INSTALLATION_WORKFLOW_ID, workflowRunId).terminate(reason);
    await client.workflow.getHandle(GPU_POOL_WORKFLOW_ID).terminate(reason);
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}
