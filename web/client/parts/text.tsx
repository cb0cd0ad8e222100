import { memo, useMemo, useState } from 'react';
import { reveal } from '../text/hidden-characters.js';
import { renderText, type RenderedLine, type TextKind } from '../text/render-text.js';
import { formatCount, plural } from '../../../domain/text/format.js';

/** Foreign text within a line. Isolated, so that it cannot reorder its neighbours. */
export const Text = memo(function Text({ value }: { value: string }) {
  const { pieces } = useMemo(() => reveal(value.replaceAll('\n', ' ')), [value]);
  return (
    <bdi className="text">
      {pieces.map((piece, i) => ('text' in piece ? piece.text : <Box key={i} label={piece.label} says={piece.says} />))}
    </bdi>
  );
});

const Box = ({ label, says }: { label: string; says: string }) => (
  <span className="hidden-box" title={says}>
    {label}
  </span>
);

export { plainText } from '../text/plain-text.js';

const Line = memo(function Line({ line, newline }: { line: RenderedLine; newline: boolean }) {
  return (
    <>
      {newline && '\n'}
      {line.pieces.map((piece, i) =>
        'label' in piece ? (
          <Box key={i} label={piece.label} says={piece.says} />
        ) : piece.className === '' ? (
          piece.text
        ) : (
          <span key={i} className={piece.className}>
            {piece.text}
          </span>
        ),
      )}
    </>
  );
});

interface BlockProps {
  source: string;
  kind: TextKind;
  /** At first; more on demand. */
  lines: number;
  /** The last lines, for growing texts. */
  end?: boolean;
  label: string;
  className?: string;
  marked?: string | undefined;
}

/** Text or terminal output, with notes on what was folded, dropped and revealed. */
export const TextBlock = memo(function TextBlock({
  source,
  kind,
  lines: most,
  end = false,
  label,
  className,
}: BlockProps) {
  const [raw, setRaw] = useState(false);
  const [open, setOpen] = useState(1);
  const rendered = useMemo(() => renderText(source, raw ? 'text' : kind), [source, kind, raw]);
  const from = end ? Math.max(0, rendered.lines.length - most * open) : 0;
  const shown = rendered.lines.slice(from, from + most * open);
  const rest = rendered.lines.length - shown.length;
  const more = rest > 0 && (
    <button type="button" className="plain more" onClick={() => setOpen(open * 5)}>
      {end ? 'show more before' : 'show more'}: {plural(rest, 'line')}
    </button>
  );
  const facts = [
    ...(rendered.folded > 0 ? [`${plural(rendered.folded, 'update')} folded`] : []),
    ...(rendered.dropped > 0 ? [`${plural(rendered.dropped, 'terminal sequence')} dropped`] : []),
    ...(rendered.hidden > 0 ? [plural(rendered.hidden, 'hidden character')] : []),
    ...(rendered.controls > 0 ? [plural(rendered.controls, 'control')] : []),
    ...(rendered.left > 0 ? [`${formatCount(rendered.left)} characters beyond the last line`] : []),
  ];
  return (
    <div className={`block ${className ?? ''}`}>
      {(facts.length > 0 || raw) && (
        <p className="facts">
          {facts.join(' · ')}{' '}
          {(raw || rendered.folded > 0 || rendered.dropped > 0) && (
            <button type="button" className="plain" onClick={() => setRaw(!raw)}>
              {raw ? 'as a terminal' : 'raw'}
            </button>
          )}
        </p>
      )}
      {end && more}
      <pre tabIndex={0} role="region" aria-label={label} dir="ltr">
        {shown.map((line, i) => (
          <Line key={from + i} line={line} newline={i > 0 && !line.wrapped} />
        ))}
      </pre>
      {!end && more}
    </div>
  );
});
