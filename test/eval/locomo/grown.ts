/**
 * Conversations in LoCoMo's form, made shorter or longer: the first sessions of one, and behind them those of the others, which are
 * numbered on. What is known of the first ones stays true, and more and more stands beside it.
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

/** One for each of the samples, with that many sessions, or as many as there are in all of them. */
export function grown(samples: readonly RawSample[], sessions: number): readonly RawSample[] {
  return samples.map((sample) => {
    const others = samples.filter((other) => other !== sample)
    const taken = [sample, ...others].flatMap(sessionsOf).slice(0, sessions)
    const numbered = taken.flatMap(({ date, turns }, index) => [
      [`session_${index + 1}_date_time`, date],
      [`session_${index + 1}`, turns.map((turn) => ({ ...turn, dia_id: numberedOn(turn.dia_id, index + 1) }))],
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

/** "D4:12" of what is session 30 now is "D30:12". */
function numberedOn(id: string, session: number): string {
  return id.replace(/^D\d+/, `D${session}`)
}
