export class CallTookTooLong extends Error {
  override name = 'CallTookTooLong';
}

/** Covers the body too; the SDKs' timeouts only cover headers. Throws the caller's abort reason. */
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
