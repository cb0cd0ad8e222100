/** Ctrl-C came, and what was under way has been ended: exit code 130. */
export class Interrupted extends Error {
  override name = 'Interrupted';
}

/** Ctrl-C aborts the signal instead of ending the process in the midst of `work`, which cleans up after itself. */
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
