import { CancellationScope, condition, getExternalWorkflowHandle, isCancellation } from '@temporalio/workflow';

/** Between looks at the database, from first to last. */
const FIRST_PAUSE_S = 1;
const LAST_PAUSE_S = 300;

/**
 * Waits for an execution of its parent's earlier start, by polling the database: workflows can only
 * await children. `signalled`: it also signals its end. Cancellation is passed on, and its end
 * still awaited.
 */
export async function untilEndedElsewhere(
  workflowId: string,
  ended: () => Promise<boolean>,
  signalled: () => boolean = () => false,
): Promise<void> {
  const wait = async (): Promise<void> => {
    for (let pause = FIRST_PAUSE_S; !signalled() && !(await ended()); pause = Math.min(pause * 2, LAST_PAUSE_S))
      await condition(signalled, pause * 1000);
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
