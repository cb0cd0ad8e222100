import type { CliOutput } from '../context.js';
import type { LeaderboardForm } from './leaderboard.js';
import { escapeMarkdown, markdownTable } from './markdown.js';
import { renderTable } from './table.js';

export const terminalForm = ({
  colors,
  width,
  interactive,
}: Pick<CliOutput, 'colors' | 'width' | 'interactive'>): LeaderboardForm => ({
  title: colors.bold,
  table: (rows, columns) => renderTable(rows, columns, colors),
  note: colors.dim,
  width,
  dropsColumns: interactive,
});

export const markdownForm: LeaderboardForm = {
  title: (text) => `**${escapeMarkdown(text)}**`,
  table: markdownTable,
  note: (text) => `- ${escapeMarkdown(text)}`,
  width: Infinity,
  dropsColumns: false,
};
