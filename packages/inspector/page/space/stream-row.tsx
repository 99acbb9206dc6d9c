/** A row of a conversation: the head of a box, the open box, or an utterance with the facts that cite it. */
import { memo, useEffect } from 'react'
import { whyLink } from '../page-places.ts'
import { clockText, momentText, plural } from '../parts/words.ts'
import type { Box, Fact } from './memory.ts'
import { isSameRow, type StreamRow } from './stream-rows.ts'
import { useSnapshot, useSpace } from './use-space.tsx'

interface OfRow {
  readonly row: StreamRow
}

export const StreamRowView = memo(({ row }: OfRow) => {
  switch (row.kind) {
    case 'box':
      return <BoxHead box={row.box} isFresh={row.isFresh} />
    case 'open':
      return (
        <div className="box-head is-open">
          <h3>Open box</h3>
          <p>{plural(row.utterances, 'utterance')} so far: its facts follow once it is sealed</p>
        </div>
      )
    case 'utterance':
      return <UtteranceRow row={row} />
  }
}, isSame)

function isSame(before: OfRow, after: OfRow): boolean {
  return isSameRow(before.row, after.row)
}

const cuts: { readonly [cut: string]: string } = {
  shift: 'sealed at a topic shift',
  gap: 'sealed at a gap in time',
  size: 'sealed at its most utterances',
  tokens: 'sealed at its most tokens',
  pause: 'sealed after a pause',
}

/** The views follow the feed after this time. */
const viewsLagMs = 500

function BoxHead({ box, isFresh }: { readonly box: Box; readonly isFresh: boolean }) {
  const { space, readBox } = useSpace()
  const { id, topic, cut, method, startedAt, sources } = box
  const isKnown = cut !== null
  useEffect(() => {
    if (isKnown) return
    const ended = new AbortController()
    // A box that was retired meanwhile, or is in no view yet, stays as the feed has it.
    const timer = setTimeout(() => readBox(id, ended.signal).catch(() => undefined), viewsLagMs)
    return () => {
      clearTimeout(timer)
      ended.abort()
    }
  }, [id, isKnown, readBox])
  return (
    <div className={isFresh ? 'box-head is-fresh' : 'box-head'}>
      <h3>
        <a href={whyLink(space, id)}>{topic}</a>
      </h3>
      <p>
        {momentText(startedAt)} · {plural(sources.length, 'utterance')}
        {cut !== null && ` · ${cuts[cut] ?? cut}`}
        {method !== null && ` · decided by ${method}`}
      </p>
    </div>
  )
}

function UtteranceRow({ row }: { readonly row: Extract<StreamRow, { kind: 'utterance' }> }) {
  const { space } = useSpace()
  const { utterance, facts, isFresh } = row
  const { id, speaker, role, text, at } = utterance
  return (
    <div className={isFresh ? 'said is-fresh' : 'said'}>
      <div className="words">
        <p className="by">
          <span className={`speaker is-${role}`}>{speaker}</span>
          {role !== 'human' && <span className="role">{role}</span>}
          <a href={whyLink(space, id)} aria-label={`Effects of the utterance at ${clockText(at)}`}>
            <time dateTime={new Date(at).toISOString()}>{clockText(at)}</time>
          </a>
        </p>
        <p>{text}</p>
      </div>
      {facts.length > 0 && (
        <ul className="facts" aria-label="Facts from it">
          {facts.map((fact) => (
            <FactLine key={fact.id} fact={fact} />
          ))}
        </ul>
      )}
    </div>
  )
}

const retirements: { readonly [because: string]: string } = {
  corrected: 'corrected',
  undone: 'undone',
  superseded: 'superseded',
  merged: 'merged',
  switched: 'not in this generation',
}

function FactLine({ fact }: { readonly fact: Fact }) {
  const { space } = useSpace()
  const { fresh } = useSnapshot()
  const { id, text, type, when, retired, correctedBy } = fact
  const classes = ['fact', ...(retired === null ? [] : ['is-retired']), ...(fresh.has(id) ? ['is-fresh'] : [])]
  return (
    <li className={classes.join(' ')}>
      <a href={whyLink(space, id)}>{text}</a>
      <span className="about">
        {type}
        {when !== null && ` · ${when.text}`}
        {correctedBy !== null && ` · stated by ${correctedBy}`}
        {retired !== null && <strong> · {retirements[retired] ?? 'retired'}</strong>}
      </span>
    </li>
  )
}
