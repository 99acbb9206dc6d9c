import assert from 'node:assert/strict'
import test, { describe } from 'node:test'
import { folderOf, importsOf, isTest, reachedFrom, sources, stages, textOf, withoutComments } from './sources.ts'

/** The files of a processor that decide; whatever they lead to decides as well. */
const deciding = ['step.ts', 'state.ts', 'tasks.ts', 'local.ts', 'processor.ts']

/** What a deciding file may lead to, beside its own folder. */
const pure = [
  /^packages\/language\//,
  /^packages\/corrections\/bans\.ts$/,
  /^packages\/errors\//,
  /^packages\/runtime\/(step|task|processor)\.ts$/,
  /^schemas\/(ids|words|events)\.ts$/,
  /^schemas\/generated\//,
  /^topics\/catalogue\.ts$/,
]

/** Libraries that compute and do nothing else; hashing is for ids. */
const pureLibraries: { readonly [library: string]: RegExp } = {
  'chrono-node': /^packages\/language\//,
  'wink-nlp': /^packages\/language\//,
  'wink-eng-lite-web-model': /^packages\/language\//,
  'node:crypto': /^schemas\/ids\.ts$/,
}

const impureWords: readonly { pattern: RegExp; what: string }[] = [
  { pattern: /\bDate\.now\b|\bnew Date\(\s*\)|\bDate\(\s*\)|\bTemporal\.Now\b/, what: 'the clock' },
  { pattern: /\bperformance\.|\bprocess\.|\bhrtime\b/, what: 'the process' },
  { pattern: /\bMath\.random\b|\brandomUUID\b|\brandomBytes\b|\bgetRandomValues\b/, what: 'chance' },
  {
    pattern: /\bset(Timeout|Interval|Immediate)\b|\bqueueMicrotask\b|\bawait\s+[\w(]|\basync\s*[\w(*]|\bPromise[.<(]/,
    what: 'waiting',
  },
  { pattern: /\bfetch\(|\bconsole\./, what: 'I/O' },
  { pattern: /\.(get|set)(Date|Day|Month|FullYear|Hours|Minutes|TimezoneOffset)\(/, what: "the machine's time zone" },
  { pattern: /\btoLocale\w*\(|\blocaleCompare\(|\bIntl\./, what: "the machine's locale" },
]

function decidingFiles(stage: string): readonly string[] {
  const own = deciding.map((file) => `services/${stage}/${file}`).filter((path) => sources.includes(path))
  return [...reachedFrom(own)]
}

const language = sources.filter((path) => folderOf(path) === 'packages/language' && !isTest(path))

/** Why each of these files may not take part in a decision. */
function faults(paths: readonly string[], home: string): readonly string[] {
  return paths.flatMap((path) => {
    if (folderOf(path) !== home && !pure.some((allowed) => allowed.test(path))) return [`${path} is reached`]
    if (!path.endsWith('.ts')) return []
    const outside = importsOf(path).flatMap(({ external }) =>
      external === null || pureLibraries[external]?.test(path) ? [] : [`${path} imports ${external}`],
    )
    const code = withoutComments(textOf(path))
    const words = impureWords.filter(({ pattern }) => pattern.test(code)).map(({ what }) => `${path} uses ${what}`)
    return [...outside, ...words]
  })
}

const advice =
  'A step decides from its event, its keyed records and its asks, so that a replay decides the same: let time arrive as data, ' +
  'ids be derived, and everything else be asked for. If what is reached is pure, add it to the list in this test.'

describe('deciding is pure: no I/O, clock, chance, locale or time zone', () => {
  for (const stage of stages) {
    test(`in ${stage}`, () => {
      assert.deepEqual(faults(decidingFiles(stage), `services/${stage}`), [], advice)
    })
  }

  test('in packages/language, which the rules are made of', () => {
    assert.deepEqual(faults([...reachedFrom(language)], 'packages/language'), [], advice)
  })
})
