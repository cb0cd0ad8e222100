/**
 * The gate of `bench compare --fail-if-worse` and of schedules, simulated: false alarms where
 * nothing changed, and how surely and how soon a loss is found.
 *
 *   npm run benchmark:gate [-- <comparisons per row> <schedules per row>]
 */
import { ACCEPTANCE, alarmsOf, verdictShares } from './gate-simulation.js';

const COMPARISONS = Number(process.argv[2] ?? 10_000);
const SCHEDULES = Number(process.argv[3] ?? 2_000);
const [NIGHTS, BAD, PAIRS] = [30, 16, 52];
const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

process.stderr.write(`${COMPARISONS} comparisons of each row, 95 % confidence, margin 0.1\n`);
const comparisons = [20, 52, 160, 400].flatMap((pairs) =>
  [0, 0.25, 0.5, 1, 1.5].map((drop) => {
    const shares = verdictShares(pairs, drop, COMPARISONS);
    process.stderr.write(
      `  ${pairs} pairs, win rate ${shares.winRate.toFixed(2)}: worse ${percent(shares.worse)}, not worse ${percent(shares.notWorse)}\n`,
    );
    return { pairs, drop, ...shares };
  }),
);

const night = (drop: (nth: number) => number): number[] => Array.from({ length: NIGHTS }, (_, nth) => drop(nth));
const SCENARIOS: Record<string, number[]> = {
  'nothing changes': night(() => 0),
  'night 17 is worse by 1.5': night((nth) => (nth === BAD ? 1.5 : 0)),
  'worse by 1 from night 17 on': night((nth) => (nth >= BAD ? 1 : 0)),
  'worse by 0.05 each night': night((nth) => 0.05 * nth),
};

process.stderr.write(`${SCHEDULES} schedules of ${NIGHTS} nights with ${PAIRS} pairs of each row\n`);
const schedules = Object.entries(SCENARIOS).flatMap(([scenario, drops]) =>
  Object.entries(ACCEPTANCE).map(([comparedWith, accepts]) => {
    const alarms = alarmsOf({ drops, pairs: PAIRS, schedules: SCHEDULES, accepts });
    const share = (of: (nights: number[]) => boolean): number => alarms.filter(of).length / SCHEDULES;
    const before = alarms.flat().filter((nth) => nth < BAD).length / (SCHEDULES * (BAD - 1));
    const row = {
      ...{ scenario, comparedWith, alarmsBeforeNight17: before },
      onNight17: share((nights) => nights.includes(BAD)),
      withinThreeNights: share((nights) => nights.some((nth) => nth >= BAD && nth < BAD + 3)),
      afterNight17: alarms.flat().filter((nth) => nth > BAD).length / (SCHEDULES * (NIGHTS - BAD - 1)),
      atAll: share((nights) => nights.length > 0),
    };
    process.stderr.write(
      `  ${scenario}, compared with ${comparedWith}: ${percent(before)} of nights before, ${percent(row.onNight17)} on night 17, ${percent(row.afterNight17)} of nights after\n`,
    );
    return row;
  }),
);
process.stdout.write(
  `${JSON.stringify({ benchmark: 'gate', confidence: 0.95, margin: 0.1, nights: NIGHTS, pairsOfANight: PAIRS, comparisons, schedules })}\n`,
);
