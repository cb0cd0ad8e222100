/** Import directions: see docs/architecture.md. Each room lists the rooms of ours that it may import. */
const may = {
  domain: [],
  workflows: ['domain'],
  activities: ['domain'],
  db: ['domain'],
  registry: ['domain'],
  services: ['domain'],
  report: ['domain', 'db'],
  worker: ['domain', 'workflows', 'activities', 'db', 'registry'],
  cli: [
    'domain',
    'workflows',
    'activities',
    'db',
    'registry',
    'services',
    'report',
    'worker/(gpu-inventory|namespace-owner|nvidia-smi|settings)',
  ],
};
const rooms = Object.keys(may);
const direction = rooms.map((room) => ({
  name: `${room}-imports`,
  severity: 'error',
  comment: `${room}/ may import only: ${may[room].join(', ') || 'nothing of ours'}`,
  from: { path: `^${room}/` },
  to: {
    path: `^(${[...rooms, 'test', 'benchmarks'].join('|')})/`,
    pathNot: `^(${[room, ...may[room]].join('|')})(/|\\.|$)`,
  },
}));
const only = (name, where, library) => ({
  name,
  severity: 'error',
  comment: `${library} belongs to ${where} alone`,
  from: { path: `^(${rooms.join('|')})/`, pathNot: `^${where}` },
  to: { path: `node_modules/(${library})/` },
});
module.exports = {
  forbidden: [
    ...direction,
    only('dockerode-in-docker', 'activities/docker/', 'dockerode'),
    only('provider-sdks-in-models', 'activities/models/', 'openai|@anthropic-ai/sdk'),
    only('drizzle-in-db', 'db/', 'drizzle-orm|pg'),
    only('charts-in-report', 'report/', 'echarts'),
    {
      name: 'report-reads-no-database',
      severity: 'error',
      comment: 'report/ is a function of what db/ returned: it knows its types alone',
      from: { path: '^report/' },
      to: { path: '^db/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'no-circular',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'workflows-are-pure',
      severity: 'error',
      comment: 'Workflow code is bundled and replayed: no zod at run time, no node modules',
      from: { path: '^workflows/' },
      to: { path: 'node_modules/(zod|pino|yaml|execa)/' },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { conditionNames: ['import', 'require', 'node', 'default'] },
  },
};
