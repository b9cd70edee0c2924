// Rules that no linter has, for oxlint; .oxlintrc.json says in which files each of them holds.

/** Everything that opens a connection to an address. Types, servers and agents do not. */
const clientModules = [
  'got',
  'undici',
  'axios',
  'node-fetch',
  'cross-fetch',
  'ky',
  'superagent',
  'needle',
  'request',
  'follow-redirects',
  'ws',
  'node:http2',
  'http2',
  'node:dgram',
  'dgram',
];
const ofHttp = ['default', 'request', 'get', 'ClientRequest'];
const ofNet = ['default', 'connect', 'createConnection', 'Socket', 'TLSSocket'];
/** Of these modules, what opens one. */
const clientNames = new Map([
  ['node:http', ofHttp],
  ['http', ofHttp],
  ['node:https', ofHttp],
  ['https', ofHttp],
  ['node:net', ofNet],
  ['net', ofNet],
  ['node:tls', ofNet],
  ['tls', ofNet],
]);

/** Whether what an import or export takes from a module opens connections. */
function opensConnections(module, names) {
  if (clientModules.includes(module)) return names.length > 0;
  const clients = clientNames.get(module);
  return clients !== undefined && names.some((name) => name === '*' || clients.includes(name));
}

/** What an import or export takes: names, `default`, or `*` for all. */
function namesTakenBy({ specifiers }) {
  if (specifiers === undefined || specifiers.length === 0) return ['*'];
  return specifiers
    .filter(({ importKind, exportKind }) => (importKind ?? exportKind) !== 'type')
    .map(nameOf);
}

function nameOf({ type, imported, local }) {
  if (type === 'ImportNamespaceSpecifier') return '*';
  if (type === 'ImportDefaultSpecifier') return 'default';
  const { name, value } = imported ?? local;
  return name ?? value;
}

const noConnection = {
  create(context) {
    const report = (node) =>
      context.report({
        node,
        message:
          'Only the files listed in .oxlintrc.json open connections; an address a stranger chose is reached through packages/outbound.',
      });
    const check = (node) => {
      if ((node.importKind ?? node.exportKind) === 'type') return;
      if (opensConnections(node.source?.value, namesTakenBy(node))) report(node);
    };
    return {
      ImportDeclaration: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
      ImportExpression(node) {
        const { value } = node.source;
        if (clientModules.includes(value) || clientNames.has(value)) report(node);
      },
    };
  },
};

/** Refuses each place that one of these selectors fits. */
const refuse = (message, ...selectors) => ({
  create: (context) =>
    Object.fromEntries(
      selectors.map((selector) => [selector, (node) => context.report({ node, message })]),
    ),
});

export default {
  meta: { name: 'gateway' },
  rules: {
    'no-connection': noConnection,
    // Deadlines, leases, expiries and signatures of one service are judged by another.
    'shared-clock': refuse(
      'Two processes agree on the time of the shared clock only (packages/runtime/src/clock): take it as a port. For a duration use performance.now().',
      'MemberExpression[object.name="Date"][property.name="now"]',
      'NewExpression[callee.name="Date"][arguments.length=0]',
    ),
    // Nobody catches what a listener of a parser, a stream or a socket throws. A timer carries the context of the
    // request that set it, so `watchExceptions` ends that request; a listener may run in anybody's.
    'guarded-listeners': refuse(
      'Wrap the listener in guarded(fail, listener) of @gateway/runtime, so that what it throws ends its own request and never the process.',
      'CallExpression[callee.property.name=/^(on|once|addListener|prependListener)$/] > :nth-child(2):not(CallExpression[callee.name="guarded"], ArrowFunctionExpression[body.name=/^undefined$/], Identifier[name=/^(resolve|reject)$/])',
    ),
    // Made for each stream and asked for each chunk, which is where a microsecond counts.
    'no-literal-getter': refuse(
      'To V8 an object literal with getters is a dictionary, which takes sixty times as long to make and to ask: write a class, or a method.',
      'ObjectExpression > Property[kind="get"]',
    ),
  },
};
