// The walls between the rooms of docs/architecture.md. Each comment names the right way.

const TEST = String.raw`\.(test|fixture)\.tsx?$|test-setup\.ts$|^backend/test/|^backend/src/.*/test/`;
const PACKAGES = 'node_modules/';
/** Which features may use which; a feature that is not listed here uses no other. */
const USES = {
  billing: ['accounts'],
  usage: ['billing'],
  workspaces: ['accounts', 'billing'],
  files: ['billing', 'usage'],
  memory: ['usage'],
  personas: ['billing', 'files'],
  chat: ['usage', 'workspaces', 'files', 'personas', 'memory'],
  claims: ['chat', 'files', 'usage'],
  privacy: ['accounts'],
};

const named = (names) => `^backend/src/features/(${names.join('|')})/`;
/** A wall for the product's own code; tests may reach over it. */
const wall = (name, comment, from, to) => ({
  name,
  comment,
  severity: 'error',
  from: { ...from, pathNot: [TEST, ...[from.pathNot ?? []].flat()] },
  to,
});

module.exports = {
  forbidden: [
    wall(
      'no-cycle',
      'Two modules that need each other are one, or need a third: move what both use there.',
      {},
      { circular: true },
    ),
    wall(
      'nobody-imports-a-process',
      'A process is an end point. Move what you need into a room and import it from there.',
      { path: '^(backend|frontend)/', pathNot: '^backend/src/processes/' },
      { path: '^backend/src/processes/' },
    ),
    wall(
      'processes-take-features-by-their-list',
      'A process runs the features of list.ts by their manifests: put what it must know into the manifest.',
      { path: '^backend/src/processes/' },
      { path: '^backend/src/features/[^/]+/' },
    ),
    wall(
      'contract-imports-zod-only',
      'The contract is what both sides share: describe it with zod and plain types, nothing else.',
      { path: '^backend/src/contract/' },
      { pathNot: ['^backend/src/contract/', 'node_modules/zod/', '^zod$'] },
    ),
    wall(
      'only-models-know-the-database',
      'Put the query into the model.ts of the feature, which returns plain objects; a migration into its migrations.ts.',
      {
        path: '^backend/src/',
        pathNot: [String.raw`([/-]model|/migrations)\.ts$`, '^backend/src/db/'],
      },
      { path: '(^|/)(mongoose|mongodb)(/|$)' },
    ),
    wall(
      'features-by-their-index',
      'Import what another feature offers from its index.ts.',
      { path: '^backend/src/features/([^/]+)/' },
      {
        path: '^backend/src/features/[^/]+/',
        pathNot: ['^backend/src/features/$1/', String.raw`^backend/src/features/[^/]+/index\.ts$`],
      },
    ),
    wall(
      'chat-parts-by-their-index',
      'Import what another part of the chat offers from its index.ts; a store of messages takes their document from messages/model.ts.',
      { path: '^backend/src/features/chat/([^/]+)/' },
      {
        path: '^backend/src/features/chat/[^/]+/',
        pathNot: [
          '^backend/src/features/chat/$1/',
          String.raw`^backend/src/features/chat/([^/]+/index|messages/model)\.ts$`,
        ],
      },
    ),
    ...Object.entries(USES).map(([feature, uses]) =>
      wall(
        `what-${feature}-may-use`,
        `${feature} uses ${uses.join(', ')}; the other way round declare what you need in the Others of your manifest.`,
        { path: named([feature]) },
        { path: '^backend/src/features/[^/]+/', pathNot: named([feature, ...uses]) },
      ),
    ),
    wall(
      'what-other-features-may-use',
      'This feature uses no other. Declare the function that you need in the Others of your manifest.',
      { path: '^backend/src/features/([^/]+)/', pathNot: named(Object.keys(USES)) },
      { path: '^backend/src/features/[^/]+/', pathNot: '^backend/src/features/$1/' },
    ),
    wall(
      'ports-know-no-feature',
      'A port serves every feature and knows none. Take what you need as a parameter.',
      {
        path: '^backend/src/(llm|jobs|realtime|reading|search|http|db|objects|payments|mail|contract|[^/]+$)',
      },
      { path: '^backend/src/features/' },
    ),
    wall(
      'ports-apart',
      'Ports stand beside each other: join them in a feature or in processes/.',
      { path: '^backend/src/(llm|objects|payments|mail|jobs|realtime|reading|search)/' },
      {
        path: '^backend/src/(llm|objects|payments|mail|jobs|realtime|reading|search)/',
        pathNot: '^backend/src/$1/',
      },
    ),
    wall(
      'text-knows-texts-only',
      'Functions over texts are shared by ports and features and know neither. Take what you need as a parameter.',
      { path: '^backend/src/text/' },
      { path: '^(backend|frontend)/', pathNot: '^backend/src/(text|contract)/' },
    ),
    wall(
      'http-and-db-know-no-port',
      'They are the ground that ports and features stand on. Take what you need as a parameter.',
      { path: '^backend/src/(http|db)/' },
      { path: '^backend/src/(llm|objects|payments|mail|jobs|realtime|reading|search)/' },
    ),
    wall(
      'embedded-stands-alone',
      'The embedded services take the place of servers of others; the product reaches them by their protocol.',
      { path: '^backend/embedded/' },
      { path: '^(backend|frontend)/', pathNot: ['^backend/embedded/', '^backend/src/contract/'] },
    ),
    wall(
      'product-without-embedded-services',
      'Use the service through its port and its address from the configuration.',
      { path: '^(backend|frontend)/src/' },
      { path: '^backend/embedded/' },
    ),
    wall(
      'backend-without-frontend',
      'What both sides need belongs in backend/src/contract.',
      { path: '^backend/' },
      { path: '^frontend/' },
    ),
    wall(
      'frontend-sees-the-contract-only',
      'Import from @stolas/backend/contract.',
      { path: '^frontend/' },
      { path: '^backend/', pathNot: '^backend/src/contract/' },
    ),
    wall(
      'frontend-lib-imports-the-contract-only',
      'lib is the bottom: move what it needs down into it, or the caller up.',
      { path: '^frontend/src/lib/' },
      { path: '^frontend/src/', pathNot: '^frontend/src/(lib|i18n)/' },
    ),
    wall(
      'texts-import-nothing',
      'The catalogue of texts is below everything that shows them: take what you need as a parameter.',
      { path: '^frontend/src/i18n/' },
      { path: '^frontend/src/', pathNot: '^frontend/src/i18n/' },
    ),
    wall(
      'ui-kit-knows-no-product',
      'A piece of the kit takes what it shows as props.',
      { path: '^frontend/src/ui/' },
      { path: '^frontend/src/(app|features|realtime)/' },
    ),
    wall(
      'realtime-knows-no-feature',
      'The feature subscribes; realtime tells it. Take a function as a parameter.',
      { path: '^frontend/src/realtime/' },
      { path: '^frontend/src/(app|features)/' },
    ),
    wall(
      'frontend-features-by-their-index',
      'Import what another feature offers from its index.ts, or move what both need into ui/, lib/ or realtime/.',
      { path: '^frontend/src/features/([^/]+)/' },
      {
        path: '^frontend/src/features/',
        pathNot: [
          '^frontend/src/features/$1/',
          String.raw`^frontend/src/features/[^/]+/index\.tsx?$`,
        ],
      },
    ),
    wall(
      'app-is-the-top',
      'Pages join features; nothing below knows them. Take what you need as a prop or a parameter.',
      { path: '^frontend/src/', pathNot: '^frontend/src/app/' },
      { path: '^frontend/src/app/' },
    ),
    wall(
      'no-orphan',
      'Nothing imports this module and it imports nothing: use it or delete it.',
      {
        orphan: true,
        path: '^(backend|frontend)/(src|embedded)/',
        pathNot: [
          String.raw`\.d\.m?ts$`,
          '^backend/(src|embedded)/processes/',
          String.raw`(vite-env|/build\.mjs$|vitest\.config\.ts$)`,
        ],
      },
      {},
    ),
  ],
  options: {
    doNotFollow: { path: PACKAGES },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    combinedDependencies: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.mjs', '.d.ts', '.js', '.css'],
    },
  },
};
