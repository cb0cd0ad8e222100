/** A model's colour, dashes and symbol; each suffices to identify it. CSS variables: palette.ts. */
export interface SeriesStyle {
  color: string;
  dash: 'solid' | 'dashed' | 'dotted' | number[];
  symbol: 'circle' | 'rect' | 'triangle' | 'diamond';
}

/** Told apart by people who see few colours, and at least 3:1 against the page in both schemes. */
const COLORS = 8;
const DASHES = ['solid', 'dashed', 'dotted', [8, 3, 2, 3]] as const;
const SYMBOLS = ['circle', 'rect', 'triangle', 'diamond'] as const;

export const styleOf = (index: number): SeriesStyle => {
  const dash = DASHES[(index + Math.floor(index / COLORS)) % DASHES.length]!;
  return {
    color: `var(--series-${index % COLORS})`,
    dash: typeof dash === 'string' ? dash : [...dash],
    symbol: SYMBOLS[(index + Math.floor(index / COLORS)) % SYMBOLS.length]!,
  };
};
