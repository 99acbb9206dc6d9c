import assert from 'node:assert/strict'
import test, { describe } from 'node:test'
import { importsOf, sources } from './sources.ts'

/** Type-only imports count: a file that needs another file's types cannot be read without it. */
const imports = new Map(
  sources.map((from) => {
    const paths = importsOf(from).flatMap(({ path }) => (path === null || path === from ? [] : [path]))
    return [from, new Set(paths)] as const
  }),
)

/** Groups of files that all reach each other: the strongly connected components, by Tarjan's algorithm. */
function circles(graph: ReadonlyMap<string, ReadonlySet<string>>): readonly (readonly string[])[] {
  const found: string[][] = []
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const open: string[] = []
  const visit = (file: string): void => {
    order.set(file, order.size)
    lowest.set(file, order.size - 1)
    open.push(file)
    for (const next of graph.get(file) ?? []) {
      if (!order.has(next)) visit(next)
      else if (!open.includes(next)) continue
      lowest.set(file, Math.min(lowest.get(file) ?? 0, lowest.get(next) ?? 0))
    }
    if (lowest.get(file) !== order.get(file)) return
    const group = open.splice(open.indexOf(file))
    if (group.length > 1) found.push(group.sort())
  }
  for (const file of graph.keys()) if (!order.has(file)) visit(file)
  return found.sort()
}

describe('no file leads back to itself through its imports', () => {
  test('there is no circle', () => {
    const advice = 'Move the type or function that both files need into a file of its own below them.'
    assert.deepEqual(circles(imports), [], advice)
  })

  test('circles are found, and files that only lead to one are not part of it', () => {
    const graph = { a: ['b'], b: ['c'], c: ['d', 'b'], d: [], e: ['f'], f: ['e', 'd'] }
    const sets = new Map(Object.entries(graph).map(([file, paths]) => [file, new Set(paths)]))
    assert.deepEqual(circles(sets), [
      ['b', 'c'],
      ['e', 'f'],
    ])
  })
})
