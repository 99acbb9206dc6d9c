/** Generations: the live one, those beside it with their progress, and their differences. */
import { path } from '@loomlog/client/loomlog-client'
import { Failure, Waiting } from '../parts/notices.tsx'
import { useReply } from '../parts/use-reply.ts'
import { useTick } from '../parts/use-tick.ts'
import { countText, durationText, momentText, plural } from '../parts/words.ts'
import type { Session } from '../session.ts'
import { type Generation, GenerationActs } from './generation-acts.tsx'
import { PlanForm } from './generation-plan.tsx'

const refreshMs = 3_000

export function GenerationsPage({ session }: { readonly session: Session }) {
  const [tick, readAgain] = useTick(refreshMs)
  const reply = useReply(() => session.client.list<Generation>('/v1/generations', 'generations'), [session, tick])
  if (reply.state === 'failed') return <Failure error={reply.error} />
  if (reply.state === 'waiting') return <Waiting what="the generations" />
  const { items } = reply.value
  const live = items.find(({ liveFor }) => liveFor.includes('everyone'))
  return (
    <main className="page">
      <h1>Generations</h1>
      <p className="about">
        A generation is the memory by one set of prompts, models and settings. Another one is derived beside the live
        one, compared with it, and promoted.
      </p>
      <ul className="generations">
        {items.toReversed().map((each) => (
          <GenerationCard
            key={each.id}
            generation={each}
            live={live?.id ?? null}
            session={session}
            tick={tick}
            onChange={readAgain}
          />
        ))}
      </ul>
      <PlanForm session={session} onStart={readAgain} />
    </main>
  )
}

interface Details {
  readonly progress: readonly { readonly name: string; readonly position: number; readonly end: number }[]
  readonly leftMs: number | null
}

interface OfCard {
  readonly generation: Generation
  readonly live: string | null
  readonly session: Session
  readonly tick: number
  readonly onChange: () => void
}

function GenerationCard({ generation, live, session, tick, onChange }: OfCard) {
  const { id, name, status, liveFor, chosen, definedAt } = generation
  const reply = useReply(
    (signal) => session.client.get<Details>(path`/v1/generations/${id}`, {}, { signal }),
    [session, id, Math.floor(tick / 2)],
  )
  const { progress, leftMs } = reply.value ?? { progress: [], leftMs: null }
  const done = progress.reduce((sum, { position }) => sum + position, 0)
  const all = progress.reduce((sum, { end }) => sum + end, 0)
  return (
    <li className={liveFor.length > 0 ? 'is-live' : undefined}>
      <h2>
        {name ?? id} <span className="about">{name === null ? '' : id}</span>
      </h2>
      <p className="about">
        {liveFor.length > 0 ? `live for ${liveFor.join(', ')}` : status} · defined {momentText(definedAt)}
        {Object.entries(chosen).map(([key, value]) => ` · ${key} = ${value}`)}
      </p>
      {status === 'running' && reply.state === 'here' && (
        <p className="budget">
          <meter aria-label="Progress" min={0} max={Math.max(1, all)} value={done} />
          {countText(done)} of {plural(all, 'record')}
          {leftMs !== null && leftMs > 0 && `, ${durationText(leftMs)} left`}
        </p>
      )}
      <GenerationActs
        generation={generation}
        isComplete={reply.state === 'here' && done >= all}
        live={live}
        session={session}
        onChange={onChange}
      />
    </li>
  )
}
