import { CancellationScope, getExternalWorkflowHandle, isCancellation, sleep } from '@temporalio/workflow';

/**
 * Wait for an execution that an earlier start of its parent left running. A workflow cannot await an execution that is not its
 * child, so poll the database. If we are cancelled, cancel that execution and still await its end.
 */
export async function untilEndedElsewhere(workflowId: string, ended: () => Promise<boolean>): Promise<void> {
  const wait = async (): Promise<void> => {
    for (let seconds = 1; !(await ended()); seconds = Math.min(seconds * 2, 300)) await sleep(seconds * 1000);
  };
  try {
    await wait();
  } catch (error) {
    if (!isCancellation(error)) throw error;
    await CancellationScope.nonCancellable(async () => {
      // It may have closed meanwhile; the database shows that.
      await getExternalWorkflowHandle(workflowId)
        .cancel()
        .catch(() => undefined);
      await wait();
    });
    throw error;
  }
}
