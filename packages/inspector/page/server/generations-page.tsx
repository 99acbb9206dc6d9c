/** Generations: the live one, those beside it with their progress, and their differences. */
import { path } from '@loomlog/client/loomlog-client'
import { useEffect, useState } from 'react'
import { Failure, Waiting } from '../parts/notices.tsx'
import { useReply } from '../parts/use-reply.ts'
import { countText, durationText, momentText, plural } from '../parts/words.ts'
import type { Session } from '../session.ts'
import { type Generation, GenerationActs } from './generation-acts.tsx'
import { PlanForm } from './generation-plan.tsx'

const refreshMs = 3_000

export function GenerationsPage({ session }: { readonly session: Session }) {
  const [tick, setTick] = useState(0)
  const readAgain = () => setTick((before) => before + 1)
  useEffect(() => {
    const timer = setInterval(() => !document.hidden && setTick((before) => before + 1), refreshMs)
    return () => clearInterval(timer)
  }, [])
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
          <li key={each.id} className={each.liveFor.length > 0 ? 'is-live' : undefined}>
            <h2>
              {each.name ?? each.id} <span className="about">{each.name === null ? '' : each.id}</span>
            </h2>
            <p className="about">
              {each.liveFor.length > 0 ? `live for ${each.liveFor.join(', ')}` : each.status} · defined{' '}
              {momentText(each.definedAt)}
              {Object.entries(each.chosen).map(([key, value]) => ` · ${key} = ${value}`)}
            </p>
            {each.status === 'running' && <GenerationProgress id={each.id} session={session} tick={tick} />}
            <GenerationActs generation={each} live={live?.id ?? null} session={session} onChange={readAgain} />
          </li>
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

interface OfProgress {
  readonly id: string
  readonly session: Session
  readonly tick: number
}

function GenerationProgress({ id, session, tick }: OfProgress) {
  const reply = useReply(
    (signal) => session.client.get<Details>(path`/v1/generations/${id}`, {}, { signal }),
    [session, id, Math.floor(tick / 2)],
  )
  if (reply.state !== 'here') return null
  const { progress, leftMs } = reply.value
  const done = progress.reduce((sum, { position }) => sum + position, 0)
  const all = progress.reduce((sum, { end }) => sum + end, 0)
  return (
    <p className="budget">
      <meter aria-label="Progress" min={0} max={Math.max(1, all)} value={done} />
      {countText(done)} of {plural(all, 'record')}
      {leftMs !== null && leftMs > 0 && `, ${durationText(leftMs)} left`}
    </p>
  )
}
