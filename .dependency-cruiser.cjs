/** Import directions: see CONTRIBUTING.md. Each room lists the rooms of ours that it may import. */
const core = [
  'domain',
  'workflows',
  'activities',
  'backends',
  'models',
  'temporal',
  'db',
  'catalog',
  'services',
  'transport',
];
const may = {
  domain: [],
  workflows: ['domain'],
  activities: ['domain'],
  transport: ['domain'],
  backends: ['domain', 'transport'],
  models: ['domain', 'transport'],
  temporal: ['domain', 'transport'],
  db: ['domain'],
  catalog: ['domain'],
  services: ['domain', 'transport'],
  operations: core,
  // Entry points: each is a composition root that nothing imports. The worker wires adapters to activities; the others call operations.
  // The gateway is served by the worker of the run's host, since only that has the sockets of its containers.
  worker: [...core, 'operations', 'gateway'],
  gateway: ['domain'],
  cli: ['domain', 'operations', 'web/server'],
  envs: ['domain', 'operations'],
  'web/api': ['domain'],
  'web/server': ['domain', 'operations', 'web/api'],
  'web/client': ['domain', 'web/api'],
};
const rooms = Object.keys(may);
const direction = rooms.map((room) => ({
  name: `${room}-imports`,
  severity: 'error',
  comment: `${room}/ may import only: ${may[room].join(', ') || 'nothing of ours'}`,
  from: { path: `^${room}/` },
  to: {
    path: `^(${[...rooms, 'test', 'benchmarks', 'scripts'].join('|')})/`,
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
    only('dockerode-in-docker', 'backends/docker/', 'dockerode'),
    only('provider-sdks-in-models', 'models/', 'openai|@anthropic-ai/sdk'),
    only('drizzle-in-db', 'db/', 'drizzle-orm|pg'),
    only('charts-in-page', 'web/client/', 'echarts'),
    only('temporal-client-in-temporal', '(temporal|activities|worker|operations)/', '@temporalio/client'),
    {
      name: 'no-circular',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'views-are-types',
      severity: 'error',
      comment:
        'Commands start without the schemas of what they print: import their types. The reference, the routes and the tests load them',
      from: { pathNot: '^(domain/views/|web/api/)' },
      to: { path: '^domain/views/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'page-without-schemas',
      severity: 'error',
      comment: 'zod never reaches the browser: the page takes types alone from the routes',
      from: { path: '^web/client/' },
      to: { path: '^web/api/|node_modules/zod/', dependencyTypesNot: ['type-only'] },
    },
    only('hono-in-servers', '(web/server|envs)/', 'hono|@hono'),
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
