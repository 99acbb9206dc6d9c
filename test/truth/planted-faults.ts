/**
 * Faults of a careless memory, planted into the source as it is loaded: the examples, or the measures of the corpus,
 * must find each of them. The modules of the entry's package are loaded a second time, beside the unmodified ones; with
 * an entry among the tests, all modules of the repository are. A fault whose source text has changed is an error, so
 * that no test passes without its fault.
 */
import { registerHooks } from 'node:module'

export interface PlantedFault {
  readonly name: string
  /**
   * The module that the examples use, and the module with the fault, by their paths from the root of the repository.
   */
  readonly entry: string
  readonly file: string
  readonly changes: readonly (readonly [now: RegExp, then: string])[]
}

const plainFigures = 'test/truth/plain-figures.ts'
const plainStatements = 'packages/language/plain-statements.ts'
const isInTime = [/\.filter\(\(statement\) => isInTime[^\n]*/, ''] as const

/** Faults that the examples find. */
export const plantedFaults: { readonly [fault in 'habits' | 'negation' | 'order' | 'irony' | 'year']: PlantedFault } = {
  habits: {
    name: 'a habit gets a date',
    entry: 'packages/language/restate.ts',
    file: 'packages/language/time-reading.ts',
    changes: [[/'(?:habit|yearly|unclear)'$/gm, "'date'"]],
  },
  negation: {
    name: 'a negation is dropped',
    entry: 'packages/language/restate.ts',
    file: 'packages/language/restate/prose.ts',
    changes: [
      [/const kept: string\[\] = \[\]/, String.raw`$&; text = text.replaceAll(/\b(?:do not|never said that) /g, '')`],
    ],
  },
  irony: {
    name: 'irony and fiction become facts',
    entry: plainStatements,
    file: plainStatements,
    changes: [
      [/if \(isDoubtfulMessage[^\n]*\n/, '\n'],
      [/&& !endingInDoubt\.test\(rest\)/, ''],
    ],
  },
  year: {
    name: 'a date a year off becomes a fact',
    entry: plainStatements,
    file: plainStatements,
    changes: [isInTime],
  },
  order: {
    name: 'the older value wins',
    entry: 'packages/recall/recall.ts',
    file: 'packages/recall/search/stated-changes.ts',
    changes: [[/byTime\(a\.memory, b\.memory\)/, 'byTime(b.memory, a.memory)']],
  },
}

/** Faults that the measures of the corpus find. */
export const measuredFaults: { readonly [fault in 'person' | 'hearsay' | 'tool' | 'year']: PlantedFault } = {
  person: {
    name: 'a person changes the statement of another one',
    entry: plainFigures,
    file: 'packages/language/change.ts',
    changes: [[/ && speaker === later\.speaker/, '']],
  },
  hearsay: {
    name: 'hearsay changes a statement',
    entry: plainFigures,
    file: 'packages/language/change.ts',
    changes: [[/\|says\?\|said\|told\|heard\|apparently/, '']],
  },
  tool: {
    name: 'the output of a tool is an instruction',
    entry: plainFigures,
    file: 'packages/recall/context/standing-instructions.ts',
    changes: [[/and\(conditionOf\(scope\), equals\('role', 'human'\), /, 'and(conditionOf(scope), ']],
  },
  year: { name: 'a date a year off becomes a fact', entry: plainFigures, file: plainStatements, changes: [isInTime] },
}

const root = new URL('../../', import.meta.url)
const parameter = 'planted'

/** The folder of the modules that are loaded a second time. */
function reloadedFolder(entry: string): string {
  return entry.startsWith('test/') ? root.href : new URL(`${entry.split('/').slice(0, 2).join('/')}/`, root).href
}

/** The entry module, with the fault. */
export async function importWithFault<T>({ name, entry, file, changes }: PlantedFault): Promise<T> {
  const faulty = new URL(file, root).href
  let wasPlanted = false
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context)
      const parent = context.parentURL === undefined ? null : new URL(context.parentURL).searchParams.get(parameter)
      const isOwn = found.url.startsWith(reloadedFolder(entry)) && !found.url.includes('/node_modules/')
      if (parent === null || !isOwn) return found
      return { ...found, url: `${found.url}?${parameter}=${encodeURIComponent(parent)}` }
    },
    load(url, context, next) {
      const found = next(url, context)
      if (url.split('?')[0] !== faulty || !url.includes('?')) return found
      const source = changes.reduce((text, [now, then]) => {
        if (text.search(now) < 0) throw new Error(`${name}: nothing in ${file} matches ${now}`)
        return text.replace(now, then)
      }, String(found.source))
      wasPlanted = true
      return { ...found, source }
    },
  })
  try {
    const module = await import(`${new URL(entry, root).href}?${parameter}=${encodeURIComponent(name)}`)
    if (!wasPlanted) throw new Error(`${name}: ${entry} does not load ${file}`)
    return module as T
  } finally {
    hooks.deregister()
  }
}
