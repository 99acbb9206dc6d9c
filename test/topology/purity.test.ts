import assert from 'node:assert/strict'
import test, { describe } from 'node:test'
import {
  folderOf,
  importClosure,
  importsOf,
  isTest,
  sources,
  stageFolders,
  textOf,
  withoutComments,
} from './sources.ts'

/** The deciding files of a processor. Every file that they import, directly or not, decides, too. */
const deciding = ['step.ts', 'state.ts', 'tasks.ts', 'local.ts', 'processor.ts']

/** The files that a deciding file may import from outside of its folder. */
const pure = [
  /^packages\/language\//,
  /^packages\/corrections\/(bans|fact-id)\.ts$/,
  /^packages\/errors\//,
  // An emptied cache changes no result.
  /^packages\/text-caches\//,
  /^packages\/runtime\/(step|processor|stage-kit\/[a-z-]+)\.ts$/,
  /^schemas\/(ids|utterance-text|events)\.ts$/,
  /^schemas\/generated\//,
  /^topics\/catalogue\.ts$/,
]

/** Libraries without side effects, each with the folder that may use it. */
const pureLibraries: { readonly [library: string]: RegExp } = {
  'chrono-node': /^packages\/language\//,
  unhomoglyph: /^packages\/language\//,
  eld: /^packages\/language\/language\.ts$/,
  'wink-nlp': /^packages\/language\//,
  'wink-eng-lite-web-model': /^packages\/language\//,
  'node:crypto': /^schemas\/ids\.ts$/,
  // These load wink and eld at their first use.
  'node:module': /^packages\/language\/(words|language)\.ts$/,
  'node:url': /^packages\/language\/language\.ts$/,
}

const impureWords: readonly { pattern: RegExp; effect: string }[] = [
  { pattern: /\bDate\.now\b|\bnew Date\(\s*\)|\bDate\(\s*\)|\bTemporal\.Now\b/, effect: 'the clock' },
  { pattern: /\bperformance\.|\bprocess\.|\bhrtime\b/, effect: 'the process' },
  { pattern: /\bMath\.random\b|\brandomUUID\b|\brandomBytes\b|\bgetRandomValues\b/, effect: 'randomness' },
  {
    pattern: /\bset(Timeout|Interval|Immediate)\b|\bqueueMicrotask\b|\bawait\s+[\w(]|\basync\s*[\w(*]|\bPromise[.<(]/,
    effect: 'waiting',
  },
  { pattern: /\bfetch\(|\bconsole\./, effect: 'I/O' },
  { pattern: /\.(get|set)(Date|Day|Month|FullYear|Hours|Minutes|TimezoneOffset)\(/, effect: "the machine's time zone" },
  { pattern: /\btoLocale\w*\(|\blocaleCompare\(|\bIntl\./, effect: "the machine's locale" },
]

function decidingFiles(folder: string): readonly string[] {
  const own = deciding.map((file) => `${folder}/${file}`).filter((path) => sources.includes(path))
  return [...importClosure(own)]
}

const language = sources.filter((path) => folderOf(path) === 'packages/language' && !isTest(path))

/** Imports and words that make these files impure. */
function faults(paths: readonly string[], home: string): readonly string[] {
  return paths.flatMap((path) => {
    if (folderOf(path) !== home && !pure.some((allowed) => allowed.test(path))) return [`${path} is reached`]
    if (!path.endsWith('.ts')) return []
    const outside = importsOf(path).flatMap(({ external }) =>
      external === null || pureLibraries[external]?.test(path) ? [] : [`${path} imports ${external}`],
    )
    const code = withoutComments(textOf(path))
    const words = impureWords.filter(({ pattern }) => pattern.test(code)).map(({ effect }) => `${path} uses ${effect}`)
    return [...outside, ...words]
  })
}

const advice =
  'A step decides from its event, its keyed records and its asks, so that a replay decides the same. Pass time as data, derive ids, ' +
  'and ask for everything else. If the imported file is pure, add it to the list in this test.'

describe('deciding code has no I/O, clock, randomness, locale or time zone', () => {
  for (const folder of stageFolders) {
    test(`in ${folder}`, () => {
      assert.deepEqual(faults(decidingFiles(folder), folder), [], advice)
    })
  }

  test('in packages/language, which the rules use', () => {
    assert.deepEqual(faults([...importClosure(language)], 'packages/language'), [], advice)
  })
})
