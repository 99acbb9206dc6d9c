/**
 * Conversations in LoCoMo's format, shortened or extended: the first sessions of one, followed by the renumbered
 * sessions of the others. The evidence of the first sessions stays valid while the space grows.
 */
interface RawTurn {
  readonly dia_id: string
}

export interface RawSample {
  readonly sample_id: string
  readonly conversation: { readonly [key: string]: unknown }
  readonly qa: readonly object[]
}

interface Session {
  readonly date: unknown
  readonly turns: readonly RawTurn[]
}

/** Each sample with this number of sessions, or with all sessions of all samples. */
export function growTo(samples: readonly RawSample[], sessions: number): readonly RawSample[] {
  return samples.map((sample) => {
    const others = samples.filter((other) => other !== sample)
    const taken = [sample, ...others].flatMap(sessionsOf).slice(0, sessions)
    const numbered = taken.flatMap(({ date, turns }, index) => [
      [`session_${index + 1}_date_time`, date],
      [`session_${index + 1}`, turns.map((turn) => ({ ...turn, dia_id: renumbered(turn.dia_id, index + 1) }))],
    ])
    return { ...sample, sample_id: grownId(sample.sample_id, sessions), conversation: Object.fromEntries(numbered) }
  })
}

export function grownId(sample: string, sessions: number): string {
  return `${sample}-of-${sessions}`
}

function sessionsOf({ conversation }: RawSample): readonly Session[] {
  return Object.keys(conversation)
    .flatMap((key) => /^session_(\d+)$/.exec(key)?.[1] ?? [])
    .sort((a, b) => Number(a) - Number(b))
    .map((session) => ({
      date: conversation[`session_${session}_date_time`],
      turns: conversation[`session_${session}`] as readonly RawTurn[],
    }))
}

/** Turn "D4:12" in session 30 gets the id "D30:12". */
function renumbered(id: string, session: number): string {
  return id.replace(/^D\d+/, `D${session}`)
}
