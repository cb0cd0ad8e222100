import { type Answered, type Asked, JOBS } from './jobs.js';

const scope = self as unknown as {
  onmessage: ((event: MessageEvent<Asked>) => void) | null;
  postMessage: (message: Answered) => void;
};
scope.onmessage = ({ data: { id, name, given } }) => {
  try {
    const job = JOBS[name] as (...of: unknown[]) => unknown;
    scope.postMessage({ id, found: job(...given) });
  } catch (error) {
    scope.postMessage({ id, failed: String(error) });
  }
};
