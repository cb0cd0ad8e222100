import {
  type Client,
  WorkflowExecutionAlreadyStartedError,
  type WorkflowExecutionDescription,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { BenchError } from '../domain/errors.js';
import { GPU_POOL_WORKFLOW_ID, INSTALLATION_WORKFLOW_ID } from '../domain/queues.js';
import type { Installation } from '../db/index.js';

/** What the memo of the marker says: the id decides, the rest is for people. */
export interface NamespaceOwner {
  installation: string;
  /** Host, port and database, as they were when the namespace was claimed. */
  database: string;
  /** The machine that claimed it. */
  machine: string;
  since: Date;
}

export interface NamespaceClaim {
  installation: Installation;
  machine: string;
  /** For messages: where the client is connected. */
  temporalAddress: string;
  /** The server is this home's own, which may change its database: an owner of whom no workflow is left gives way. */
  ownServer: boolean;
}

/** Others may claim at the same time: each try either settles it or meets another's change. */
const TRIES = 5;

/**
 * See to it that the client's namespace serves this installation alone: two that share one would take each other's runs from
 * the queues, and GPUs from one pool. The first to ask is the owner, by a workflow that nobody runs.
 * @throws BenchError if the namespace serves another installation; else what the client throws.
 */
export async function claimNamespace(client: Client, claim: NamespaceClaim): Promise<void> {
  let owner: NamespaceOwner | null = null;
  for (let tries = 0; tries < TRIES; tries++) {
    owner = await namespaceOwner(client);
    if (owner === null) await mark(client, claim);
    else if (owner.installation === claim.installation.id) return;
    else if (claim.ownServer && (await isIdle(client))) await giveUp(client);
    else break;
  }
  owner ??= await namespaceOwner(client);
  throw refusal(client.options.namespace, claim, owner);
}

/** Whom the namespace serves; null if nobody has claimed it. */
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
  };
}

async function mark(client: Client, { installation, machine }: NamespaceClaim): Promise<void> {
  try {
    await client.workflow.start('installation', {
      workflowId: INSTALLATION_WORKFLOW_ID,
      // Nobody polls it.
      taskQueue: INSTALLATION_WORKFLOW_ID,
      memo: { installation: installation.id, database: installation.database, machine },
      staticSummary: 'Whose this namespace is; nobody runs it.',
    });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}

/** No run or batch of the owner is open. */
async function isIdle(client: Client): Promise<boolean> {
  const others = [INSTALLATION_WORKFLOW_ID, GPU_POOL_WORKFLOW_ID].map((id) => ` and WorkflowId != '${id}'`).join('');
  return (await client.workflow.count(`ExecutionStatus = 'Running'${others}`)).count === 0;
}

/** With its pool, which knows the owner's hosts. */
async function giveUp(client: Client): Promise<void> {
  for (const id of [GPU_POOL_WORKFLOW_ID, INSTALLATION_WORKFLOW_ID]) {
    try {
      await client.workflow.getHandle(id).terminate('the home of this server has another database now');
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    }
  }
}

function refusal(namespace: string, claim: NamespaceClaim, owner: NamespaceOwner | null): BenchError {
  const { installation, temporalAddress, ownServer } = claim;
  const where = `the Temporal namespace '${namespace}' at ${temporalAddress}`;
  const since = owner?.since.toISOString().replace(/\.\d+Z$/, 'Z');
  const whose =
    owner === null
      ? 'changes hands all the time'
      : `serves another database of bench, ${owner.database} (installation ${owner.installation}, since ${since}, from ${owner.machine})`;
  const otherwise = ownServer
    ? 'Set DATABASE_URL as it was until the runs of that database are over, or take another BENCH_HOME'
    : 'Give this one a namespace of its own (TEMPORAL_NAMESPACE), or set DATABASE_URL to that database';
  const end = `temporal workflow terminate --workflow-id ${INSTALLATION_WORKFLOW_ID} --namespace ${namespace} --address ${temporalAddress}`;
  return new BenchError('usage', `${where} ${whose}, not ${installation.database} (installation ${installation.id})`, {
    remedy: `${otherwise}. Only where that database is gone for good: ${end}`,
  });
}
