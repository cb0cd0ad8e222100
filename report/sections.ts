import { aupChart } from './aup-chart.js';
import { actionBreakdown, actionTable, exitBreakdown, exitTable } from './breakdowns.js';
import { costChart, costPoints } from './cost-chart.js';
import { heatMap } from './heat-map.js';
import { LEADERBOARD_ORDERS } from '../domain/requests/comparison.js';
import { ORDER_MEANINGS, ORDER_TITLES } from '../domain/results/leaderboard-order.js';
import { curvesTable, leaderboardTable } from './leaderboard-table.js';
import { plural } from './numbers.js';
import { profilesChart, profilesOf } from './profiles-chart.js';
import { kindOf, rankedRows, type ReportData } from './report-data.js';
import type { Section, SectionPart } from './section.js';
import { spendingTable } from './spending-table.js';
import { trainingSection } from './training-section.js';
import { treesSection } from './trees-section.js';
import { suspectTable, unrankedTable } from './unranked.js';

const text = (words: string): SectionPart => ({ kind: 'text', text: words });

/** Sections of a report, in order, without the runs. Those about ranked models appear if there are any. */
export function sections(data: ReportData): Section[] {
  const { board } = data;
  const compared = board.comparison.T !== null && rankedRows(board).length > 0;
  return [
    ...(data.training === null ? [] : [trainingSection(data.training)]),
    leaderboardSection(data),
    ...(compared ? [areaSection(data), profileSection(data), ...costSection(data)] : []),
    heatSection(data),
    {
      id: 'ends',
      title: 'Ends',
      parts: [
        text(
          'Complete: submitted, or out of steps with an answer. Incomplete: ended in another way, with a score. Failed: no score. A run that failed may have two labels.',
        ),
        { kind: 'breakdown', breakdown: exitBreakdown(data) },
        { kind: 'table', table: exitTable(data) },
      ],
    },
    {
      id: 'steps',
      title: 'Steps',
      parts: [
        text(
          board.comparison.mode === 'strict'
            ? 'Each step of the counted runs, by the first whole word of its action.'
            : 'Each step of the counted runs, by how the text of its action begins, as MLGym-Bench counts.',
        ),
        { kind: 'breakdown', breakdown: actionBreakdown(data) },
        { kind: 'table', table: actionTable(data) },
      ],
    },
    {
      id: 'spending',
      title: 'Cost and tokens',
      parts: [
        text(
          `Over all runs, including repeated ones; per run: divided by the runs that ended.${board.comparison.priceList === null ? '' : ` Tokens of imported runs are at the prices of the list ${board.comparison.priceList}: other harnesses record costs at their own prices, which are not comparable.`}`,
        ),
        { kind: 'table', table: spendingTable(data) },
      ],
    },
    ...treesSection(data),
    ...apartSection(data),
  ];
}

function leaderboardSection(data: ReportData): Section {
  const ranked = rankedRows(data.board).length > 0;
  const curves = curvesTable(data);
  return {
    id: 'leaderboard',
    title: 'Leaderboard',
    parts: ranked
      ? [
          { kind: 'table', table: leaderboardTable(data) },
          text(meanings(data)),
          ...(curves === null ? [] : [{ kind: 'table' as const, table: curves }]),
          text(
            'Feasible: at least as good as the baseline. Not run: only the infrastructure failed, which does not count against the model. Every figure depends on the whole set of models and tasks.' +
              (data.board.rows.some(({ withSuspects }) => withSuspects !== null)
                ? ' With suspects: the AUP that counts suspect scores too; flags show each integrity rule and its number of runs.'
                : ''),
          ),
        ]
      : [
          text(
            'No model is ranked: “Not ranked” gives the reasons. Scripted agents and runs without isolation are ranked on request.',
          ),
        ],
  };
}

/** Each figure in a sentence, that which orders the rows first; how far it tells models apart. */
function meanings({ board, over }: ReportData): string {
  const { order, separation } = board.comparison;
  const others = LEADERBOARD_ORDERS.filter((one) => one !== order);
  const found = separation?.[over] ?? null;
  return [
    `Ordered by ${ORDER_TITLES[order]}: ${ORDER_MEANINGS[order]}.`,
    ...others.map((one) => `${ORDER_TITLES[one]}: ${ORDER_MEANINGS[one]}.`),
    ...(found === null || found.pairs === 0
      ? []
      : [
          `P(best): how often a model is first by ${ORDER_TITLES[order]} in the resamples. Group: models with the same letter are not significantly different; ${found.resolved} of ${plural(found.pairs, 'pair')} resolved.`,
        ]),
  ].join(' ');
}

function areaSection(data: ReportData): Section {
  const sampled = data.board.rows.some(({ intervals }) => intervals !== null);
  const drawn = data.over === 'tasks' ? 'other tasks of the same kind' : 'other attempts at the same tasks';
  return {
    id: 'areas',
    title: 'AUP',
    parts: [
      text(
        `Area under the performance profile. Filled: best attempts; hollow: best submissions.${sampled ? ` Lines: 95 % of what ${drawn} may give. These runs do not separate models whose lines overlap.` : ''}`,
      ),
      { kind: 'chart', chart: aupChart(data) },
    ],
  };
}

function profileSection(data: ReportData): Section {
  const parts = (['best', 'last'] as const).map((kind): SectionPart => {
    const entries = profilesOf(data, kind).map(({ label, style }) => ({ label, style }));
    return { kind: 'chart', chart: profilesChart(data, kind), legend: { entries, form: 'line', narrow: true } };
  });
  return {
    id: 'profiles',
    title: 'Performance profiles',
    parts: [
      text(
        'The share of tasks at which a model is within this factor of the best score. Higher and further left is better; the area below a line is its AUP.',
      ),
      ...parts,
    ],
  };
}

function costSection(data: ReportData): Section[] {
  const points = costPoints(data);
  if (points.length === 0) return [];
  const without = rankedRows(data.board).length - points.length;
  const kind = kindOf(data.board) === 'best' ? 'best attempts' : 'best submissions';
  return [
    {
      id: 'value',
      title: 'AUP against cost',
      parts: [
        text(
          `AUP of ${kind}, and what a run costs. Further left and higher is better.${without === 0 ? '' : ` Not drawn, because they cost nothing or their cost is unknown: ${without}.`}`,
        ),
        {
          kind: 'chart',
          chart: costChart(data),
          legend: { entries: points.map(({ label, style }) => ({ label, style })), form: 'area', narrow: true },
        },
      ],
    },
  ];
}

const heatSection = (data: ReportData): Section => ({
  id: 'tasks',
  title: 'Tasks and models',
  parts: [
    text(
      [
        'A stronger blue is closer to the best score of the task. ↑ higher is better, ↓ lower is better. Target: a score worth a gain of 1.',
        ...data.board.tasks.flatMap(({ task, ranking }) => (ranking === null ? [] : [`${task} is ranked ${ranking}.`])),
      ].join(' '),
    ),
    { kind: 'table', table: heatMap(data), shades: true },
  ],
});

function apartSection(data: ReportData): Section[] {
  const tables = [unrankedTable(data), suspectTable(data)].filter((table) => table !== null);
  if (tables.length === 0) return [];
  return [{ id: 'apart', title: 'Not ranked', parts: tables.map((table) => ({ kind: 'table', table })) }];
}
