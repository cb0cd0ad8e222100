import { CancellationScope, getExternalWorkflowHandle, isCancellation, sleep } from '@temporalio/workflow';

/**
 * Wait for work that an earlier start of its parent left running: a workflow cannot await an execution that is not its
 * child, so its rows are asked. When we are cancelled, so is that execution, and its end is still awaited.
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
      // It may have closed in the meantime; then its rows say so.
      await getExternalWorkflowHandle(workflowId)
        .cancel()
        .catch(() => undefined);
      await wait();
    });
    throw error;
  }
}
