import type { Colors } from 'picocolors/types.js';
import type { LeaderboardForm } from './leaderboard.js';
import { escapeMarkdown, markdownTable } from './markdown.js';
import { renderTable } from './table.js';

export const terminalForm = ({ colors, width }: { colors: Colors; width: number }): LeaderboardForm => ({
  title: colors.bold,
  table: (rows, columns) => renderTable(rows, columns, colors),
  note: colors.dim,
  width,
});

export const markdownForm: LeaderboardForm = {
  title: (text) => `**${escapeMarkdown(text)}**`,
  table: markdownTable,
  note: (text) => `- ${escapeMarkdown(text)}`,
  width: Infinity,
};
