import { useEffect, useMemo } from 'react';
import { readSought } from '../../../domain/text/search-text.js';
import { useSearchStream } from '../search/search-stream.js';

export interface Found {
  /** In order, each once. */
  steps: readonly number[];
  hits: number;
  state: 'none' | 'running' | 'done' | 'failed' | 'cancelled';
  error: unknown;
}
const PLACES = ['thought', 'action', 'observation', 'evaluation'] as const;

/** Searches all steps of a run, loaded or not. */
export function useFind(runId: string, q: string | undefined): Found {
  const { hits, state, error } = useSearchStream(
    q === undefined ? null : { q, run: runId, in: [...PLACES], excerpts: false, limit: 100_000 },
  );
  const steps = useMemo(
    () => [...new Set(hits.flatMap(({ step }) => (step === null ? [] : [step])))].sort((a, b) => a - b),
    [hits],
  );
  return q === undefined
    ? { steps: [], hits: 0, state: 'none', error: null }
    : { steps, hits: hits.length, state, error };
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** For highlights: the database may read a pattern differently. */
function patternOf(q: string): RegExp | null {
  const sought = readSought(q);
  try {
    return sought.kind === 'pattern'
      ? new RegExp(sought.text, sought.anyCase ? 'gi' : 'g')
      : new RegExp(escaped(sought.text), sought.kind === 'exact' ? 'g' : 'gi');
  } catch {
    return null;
  }
}

const MOST_MARKS = 500;
const MOST_TEXT = 20_000;

interface Highlights {
  set: (name: string, highlight: unknown) => void;
  delete: (name: string) => void;
}

/** Highlights visible matches without changing the text. */
export function useMarkedText(box: React.RefObject<HTMLElement | null>, q: string | undefined, changes: unknown): void {
  useEffect(() => {
    const { highlights } = CSS as unknown as { highlights?: Highlights };
    const Highlight = (window as unknown as { Highlight?: new (...ranges: Range[]) => unknown }).Highlight;
    if (highlights === undefined || Highlight === undefined || q === undefined) return undefined;
    const pattern = patternOf(q);
    const timer = setTimeout(() => {
      if (pattern === null || box.current === null) return;
      const ranges: Range[] = [];
      const walker = document.createTreeWalker(box.current, NodeFilter.SHOW_TEXT);
      while (walker.nextNode() !== null && ranges.length < MOST_MARKS) {
        const node = walker.currentNode;
        for (const match of (node.nodeValue ?? '').slice(0, MOST_TEXT).matchAll(pattern)) {
          if (match[0] === '' || ranges.length >= MOST_MARKS) break;
          const range = new Range();
          range.setStart(node, match.index);
          range.setEnd(node, match.index + match[0].length);
          ranges.push(range);
        }
      }
      highlights.set('find', new Highlight(...ranges));
    }, 100);
    return () => {
      clearTimeout(timer);
      highlights.delete('find');
    };
  }, [box, q, changes]);
}
