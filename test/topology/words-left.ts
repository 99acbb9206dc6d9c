/**
 * The files that still break a rule of `wording.ts`, as `prose PATH` and `names PATH` in `words-left.txt`. A ratchet: run as a program
 * (`npm run words`), it takes off the files that are clean or gone, and adds none.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { sources } from './sources.ts'
import { judged, nameFaults, proseFaults } from './wording.ts'

type Faults = ReadonlyMap<string, readonly string[]>
type Kind = 'prose' | 'names'

const kinds = ['prose', 'names'] as const
const file = `${import.meta.dirname}/words-left.txt`
const lines = readFileSync(file, 'utf8').split('\n')

const faultsIn = (paths: readonly string[], faultsOf: (path: string) => readonly string[]): Faults =>
  new Map(paths.map((path) => [path, faultsOf(path)] as const).filter(([, found]) => found.length > 0))

const pathsLeft = (kind: Kind): ReadonlySet<string> =>
  new Set(lines.filter((line) => line.startsWith(`${kind} `)).map((line) => line.slice(kind.length + 1)))

export const faults: { readonly [kind in Kind]: Faults } = {
  prose: faultsIn(judged, proseFaults),
  names: faultsIn(sources, nameFaults),
}

export const left = { prose: pathsLeft('prose'), names: pathsLeft('names') }

if (import.meta.main) {
  const kept = kinds.flatMap((kind) =>
    [...left[kind]].filter((path) => faults[kind].has(path)).map((path) => `${kind} ${path}`),
  )
  writeFileSync(file, kept.map((line) => `${line}\n`).join(''))
}
