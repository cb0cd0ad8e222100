/** Whole messages of an event stream so far, and the rest. */
export function takeMessages(buffer: string): {
  messages: { event: string; data: string; id: string | null }[];
  rest: string;
} {
  const blocks = buffer.replaceAll('\r\n', '\n').split('\n\n');
  const rest = blocks.pop() ?? '';
  const messages = blocks.flatMap((block) => {
    let event = 'message';
    let id: string | null = null;
    const data: string[] = [];
    for (const line of block.split('\n')) {
      const [name, value] = line.startsWith(':') ? ['', ''] : split(line);
      if (name === 'event') event = value;
      else if (name === 'data') data.push(value);
      else if (name === 'id') id = value;
    }
    return data.length === 0 ? [] : [{ event, data: data.join('\n'), id }];
  });
  return { messages, rest };
}

function split(line: string): [string, string] {
  const colon = line.indexOf(':');
  if (colon === -1) return [line, ''];
  const value = line.slice(colon + 1);
  return [line.slice(0, colon), value.startsWith(' ') ? value.slice(1) : value];
}
