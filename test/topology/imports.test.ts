import assert from 'node:assert/strict'
import test, { describe } from 'node:test'
import { folderOf, type Import, importsOf, isTest, sources, specifiersIn, workspaces } from './sources.ts'

interface Edge extends Import {
  readonly from: string
}

const edges: readonly Edge[] = sources.flatMap((from) => importsOf(from).map((each) => ({ from, ...each })))

/** Fails with a list of the forbidden imports and advice. */
function forbid(advice: string, forbidden: (edge: Edge) => boolean): void {
  const found = edges.filter(forbidden).map((edge) => `${edge.from} imports ${edge.specifier}`)
  assert.deepEqual(found, [], advice)
}

const isService = (path: string | null) => path?.startsWith('services/') ?? false
const within = (folder: string, path: string) => path.startsWith(`${folder}/`)

/** A test, or a file that only tests import. */
function servesTests(path: string): boolean {
  const importers = edges.filter((edge) => edge.path === path)
  return isTest(path) || (importers.length > 0 && importers.every((edge) => isTest(edge.from)))
}

describe('imports between folders', () => {
  test('a service never imports another service', () => {
    forbid(
      'Services meet only in topics: write what the other needs into an event, or move what both need into a package.',
      (edge) => isService(edge.from) && isService(edge.path) && folderOf(edge.from) !== folderOf(edge.path ?? ''),
    )
  })

  test('only the application imports services', () => {
    forbid(
      'Pass it in from packages/app, or move the code into a package.',
      (edge) =>
        /^(packages|schemas|topics)\//.test(edge.from) && isService(edge.path) && !within('packages/app', edge.from),
    )
  })

  test('only the command line, the library, tests and examples import the application', () => {
    forbid(
      'Take it as an argument: packages/app, which starts every service, passes it in.',
      (edge) =>
        within('packages/app', edge.path ?? '') &&
        !/^(packages\/(app|cli|loomlog)|test|examples\/[^/]+)\//.test(edge.from),
    )
  })

  test('nothing imports the command line', () => {
    forbid(
      'Move the code into packages/app, which the services use as well.',
      (edge) =>
        within('packages/cli', edge.path ?? '') && !within('packages/cli', edge.from) && !within('test', edge.from),
    )
  })

  test('schemas and the catalogue of topics import only errors and the types of the log', () => {
    forbid(
      'Every folder depends on these, so they depend on none: move the code into the package that needs it.',
      (edge) => {
        if (!/^(schemas|topics)\//.test(edge.from) || edge.path === null) return false
        return !/^(schemas|topics|packages\/errors)\/|^packages\/log\/port\.ts$/.test(edge.path)
      },
    )
  })

  test('folders reach each other through package exports, not through paths', () => {
    forbid(
      'Import @loomlog/<folder>/<subpath>; if the subpath is missing, add it to the exports in its package.json.',
      (edge) =>
        edge.specifier.startsWith('.') &&
        folderOf(edge.from) !== folderOf(edge.path ?? '') &&
        // A test may start the program that it tests, and read a file that no package exports.
        !(servesTests(edge.from) || within('test', edge.from)),
    )
  })

  test('nothing imports a test', () => {
    forbid('Move the shared code out of the test, into its own file beside it.', (edge) => isTest(edge.path ?? ''))
  })

  test('folders do not import each other in a cycle', () => {
    const between = edges
      .filter(({ from }) => !isTest(from))
      .map(({ from, path }): Link => [folderOf(from), path === null ? null : folderOf(path)])
    assert.deepEqual(cyclesOf(between), [], 'Move the shared code into the lower folder, or into its own package.')
  })

  test('packages do not depend on each other in a cycle', () => {
    const between = workspaces.flatMap(({ name, dependencies }) =>
      Object.keys(dependencies).map((dependency): Link => [name, dependency]),
    )
    assert.deepEqual(cyclesOf(between), [], 'Move the shared code into the lower package, or into one of its own.')
  })

  test('a package declares the packages that it imports', () => {
    forbid('Add it to the dependencies in package.json.', ({ from, specifier }) => {
      const importer = workspaces.find(({ folder }) => within(folder, from))
      const imported = workspaces.find(({ name }) => specifier.startsWith(`${name}/`))
      if (!importer || !imported || importer === imported) return false
      return !(imported.name in importer.dependencies || imported.name in importer.devDependencies)
    })
  })

  test('files do not import each other in a cycle', () => {
    const found = cyclesOf(edges.map(({ from, path }): Link => [from, path]))
    assert.deepEqual(found, [], 'Move what both need into a file of its own.')
  })
})

describe('every library with effects has one home', () => {
  const homes: readonly { rule: string; library: RegExp; home: RegExp; advice: string }[] = [
    {
      // Tests on Kafka bypass the log to damage its input; the floors are the log's baselines in benches. The local
      // cluster asks its own nodes whether their replicas are in sync, which the port doesn't expose.
      rule: 'SQLite and Kafka are reached only from packages/log and from rebuildable caches',
      library: /^(node:sqlite|kafkajs|@kafkajs\/.*)$/,
      home: /^packages\/log\/|^packages\/runtime\/(completions-file|completion-index\.test)\.ts$|^packages\/intake\/(content-file|unwritable-index\.test)\.ts$|^packages\/models\/vector-cache(\.test)?\.ts$|^test\/(kafka|bench\/(log|append|recall)\/floors)\/|^deploy\/kafka-local\/replicas\.ts$/,
      advice: 'Records go through the Log port (@loomlog/log/port), and state through its leases.',
    },
    {
      rule: 'LanceDB is reached only from packages/views, and by benches and tests that work on bare tables',
      library: /^(@lancedb\/lancedb|apache-arrow)$/,
      home: /^packages\/views\/|^test\/eval\/rederive\/floor\.ts$|^test\/bench\/recall\/floors\/bare-lance\.ts$|^test\/cli\/verify\.test\.ts$|^test\/faults\/damage-kinds\.ts$/,
      advice: 'Use @loomlog/views: only it writes tables and knows their columns.',
    },
    {
      rule: 'models and embedders are reached only from packages/models',
      library: /^(openai|@huggingface\/.*|onnxruntime-.*)$/,
      home: /^packages\/models\//,
      advice: 'Ask through a task (@loomlog/runtime/step), or take a model or an embedder from @loomlog/models.',
    },
    {
      rule: 'Avro is read and written only by the schemas and the log',
      library: /^avsc$/,
      home: /^(schemas|packages\/log)\//,
      advice: 'Events go through the one codec (@loomlog/schemas/codec), which will encrypt them.',
    },
    {
      rule: 'OpenTelemetry is used only in packages/telemetry',
      library: /^@opentelemetry\//,
      home: /^packages\/telemetry\//,
      advice: 'Use @loomlog/telemetry/spans, which costs nothing while no traces are configured.',
    },
    {
      rule: 'language libraries are used only in packages/language',
      library: /^(wink-.*|chrono-node|unhomoglyph)$/,
      home: /^packages\/language\//,
      advice: 'Use @loomlog/language, so that the same words are read the same way everywhere.',
    },
  ]

  for (const { rule, library, home, advice } of homes) {
    test(rule, () => {
      forbid(advice, (edge) => library.test(edge.external ?? '') && !home.test(edge.from))
    })
  }
})

/** A dependency of the first node on the second; null: one outside of the repository. */
type Link = readonly [from: string, to: string | null]

/** The cycles, each as a path; at least one if there are any. */
function cyclesOf(links: readonly Link[]): readonly string[] {
  const next = new Map<string, Set<string>>()
  for (const [from, to] of links) {
    if (to !== null && from !== to) next.set(from, (next.get(from) ?? new Set()).add(to))
  }
  const found: string[] = []
  const trail: string[] = []
  const seen = new Set<string>()
  const visit = (node: string): void => {
    seen.add(node)
    trail.push(node)
    for (const each of next.get(node) ?? []) {
      if (trail.includes(each)) found.push([...trail.slice(trail.indexOf(each)), each].join(' → '))
      else if (!seen.has(each)) visit(each)
    }
    trail.pop()
  }
  for (const node of next.keys()) if (!seen.has(node)) visit(node)
  return found
}

test('imports are found in every syntax of imports', () => {
  const text = [
    "import a from 'a'",
    "import b, { type B } from 'b'",
    "import * as c from 'c'",
    'import {',
    '  d,',
    "} from 'd'",
    "import type { E } from 'e'",
    "import 'f'",
    "export * from 'g'",
    "export type { H } from 'h'",
    "const i = await import('i')",
    "const j = require('j')",
    "const k = new Worker(new URL('./k.ts', import.meta.url))",
    "export const text = `select x from 'no'`",
    "// import n from 'no'",
  ].join('\n')
  assert.deepEqual([...specifiersIn(text)].sort(), ['./k.ts', ...'abcdefghij'])
})
