import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderText, type Rendered, type TextKind } from '../../../../web/client/text/render-text.js';

fc.configureGlobal({ seed: 5 });

const shown = ({ lines }: Rendered): string[] =>
  lines.map(({ pieces }) => pieces.map((piece) => ('text' in piece ? piece.text : `[${piece.label}]`)).join(''));
const output = (source: string): string[] => shown(renderText(source, 'output'));
const ESC = '\u001B';

describe('a terminal’s output', () => {
  it('a progress bar is its last state, and says how often it was drawn', () => {
    const tqdm = Array.from(
      { length: 100 },
      (_, i) => `\r ${i + 1}%|${'█'.repeat(i / 10)}| ${i + 1}/100 [00:0${i % 9}<00:01]`,
    ).join('');
    const rendered = renderText(`start\n${tqdm}\ndone\n`, 'output');
    expect(shown(rendered)).toEqual(['start', ` 100%|${'█'.repeat(9)}| 100/100 [00:00<00:01]`, 'done']);
    expect(rendered.folded).toBe(99);
  });

  it('several bars that move the cursor up are each a line', () => {
    const frame = (n: number) => `a ${n}${ESC}[K\nb ${n}${ESC}[K\n`;
    expect(output(`${frame(1)}${ESC}[2A${frame(2)}${ESC}[2A${frame(3)}`)).toEqual(['a 3', 'b 3']);
  });

  it('backspaces and erased ends are applied', () => {
    expect(output('10%\b\b\b20%')).toEqual(['20%']);
    expect(output(`a long line\r${ESC}[Kshort`)).toEqual(['short']);
    expect(output('wheel |\b/\b-\b\\')).toEqual(['wheel \\']);
  });

  it('colours become classes of a closed list', () => {
    const { lines } = renderText(
      `${ESC}[1;31merror${ESC}[0m plain ${ESC}[38;2;10;200;10mgreen${ESC}[38;5;196mred`,
      'output',
    );
    expect(lines[0]!.pieces).toEqual([
      { text: 'error', className: 'a-bold a-f1' },
      { text: ' plain ', className: '' },
      { text: 'green', className: 'a-f2' },
      { text: 'red', className: 'a-f9' },
    ]);
  });

  it('text of its background’s colour, and concealed text, can be read', () => {
    const { lines } = renderText(`${ESC}[30;40mhidden${ESC}[8mmore`, 'output');
    expect(lines[0]!.pieces).toEqual([{ text: 'hiddenmore', className: 'a-f0' }]);
  });

  it('titles, links, clipboard and queries are dropped and counted; their text stays where it is text', () => {
    const link = `${ESC}]8;;https://evil.example/${ESC}\\click${ESC}]8;;${ESC}\\`;
    const rendered = renderText(
      `${ESC}]0;title\u0007${ESC}]52;c;YWJj\u0007${link}${ESC}[6n${ESC}P1$qm${ESC}\\end`,
      'output',
    );
    expect(shown(rendered)).toEqual(['clickend']);
    expect(rendered.dropped).toBe(6);
  });

  it('a sequence without an end takes nothing with it', () => {
    expect(output(`a${ESC}]0;never closed\nb`)).toEqual([`a␛]0;never closed`, 'b']);
    expect(output(`a${ESC}`)).toEqual(['a␛']);
    expect(output(`a${ESC}[31`)).toEqual(['a␛[31']);
  });

  it('clearing the screen takes nothing away', () => {
    expect(output(`before${ESC}[2J${ESC}[H after`)).toEqual(['before after']);
  });

  it('rows are folded at a thousand columns, and what is beyond the last is counted', () => {
    const rendered = renderText('x'.repeat(2500), 'output');
    expect(rendered.lines.map(({ wrapped }) => wrapped)).toEqual([false, true, true]);
    expect(shown(rendered).join('')).toBe('x'.repeat(2500));
    const many = renderText('y\n'.repeat(100), 'output', 10);
    expect(many.lines).toHaveLength(10);
    expect(many.left).toBe(180);
    expect(renderText(`\rz${'y\n'.repeat(100)}`, 'output', 10).lines).toHaveLength(10);
  });
});

