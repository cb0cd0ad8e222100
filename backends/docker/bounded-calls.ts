import type Docker from 'dockerode';

/** Longer than a loaded engine on a loaded machine needs. */
const ANSWER_LIMIT_MS = 120_000;
const TRANSFER_LIMIT_MS = 30 * 60_000;

type Dial = Docker['modem']['dial'];
type DialOptions = Parameters<Dial>[0];
type Answer = Parameters<NonNullable<Parameters<Dial>[1]>>[1];

/** dockerode waits indefinitely for an engine that hangs. A stream's reader limits its rest. */
export function boundCalls(docker: Docker, answerLimitMs = ANSWER_LIMIT_MS): Docker {
  const { modem } = docker;
  const dial: Dial = modem.dial.bind(modem);
  modem.dial = (options, callback) => {
    const limitMs = limitOf(options, answerLimitMs);
    if (limitMs === null) return dial(options, callback);
    const giveUp = new AbortController();
    const abortSignal =
      options.abortSignal === undefined ? giveUp.signal : AbortSignal.any([options.abortSignal, giveUp.signal]);
    let answered = false;
    const settle = (error: Error | null, answer: Answer): void => {
      if (answered) {
        (answer as { destroy?: () => void } | null)?.destroy?.();
        return;
      }
      answered = true;
      clearTimeout(timer);
      callback?.(error, answer);
    };
    const timer = setTimeout(() => {
      const [path = ''] = options.path.split('?');
      settle(new Error(`the engine has not answered ${options.method} ${path} for ${limitMs / 1000} s`), null);
      giveUp.abort();
    }, limitMs);
    dial({ ...options, abortSignal }, settle);
  };
  return docker;
}

/** Null: the call exists to wait. */
function limitOf({ path, method }: DialOptions, answerLimitMs: number): number | null {
  if (/\/wait\b/.test(path)) return null;
  const transfers = /^\/(build|commit|images)\b/.test(path) || (/\/archive\b/.test(path) && method === 'PUT');
  return transfers ? Math.max(TRANSFER_LIMIT_MS, answerLimitMs) : answerLimitMs;
}
