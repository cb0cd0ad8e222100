import type { SearchSpec } from './spec.js';

/** An earlier draft of the tree. */
export interface SiblingDraft {
  /** Its validation score; null: none, or not known yet. */
  score: number | null;
  open: boolean;
  /** What its agent thought, as far as it is known. */
  thoughts: string;
}

/** Longest account of a sibling, characters: its end tells most. */
const MOST_THOUGHTS = 800;
/** The latest ones; a tree may have fifty. */
const MOST_SIBLINGS = 8;

/** Solutions from scratch that a policy wants. */
export const draftsOf = (spec: SearchSpec): number => {
  switch (spec.policy) {
    case 'linear':
      return 1;
    case 'greedy':
      return spec.drafts;
    case 'mcts':
      return spec.children;
    case 'evolution':
      return spec.population;
  }
};

/**
 * Follows the task in the prompt of a draft, so that drafts take different approaches: it shows
 * what earlier ones did, and numbers those that are made at once.
 */
export function draftNote({
  nth,
  of,
  steps,
  metric,
  siblings,
}: {
  /** From 1. */
  nth: number;
  of: number;
  steps: number;
  metric: string;
  siblings: readonly SiblingDraft[];
}): string {
  const open = siblings.filter((sibling) => sibling.open).length;
  const known = siblings.filter((sibling) => !sibling.open).slice(-MOST_SIBLINGS);
  const lines = [
    `[This is draft ${nth} of ${Math.max(nth, of)}. Each starts from the task's files and takes an approach of its own.`,
    `You have ${steps} steps, of which the first \`validate\` is the last.]`,
  ];
  // The prompts of drafts that know nothing of each other differ in this number alone.
  if (open > 0 || (known.length === 0 && of > 1))
    lines.push(
      `[Others are made at the same time. Think of ${Math.max(2, nth)} different approaches, the most promising first, and take number ${nth}.]`,
    );
  if (known.length > 0) lines.push('[Earlier drafts. Do not repeat their approaches:]');
  for (const { score, thoughts } of known) {
    const end = thoughts.length > MOST_THOUGHTS ? `…${thoughts.slice(-MOST_THOUGHTS)}` : thoughts;
    lines.push(`- ${score === null ? 'no score' : `${metric} ${score}`}: ${end.replace(/\s+/g, ' ').trim()}`);
  }
  return lines.join('\n');
}
