import { type HistoryProcessor, outdatedWindow, type PromptMessage } from './prompt-message.js';

const HEADER = /^\[File:\s+(.*\S)\s+\(\d+\s+lines\s+total\)\]\s*$/;
const HIDDEN_ABOVE = /^\(\d+ more lines? above\)\s*$/;
const NUMBERED = /^\d+:/;

interface View {
  file: string;
  /** Its numbered lines: `from` inclusive, `to` exclusive. */
  from: number;
  to: number;
}

/** Views of files that an editor printed: a header, optional hidden lines, numbered lines. */
function viewsIn(lines: readonly string[]): View[] {
  const views: View[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const file = HEADER.exec(lines[at] ?? '')?.[1];
    if (file === undefined) continue;
    let from = at + 1;
    if (HIDDEN_ABOVE.test(lines[from] ?? '')) from += 1;
    let to = from;
    while (NUMBERED.test(lines[to] ?? '')) to += 1;
    if (to > from) views.push({ file, from, to });
  }
  return views;
}

/** A count replaces the numbered lines of a file's older views. Every message stays. */
function closeOlderViews(messages: readonly PromptMessage[]): PromptMessage[] {
  const seen = new Set<string>();
  const processed = [...messages].reverse().map((message) => {
    if (message.origin !== 'observation' && message.origin !== 'task') return message;
    const lines = message.content.split('\n');
    const views = viewsIn(lines);
    const outdated = views.filter(({ file }) => seen.has(file));
    for (const { file } of views) seen.add(file);
    if (outdated.length === 0) return message;
    for (const { from, to } of outdated.reverse()) lines.splice(from, to - from, outdatedWindow(to - from));
    return { ...message, content: lines.join('\n') };
  });
  return processed.reverse();
}

/** A closed view is no view, so closing is idempotent. */
export const closedWindow: HistoryProcessor = { show: closeOlderViews, settle: closeOlderViews };
