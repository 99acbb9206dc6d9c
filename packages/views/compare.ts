/**
 * Compares two canonical dumps of a table, row by row. Both are in the order of space and id, so they are read side by
 * side and never held in memory whole.
 */
export interface Difference {
  readonly space: string
  readonly id: string
  /** `missing`: expected and not found; `unexpected`: found and not expected. */
  readonly what: 'missing' | 'unexpected' | 'differs'
  /** The fields that differ; a removed row has none but `deleted`. */
  readonly fields: readonly string[]
}

type Line = { readonly space: string; readonly id: string; readonly [field: string]: unknown }

export async function* compareDumps(
  found: AsyncIterable<string>,
  expected: AsyncIterable<string>,
): AsyncGenerator<Difference> {
  const left = found[Symbol.asyncIterator]()
  const right = expected[Symbol.asyncIterator]()
  const next = async (lines: AsyncIterator<string>) => {
    const { value, done } = await lines.next()
    return done ? null : (value as string)
  }
  let [a, b] = [await next(left), await next(right)]
  while (a !== null || b !== null) {
    const order = a === b ? 0 : orderOf(a, b)
    if (order === 0 && a !== b) yield differenceOf(JSON.parse(a ?? '') as Line, JSON.parse(b ?? '') as Line)
    if (order < 0) yield { ...identity(a), what: 'unexpected', fields: [] }
    if (order > 0) yield { ...identity(b), what: 'missing', fields: [] }
    if (order <= 0) a = await next(left)
    if (order >= 0) b = await next(right)
  }
}

/** Below 0: the row of `a` comes first, or `b` is at its end. */
function orderOf(a: string | null, b: string | null): number {
  if (a === null) return 1
  if (b === null) return -1
  const [x, y] = [identity(a), identity(b)]
  return (
    Buffer.compare(Buffer.from(x.space), Buffer.from(y.space)) || Buffer.compare(Buffer.from(x.id), Buffer.from(y.id))
  )
}

function identity(line: string | null): { readonly space: string; readonly id: string } {
  const { space, id } = JSON.parse(line ?? '') as Line
  return { space, id }
}

function differenceOf(a: Line, b: Line): Difference {
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])]
  const fields = names.filter((name) => JSON.stringify(a[name]) !== JSON.stringify(b[name]))
  return { space: a.space, id: a.id, what: 'differs', fields }
}
