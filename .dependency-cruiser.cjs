/**
 * Who may import whom: the table of docs/architecture.md as code. Everything that is not listed is refused.
 * `scripts/layers.mjs` runs it and fails when it cruised no module; `scripts/layers.test.ts` plants one violation of
 * each kind and sees it caught.
 */
const sharedRooms = {
  text: [],
  errors: ['text'],
  graph: ['errors'],
  history: [],
  settings: ['errors', 'text'],
  chain: ['errors', 'graph', 'template', 'text'],
  skill: ['errors', 'text'],
  action: ['errors', 'text'],
  template: ['errors', 'text'],
  run: ['errors', 'template', 'graph', 'chain', 'skill', 'action', 'settings', 'text'],
  api: ['errors', 'template', 'graph', 'chain', 'skill', 'action', 'run', 'settings', 'text'],
};
const features = ['chains', 'editor', 'skills', 'runs', 'jobs', 'settings', 'toolbar'];
const test = '\\.test\\.tsx?$';

const only = (name, from, to, extra = {}) => ({
  name,
  severity: 'error',
  from: { path: from, pathNot: test },
  to: { pathNot: [...to, '^node_modules', ...(extra.node ? ['^(node:)?[a-z_/]+$'] : [])], ...(extra.to ?? {}) },
});

module.exports = {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    ...Object.entries(sharedRooms).map(([room, may]) =>
      only(`shared-${room}`, `^shared/${room}/`, [`^shared/(${[room, ...may].join('|')})/`]),
    ),
    {
      name: 'shared-is-pure',
      severity: 'error',
      from: { path: '^shared/', pathNot: test },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'shared-libraries',
      comment: 'Pure libraries only: a schema, a contract, a parser of text.',
      severity: 'error',
      from: { path: '^shared/', pathNot: test },
      to: { path: '^node_modules/', pathNot: '^node_modules/(zod|@orpc/contract|@orpc/client|yaml|jsonc-parser)/' },
    },
    only('services', '^electron/services/', ['^electron/services/', '^shared/'], { node: true }),
    only('ipc', '^electron/ipc/', ['^electron/(services|ipc)/', '^shared/'], { node: true }),
    only('http', '^electron/http/', ['^electron/(services|http)/', '^shared/'], { node: true }),
    only('preload', '^electron/preload\\.ts$', ['^shared/api/', '^electron/preload\\.ts$'], { node: true }),
    only('cli', '^cli/', ['^cli/', '^electron/(services|http)/', '^shared/'], { node: true }),
    {
      name: 'electron-only-in-the-shell',
      severity: 'error',
      from: { pathNot: ['^electron/(main|preload|window|menu)\\.ts$', '^electron/ipc/', test] },
      to: { path: '(^|/)node_modules/electron/|^electron$' },
    },
    only('renderer', '^renderer/', ['^renderer/', '^shared/']),
    only('renderer-ui', '^renderer/(ui|styles)/', [
      '^renderer/(ui|styles|i18n)/',
      '^shared/(text|errors|run|chain|skill|action)/',
    ]),
    only('renderer-stores', '^renderer/(stores|api)/', ['^renderer/(stores|api|i18n)/', '^shared/']),
    ...features.map((feature) =>
      only(`renderer-${feature}`, `^renderer/${feature}/`, [
        `^renderer/(${feature}|ui|stores|api|i18n|styles)/`,
        '^shared/',
      ]),
    ),
    {
      name: 'no-node-in-renderer',
      severity: 'error',
      from: { path: '^renderer/', pathNot: test },
      to: { dependencyTypes: ['core'] },
    },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|release|coverage)/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.json', '.d.ts'],
    },
  },
};
