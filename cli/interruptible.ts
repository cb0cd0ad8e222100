/** Ctrl-C has ended the work: exit code 130. */
export class Interrupted extends Error {
  override name = 'Interrupted';
}

/** Ctrl-C aborts the signal instead of the process, so that `work` can clean up. */
export async function interruptible<T>(left: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  process.once('SIGINT', abort);
  try {
    return await work(controller.signal);
  } catch (cause) {
    if (!controller.signal.aborted) throw cause;
    throw new Interrupted(left, { cause });
  } finally {
    process.off('SIGINT', abort);
  }
}
