import { formatDuration, plural } from '../../domain/text/format.js';
import { formatTime } from './format.js';
import type { ProviderTrouble } from '../../domain/views/provider-trouble.js';

/** `openai could not be reached (gpt-4o: ECONNREFUSED) at …: 3 runs wait, next try in 8 s` */
export function providerTroubleLine(trouble: ProviderTrouble, now: Date = new Date()): string {
  const { endpoint, detail, runs, at, nextTryAt } = trouble;
  const left = nextTryAt === null ? null : new Date(nextTryAt).getTime() - now.getTime();
  const next =
    left === null ? 'trying now' : left <= 0 ? 'next try now' : `next try in ${formatDuration(roundUp(left))}`;
  return (
    `${detail}${endpoint === null ? '' : ` at ${endpoint}`}: ${plural(runs, 'run waits', 'runs wait')}, ` +
    `last error ${formatTime(at)}, ${next}`
  );
}

const roundUp = (ms: number): number => Math.ceil(ms / 1000) * 1000;
