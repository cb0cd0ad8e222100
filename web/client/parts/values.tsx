import { NONE, formatCompact, formatCount, formatDuration, formatUsd } from '../../../domain/text/format.js';
import { Link } from '@tanstack/react-router';
import type { EndReason, RunStatus } from '../../../domain/run/outcomes.js';
import { formatScore } from '../../../domain/text/format.js';
import { words } from './format.js';
import { plainText, Text } from './text.js';

export const Money = ({ usd: exact }: { usd: string | null }) => (
  <span className="number" title={exact === null ? undefined : `$${exact}`}>
    {formatUsd(exact)}
  </span>
);

export const Score = ({ value }: { value: number | null | undefined }) =>
  value === null || value === undefined ? (
    <span className="none">{NONE}</span>
  ) : (
    <span className="number" title={String(value)}>
      {formatScore(value)}
    </span>
  );

export const Tokens = ({ amount }: { amount: number }) => (
  <span className="number" title={formatCount(amount)}>
    {formatCompact(amount)}
  </span>
);

export const Duration = ({ ms }: { ms: number | null }) => <span className="number">{formatDuration(ms)}</span>;

type Tone = 'good' | 'bad' | 'warn' | 'info' | 'quiet';

/** By shape and word, not only by colour. */
export const Badge = ({ tone, mark, children }: { tone: Tone; mark: string; children: React.ReactNode }) => (
  <span className={`badge ${tone}`}>
    <span aria-hidden="true">{mark}</span>
    {children}
  </span>
);

const UNFINISHED: Partial<Record<RunStatus, [Tone, string]>> = {
  queued: ['quiet', '○'],
  waiting_gpu: ['warn', '◔'],
  waiting_host: ['warn', '◔'],
  starting: ['info', '◐'],
  running: ['info', '●'],
  finishing: ['info', '◕'],
};
const INFRA: readonly EndReason[] = ['infra_error', 'config_error', 'provider_refused', 'api', 'runtime'];

export interface StatusOf {
  status: RunStatus;
  endReason: EndReason | null;
  outcome?: 'complete' | 'incomplete' | 'failed' | null;
}

export function RunState({ run: { status, endReason, outcome } }: { run: StatusOf }) {
  if (status !== 'ended' || endReason === null) {
    const [tone, mark] = UNFINISHED[status] ?? ['quiet', '○'];
    return (
      <Badge tone={tone} mark={mark}>
        {words(status)}
      </Badge>
    );
  }
  if (INFRA.includes(endReason))
    return (
      <Badge tone="warn" mark="▲">
        {words(endReason)}
      </Badge>
    );
  if (endReason === 'cancelled' || endReason === 'budget')
    return (
      <Badge tone="quiet" mark="◌">
        {words(endReason)}
      </Badge>
    );
  const good = outcome === 'complete' || (outcome === undefined && endReason === 'submit');
  return (
    <Badge
      tone={outcome === 'failed' ? 'bad' : good ? 'good' : 'quiet'}
      mark={outcome === 'failed' ? '✕' : good ? '✓' : '◑'}
    >
      {words(endReason)}
    </Badge>
  );
}

/** Prefix and last eight characters: the first ones are a time. */
export const shortId = (id: string): string => (id.length <= 14 ? id : `${id.slice(0, 2)}…${id.slice(-6)}`);

export const RunLink = ({ id, children }: { id: string; children?: React.ReactNode }) => (
  <Link to="/runs/$id" params={{ id }} className="id" title={id}>
    {children ?? shortId(id)}
  </Link>
);

export const StepLink = ({ id, step, children }: { id: string; step: number; children?: React.ReactNode }) => (
  <Link to="/runs/$id" params={{ id }} search={{ step }}>
    {children ?? `step ${step}`}
  </Link>
);

export const BatchLink = ({ id, name }: { id: string; name?: string | null | undefined }) => (
  <Link to="/batches/$id" params={{ id }} className={name == null ? 'id' : undefined} title={id}>
    {name == null ? shortId(id) : <Text value={name} />}
  </Link>
);

export const Fact = ({ name, children }: { name: string; children: React.ReactNode }) => (
  <div className="fact">
    <dt>{plainText(name)}</dt>
    <dd>{children}</dd>
  </div>
);

/** Omits those without a value. */
export const Facts = ({ of }: { of: Record<string, React.ReactNode> }) =>
  Object.entries(of).map(
    ([name, value]) =>
      value !== undefined &&
      value !== false && (
        <Fact key={name} name={name}>
          {value}
        </Fact>
      ),
  );

/** Parts of a whole as a bar, with a text for screen readers. */
export function Bar({
  parts,
  total,
  label,
}: {
  parts: readonly { name: string; amount: number; tone: Tone }[];
  total: number;
  label: string;
}) {
  const shown = parts.filter(({ amount }) => amount > 0);
  const words = shown.map(({ name, amount }) => `${amount} ${name}`).join(', ');
  return (
    <span
      className="bar"
      role="img"
      aria-label={`${label}: ${words === '' ? 'none' : words} of ${total}`}
      title={`${words === '' ? 'none' : words} of ${total}`}
    >
      {shown.map(({ name, amount, tone }) => (
        <span key={name} className={tone} style={{ width: `${(100 * amount) / Math.max(1, total)}%` }} />
      ))}
    </span>
  );
}
