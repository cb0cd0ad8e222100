import { CancellationScope, condition, getExternalWorkflowHandle, isCancellation } from '@temporalio/workflow';

/** Looks at the database at first and later, seconds apart. */
const FIRST_PAUSE_S = 1;
const LAST_PAUSE_S = 300;

/**
 * Wait for an execution that an earlier start of its parent left running. A workflow cannot await an execution that is not its
 * child, so poll the database. `signalled`: it says so itself, unless its signal is lost. If we are cancelled, cancel that execution
 * and still await its end.
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
