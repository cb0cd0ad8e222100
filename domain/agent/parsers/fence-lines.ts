/**
 * Fences as in SWE-agent and MLGym, whose recorded replies must be read the same way: three
 * backticks at column 0 and a tag without spaces. Blank lines after a fence belong to it.
 */
const FENCE = /(?<=^|\n)```(?:(\S*)\s*\n|\s*(?=\n|$))/g;

export interface FencedBlock {
  /** Text before the opening and after the closing fence. */
  before: string;
  after: string;
  content: string;
}

/** The last block outside any other. */
export const lastTopLevelBlock = (text: string): FencedBlock | null => readFences(text).last;

/** The text stops within a block. */
export const endsWithinBlock = (text: string): boolean => readFences(text).isOpen;

/** A tagged fence opens; a bare one closes, or else opens. */
function readFences(text: string): { last: FencedBlock | null; isOpen: boolean } {
  const open: RegExpExecArray[] = [];
  let last: FencedBlock | null = null;
  for (const fence of text.matchAll(FENCE)) {
    const tag = fence[1];
    if (open.length > 0 && (tag === undefined || tag === '')) {
      const opening = open.pop();
      if (opening === undefined || open.length > 0) continue;
      last = {
        before: text.slice(0, opening.index),
        after: text.slice(fence.index + fence[0].length),
        content: text.slice(opening.index + opening[0].length, fence.index),
      };
    } else if (tag !== undefined) open.push(fence);
  }
  return { last, isOpen: open.length > 0 };
}

/** Non-overlapping pairs of triple backticks anywhere. */
export const backtickPairs = (text: string): number => Math.floor((text.split('```').length - 1) / 2);
