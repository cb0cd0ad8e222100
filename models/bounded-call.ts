/** The call exceeded its time limit. */
export class CallTookTooLong extends Error {
  override name = 'CallTookTooLong';
}

/**
 * A call that ends within `limitMs`, body included (the SDKs' own timeouts only cover the headers).
 * Throws the caller's reason if the caller aborted.
 */
export async function boundedCall<T>(
  caller: AbortSignal,
  limitMs: number,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  caller.throwIfAborted();
  const controller = new AbortController();
  const abort = (): void => controller.abort(caller.reason);
  caller.addEventListener('abort', abort, { once: true });
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    controller.abort();
  }, limitMs);
  try {
    return await call(controller.signal);
  } catch (error) {
    caller.throwIfAborted();
    if (late) throw new CallTookTooLong(`no reply within ${limitMs / 1000} s`);
    throw error;
  } finally {
    clearTimeout(timer);
    caller.removeEventListener('abort', abort);
  }
}
