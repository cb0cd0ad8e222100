/** Of a scientist: continue from this node (null: a draft), and try that. */
export interface Direction {
  node: number | null;
  text: string;
}

/** Longest direction, characters. */
const MOST_TEXT = 2_000;
const PARENT = /^[\s>*_`#-]*PARENT\b[\s*_`]*[:=][\s*_`]*(?:node[\s_#]*)?(\d{1,6}|none)\b[\s*_`.]*/i;

/** Read an answer: each line `PARENT: node_k`, and what follows it up to the next. */
export function readDirections(answer: string): Direction[] {
  const read: { node: number | null; lines: string[] }[] = [];
  for (const line of answer.split('\n')) {
    const [found, name] = PARENT.exec(line) ?? [];
    if (found === undefined || name === undefined) read.at(-1)?.lines.push(line);
    else read.push({ node: name.toLowerCase() === 'none' ? null : Number(name), lines: [line.slice(found.length)] });
  }
  return read.map(({ node, lines }) => ({ node, text: lines.join('\n').trim().slice(0, MOST_TEXT) }));
}
