import { addUsd, compareUsd, subtractUsd } from '../model/price.js';
import { formatCount, formatDuration, formatUsd, plural } from '../text/format.js';
import type { EndReason } from './outcomes.js';

/** What is stored of an ended run. */
export interface EndFacts {
  runId: string;
  endReason: EndReason;
  detail: string | null;
  maxSteps: number;
  wallSeconds: number;
  costUsd: string;
  /** Null: no limit. */
  costLimitUsd: string | null;
  /** What the next call might cost, when that limit had no room for it; null: not recorded. */
  refusedUsd: string | null;
  tokens: number;
  /** 0: no limit. */
  tokenLimit: number;
  /** Of its model, in tokens; null: not known. */
  contextWindow: number | null;
  /** Of its batch, when it last had no room for a call; null: it always had. */
  metBudgetUsd: string | null;
}

/** Why a run ended, as a clause, and what may be done about it. */
export interface Ending {
  why: string;
  next: string | null;
}

type Explained = (run: EndFacts) => Ending;

const RETRY = (runId: string): string => `\`bench retry ${runId}\` repeats it.`;

const ENDINGS: Readonly<Record<EndReason, Explained>> = {
  submit: () => ({ why: 'the agent submitted', next: null }),
  max_steps: ({ maxSteps }) => ({
    why: maxSteps === 0 ? 'all of its steps were used' : `all of its ${plural(maxSteps, 'step')} were used`,
    next: 'Allow more steps.',
  }),
  wall_time: ({ wallSeconds }) => ({
    why: wallSeconds === 0 ? 'its time was used up' : `its time of ${formatDuration(wallSeconds * 1000)} was used up`,
    next: 'Allow more time.',
  }),
  deadline: () => ({
    why: 'the deadline of its episode passed',
    next: 'Allow more with `deadline_s` of the reset.',
  }),
  context: ({ contextWindow }) => ({
    why:
      `the next prompt did not fit the model's context window` +
      (contextWindow === null ? '' : ` of ${formatCount(contextWindow)} tokens`),
    next: 'Choose an agent that omits or summarises old steps (`compactAt`), or a model with a larger window.',
  }),
  cost: costEnding,
  tokens: ({ tokens, tokenLimit }) => ({
    why:
      tokenLimit === 0
        ? 'its token limit was reached'
        : `${formatCount(tokens)} of ${formatCount(tokenLimit)} tokens were used`,
    next: 'Raise the token limit of the run.',
  }),
  format: ({ runId }) => ({
    why: 'three replies in a row held no action in the form that the agent asks for',
    next: `\`bench trajectory ${runId}\` ends with the last one; docs/reference/troubleshooting.md has the usual causes.`,
  }),
  refusal: ({ runId }) => ({
    why: 'the model, or the policy of its provider, refused to answer three times in a row',
    next: `\`bench trajectory ${runId}\` ends with the last reply.`,
  }),
  exit: ({ runId, detail }) => ({
    why: `the program ended without \`submit\`${because(detail)}`,
    next: `\`bench logs ${runId}\` shows what it printed.`,
  }),
  provider_refused: ({ runId, detail }) => ({
    why: `the provider refused a request, and its repetition${because(detail)}`,
    next: `\`bench events ${runId}\` has its answer.`,
  }),
  budget: ({ metBudgetUsd }) => ({
    why: `the budget of its batch${metBudgetUsd === null ? '' : `, ${formatUsd(metBudgetUsd)},`} had no room for the next call`,
    next: '`bench resume`, with a larger budget, continues such runs.',
  }),
  infra_error: ({ runId, detail }) => ({
    why: detail ?? 'the infrastructure failed, without details',
    next: RETRY(runId),
  }),
  config_error: ({ runId, detail }) => ({
    why: detail ?? 'the configuration is wrong, without details',
    next: `Correct that; then ${RETRY(runId)}`,
  }),
  cancelled: ({ runId }) => ({ why: 'a person stopped it', next: RETRY(runId) }),
  forfeit: ({ detail }) => ({ why: `its agent gave up${because(detail)}`, next: null }),
  api: ({ detail }) => ({ why: `its provider failed${because(detail)}`, next: null }),
  runtime: ({ detail }) => ({ why: `its harness or container failed${because(detail)}`, next: null }),
  unknown: ({ detail }) => ({ why: `why it ended was not recorded${because(detail)}`, next: null }),
};

const because = (detail: string | null): string => (detail === null ? '' : `: ${detail}`);

function costEnding({ costUsd, costLimitUsd, refusedUsd }: EndFacts): Ending {
  const next = 'Raise the cost limit of the run.';
  if (costLimitUsd === null) return { why: 'its cost limit was reached', next };
  const left = compareUsd(costUsd, costLimitUsd) < 0 ? subtractUsd(costLimitUsd, costUsd) : '0';
  if (refusedUsd === null)
    return { why: `its cost limit was reached: ${formatUsd(left)} of ${formatUsd(costLimitUsd)} were left`, next };
  // Rounded to cents they may look equal.
  const shown = formatUsd(refusedUsd) === formatUsd(left) ? (usd: string) => `$${usd}` : formatUsd;
  return {
    why: `the next call might have cost ${shown(refusedUsd)}, and ${shown(left)} of ${formatUsd(costLimitUsd)} were left`,
    next: `${next.slice(0, -1)} to at least ${formatUsd(addUsd(costUsd, refusedUsd))}.`,
  };
}

export const endingOf = (run: EndFacts): Ending => ENDINGS[run.endReason](run);