describe('any text', () => {
  it('controls are pictures, and lone surrogates the replacement character', () => {
    const rendered = renderText('a\u0000b\u001B[31m\rc\u007F\uD800', 'text');
    expect(shown(rendered)).toEqual(['a␀b␛[31m␍c␡\uFFFD']);
    expect(rendered.controls).toBe(4);
  });

  it('hidden characters are labelled boxes, counted', () => {
    const tags = [...'ignore'].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join('');
    const rendered = renderText(`a\u202Eb\u200B\u200B\u200Bc\u00ADd${tags}\u00A0\u3000`, 'text');
    expect(shown(rendered)).toEqual(['a[RLO]b[ZWSP ×3]c[SHY]d[TAGS “ignore”][NBSP WIDE SPACE]']);
    expect(rendered.hidden).toBe(13);
  });

  it('a family stays one picture; a joiner between letters does not hide', () => {
    expect(shown(renderText('👩‍👩‍👧 ⚠️ a\u200Db', 'text'))).toEqual(['👩‍👩‍👧 ⚠️ a[ZWJ]b']);
  });

  it('a hundred thousand marks on one letter are a box', () => {
    const rendered = renderText(`Z${'\u0300'.repeat(100_000)}!`, 'text');
    expect(shown(rendered).join('')).toContain('MARKS');
    expect(shown(rendered).join('').length).toBeLessThan(5_000);
  });

  it('lines of Windows end as others do', () => {
    expect(shown(renderText('a\r\nb\r\n', 'text'))).toEqual(['a', 'b']);
    expect(output('a\r\nb\r\n')).toEqual(['a', 'b']);
  });
});

const RAW =
  // oxlint-disable-next-line no-control-regex, no-misleading-character-class -- none of these may come onto a page
  /[\u0000-\u0008\u000A-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069\u200B\u00AD]|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/;

/** Sequences and characters that terminals and readers trip over, in any order. */
const nasty = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
      fc.constantFrom(
        '\r',
        '\n',
        '\b',
        '\t',
        '\r\n',
        ESC,
        `${ESC}[`,
        `${ESC}]`,
        `${ESC}P`,
        '\u009B',
        '\u0007',
        `${ESC}\\`,
        'x'.repeat(1200),
      ),
      fc
        .tuple(fc.integer({ min: 0, max: 99999 }), fc.constantFrom(...'ABCDEFGHJKLMPSTXmnhlrsu'))
        .map(([n, final]) => `${ESC}[${n}${final}`),
      fc.array(fc.integer({ min: 0, max: 300 })).map((codes) => `${ESC}[${codes.join(';')}m`),
    ),
    { maxLength: 200 },
  )
  .map((parts) => parts.join(''));

describe.each<TextKind>(['output', 'text'])('whatever %s holds', (kind) => {
  it('no control, bidi override or half of a pair comes onto the page, and it never fails', () => {
    fc.assert(
      fc.property(nasty, (source) => {
        for (const line of renderText(source, kind).lines)
          for (const piece of line.pieces) {
            const text = 'text' in piece ? piece.text : piece.label;
            expect(RAW.test(text), JSON.stringify(text)).toBe(false);
            expect(piece.className).toMatch(/^((^| )a-(bold|dim|italic|underline|inverse|strike|[fb](\d|1[0-5])))*$/);
          }
      }),
      { numRuns: 500 },
    );
  });
});

it('text that holds nothing to obey or reveal is shown as it is', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: fc.constantFrom(...'abc <>&"\'/{}$é漢🙂') })), (lines) => {
      const source = lines.join('\n');
      if (source === '' || source.endsWith('\n')) return;
      expect(shown(renderText(source, 'text'))).toEqual(source.split('\n'));
      expect(output(source).map((line) => line.trimEnd())).toEqual(source.split('\n').map((line) => line.trimEnd()));
    }),
  );
});

it.each([
  ['carriage returns', '\rx'],
  ['erased lines', `${ESC}[1K`],
  ['open strings', `${ESC}]`],
  ['cursors that go up', `y\n${ESC}[9A`],
  ['marks', 'e\u0301\u0301\u0301\u0301\u0301\u0301'],
  ['invisible spaces', '\u200B\u200C'],
  ['colours', `${ESC}[38;2;1;2;3mz`],
  ['clears', `${ESC}[2J\n`],
])('time grows with the length: %s', (_, unit) => {
  const work = (size: number): number => {
    const source = unit.repeat(size / unit.length);
    const begun = process.cpuUsage();
    renderText(source, 'output');
    const { user, system } = process.cpuUsage(begun);
    return user + system;
  };
  const least = (size: number): number => Math.min(...[1, 2, 3].map(() => work(size)));
  work(20_000);
  // Sixteen times the length is sixteen times the work, or 256 times if it is squared. A loaded
  // machine adds a few times to a sample, so the bound lies far from both.
  const small = Math.max(2_000, least(20_000));
  expect(least(320_000) / small).toBeLessThan(100);
});
