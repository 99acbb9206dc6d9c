/**
 * Bugs that are put into the source as it is loaded, some of them old ones of this repository: the simulator must find
 * every one. If the source text has changed, planting the bug is an error, so that no test passes without its bug.
 */
import { registerHooks } from 'node:module'

export interface PlantedBug {
  readonly name: string
  /** The commit that repaired it; left out: a bug that the code never had. */
  readonly repairedIn?: string
  /**
   * The first seed of a search that finds the bug soon, and the maximum number of histories: more than the search needs
   * today.
   */
  readonly seed: number
  readonly histories: number
  /** In packages. */
  readonly file: string
  readonly changes: readonly (readonly [now: string | RegExp, then: string])[]
}

export const plantedBugs: readonly PlantedBug[] = [
  {
    name: 'a lane loses the work that is added between its last check and its end',
    repairedIn: 'f4e8617',
    seed: 60,
    histories: 600,
    file: 'runtime/lanes.ts',
    changes: [
      [
        'void this.#runOn(space, lane, waiting, done)',
        'void this.#runOn(space, lane, waiting, done).then(() => this.#close(space, lane))',
      ],
      [
        /(while \(waiting\.length > 0\) await this\.#one\(waiting\.shift\(\) as LaneWork\))[^}]*?this\.#close\(space, lane\)/,
        '$1',
      ],
    ],
  },
  {
    name: 'a fenced owner ends without a report',
    repairedIn: 'e00f630',
    seed: 260,
    histories: 600,
    file: 'runtime/lease-run-end.ts',
    changes: [['if (!this.signal.aborted || isLoomlogError(error))', 'if (!this.signal.aborted)']],
  },
  {
    name: 'a batch of already handled records leaves the position behind',
    repairedIn: '63e7d63',
    seed: 5_000,
    histories: 600,
    file: 'runtime/read-loop.ts',
    changes: [[/(ledger\.endBatch\(records\)\n)[^}]*?changes\.notify\(\)\n/, '$1']],
  },
  {
    name: 'a forgetting keeps the state of its space',
    seed: 1,
    histories: 200,
    file: 'runtime/input.ts',
    changes: [['for (const prefix of keys.prefixes) this.#overlay.deleteAll(entry.writes, prefix)', '']],
  },
  {
    name: 'a forgetting overtakes earlier records of its space',
    seed: 1,
    histories: 600,
    file: 'runtime/read-loop.ts',
    changes: [
      ['isRestart ? ledger.holds(space) : ', ''],
      ['isRestart ? !ledger.holds(space) : ', ''],
    ],
  },
  {
    name: 'an answer that is used after a forgetting is recorded before it only',
    seed: 1,
    histories: 200,
    file: 'runtime/answers.ts',
    changes: [['await completions.record(space, { ...known, since: asker.since })', '']],
  },
  {
    name: 'a view keeps the rows from before a forgetting',
    seed: 1,
    histories: 200,
    file: 'views/project.ts',
    changes: [['[...tables].map((table) => ({ table, change }))', '[]']],
  },
]

/** Installed before any module of the runtime is loaded. */
export function plantBug({ file, changes }: PlantedBug): void {
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context)
      if (!url.endsWith(`/packages/${file}`)) return loaded
      let source = String(loaded.source)
      for (const [now, then] of changes) {
        const changed = source.replace(now, then)
        if (changed === source) throw new Error(`${file} no longer holds ${now}: plant the bug where it belongs now`)
        source = changed
      }
      return { ...loaded, source }
    },
  })
}
