/** How long the parts of a trial take, as figures that `--json` writes. */
export interface Figures {
  [name: string]: number
}

/** Prints how long the work takes, and notes it in the figures. */
export async function timed<T>(figures: Figures, name: string, work: () => Promise<T>): Promise<T> {
  const start = performance.now()
  const result = await work()
  figures[`${name} s`] = Math.round((performance.now() - start) / 100) / 10
  console.log(`${name}: ${figures[`${name} s`]} s`)
  return result
}
