/** What the page may take at most: milliseconds, KB, MB, seconds or percent of a core, as the names say. */
export const GOALS = {
  firstScriptsKb: 190,
  firstStylesKb: 15,
  firstRequests: 6,
  chartsKb: 240,
  editorKb: 130,
  listeningMs: 700,
  rssWith20ViewersMb: 220,
  homeLcpMs: 700,
  pageToPageP95Ms: 200,
  smallRunMs: 300,
  giantFirstStepsMs: 600,
  giantJumpP95Ms: 300,
  giantHeapMb: 150,
  giantLongestTaskMs: 100,
  giantFrameP95Ms: 34,
  longRailMs: 1500,
  longLastStepMs: 1500,
  filterRowsMs: 300,
  filterFacetsMs: 600,
  boardAnswerMs: 400,
  boardDrawnMs: 800,
  commitOnScreenP95Ms: 700,
  searchFirstHitMs: 500,
  searchAllMs: 20_000,
  searchCancelMs: 300,
  compareMs: 700,
  promptMs: 150,
  sqlMs: 700,
  watchingPagePercent: 30,
  watchingServerPercent: 10,
  watchingDatabasePercent: 5,
  stepsLostTo10ViewersPercent: 2,
  nobodyWatchingStatements: 0,
  exportS: 60,
  exportRssMb: 300,
  exportOpenedMs: 1000,
} as const;
export type Figures = Partial<Record<keyof typeof GOALS, number>>;

/** Figures beyond their goals. */
export const missed = (figures: Figures): string[] =>
  (Object.keys(GOALS) as (keyof typeof GOALS)[]).filter((name) => (figures[name] ?? 0) > GOALS[name]);
