/** Tokens and money: in total, day by day for each stage, prompt and model, and by space. */
import { Failure } from '../parts/notices.tsx'
import { useReply } from '../parts/use-reply.ts'
import { countText, plural } from '../parts/words.ts'
import type { OfPart } from './operations-page.tsx'
import { Section, Table } from './table.tsx'

interface Sum {
  readonly asks: number
  readonly inputTokens: number
  readonly outputTokens: number
  /** Null: a model has no price. */
  readonly money: number | null
}

interface Account extends Sum {
  readonly tenant: string
  readonly space: string
  readonly stage: string
  readonly task: string
  readonly prompt: string
  readonly model: string
}

interface DaySum extends Sum {
  /** As 2026-03-01, UTC. */
  readonly day: string
  readonly stage: string
  readonly prompt: string
  readonly model: string
}

interface Usage {
  readonly total: Sum
  readonly today: Sum
  readonly days: readonly DaySum[]
  readonly accounts: readonly Account[]
  readonly isComplete: boolean
}

const dayMs = 86_400_000
const daysShown = 30

export function UsageSection({ session, tick }: OfPart) {
  const reply = useReply((signal) => session.client.get<Usage>('/v1/usage', {}, { signal }), [session, tick])
  if (reply.state === 'failed') return <Failure error={reply.error} />
  if (reply.state === 'waiting') return null
  const { total, today, days, accounts, isComplete } = reply.value
  return (
    <Section title="Tokens and money">
      {accounts.length === 0 ? (
        <p className="hint">No answer is recorded: rules derive this memory.</p>
      ) : (
        <>
          <p className="about">
            Total: {sumText(total)}. Today: {sumText(today)}.
          </p>
          {!isComplete && (
            <p className="hint">
              There are too many to list: the tables lack the oldest days, or spaces with few tokens.
            </p>
          )}
          <Table head={['Stage', 'Prompt', 'Model', 'Last 30 days', '#Answers', '#Tokens', '#Money']}>
            {[...Map.groupBy(days, ({ stage, prompt, model }) => `${stage} ${prompt} ${model}`)].map(([name, of]) => (
              <DaysRow key={name} days={of} />
            ))}
          </Table>
          <Table head={['Space', 'Stage', 'Task', 'Prompt', 'Model', '#Answers', '#Tokens', '#Money']}>
            {accounts.map((each) => (
              <tr key={keyOf(each)}>
                <th scope="row">{each.space}</th>
                <td>{each.stage}</td>
                <td>{each.task}</td>
                <td>
                  <Prompt prompt={each.prompt} />
                </td>
                <td>{each.model}</td>
                <Sums sum={each} />
              </tr>
            ))}
          </Table>
        </>
      )}
    </Section>
  )
}

function keyOf({ tenant, space, stage, task, prompt, model }: Account): string {
  return JSON.stringify([tenant, space, stage, task, prompt, model])
}

/** @param days of one stage, prompt and model, the newest first */
function DaysRow({ days }: { readonly days: readonly DaySum[] }) {
  const [newest] = days
  if (newest === undefined) return null
  return (
    <tr>
      <th scope="row">{newest.stage}</th>
      <td>
        <Prompt prompt={newest.prompt} />
      </td>
      <td>{newest.model}</td>
      <td>
        <DayBars days={days} />
      </td>
      <Sums sum={sumOf(days)} />
    </tr>
  )
}

/** A bar a day: tokens, or answers where there are no tokens. */
function DayBars({ days }: { readonly days: readonly DaySum[] }) {
  const today = new Date().setUTCHours(0, 0, 0, 0)
  const most = Math.max(...days.map(sizeOf))
  const busiest = days.find((each) => sizeOf(each) === most)
  const label = busiest === undefined ? '' : `${plural(days.length, 'day')}; the most on ${busiest.day}`
  return (
    <svg className="bars" viewBox={`0 0 ${daysShown} 10`} preserveAspectRatio="none" role="img" aria-label={label}>
      {days.map((each) => {
        const height = Math.max(0.6, (10 * sizeOf(each)) / most)
        const at = daysShown - 1 - Math.round((today - Date.parse(each.day)) / dayMs)
        return (
          <rect key={each.day} x={at + 0.1} width={0.8} y={10 - height} height={height}>
            <title>{`${each.day}: ${sumText(each)}`}</title>
          </rect>
        )
      })}
    </svg>
  )
}

function sizeOf(sum: Sum): number {
  return isFree(sum) ? sum.asks : sum.inputTokens + sum.outputTokens
}

function sumOf(sums: readonly Sum[]): Sum {
  const total = (of: (sum: Sum) => number) => sums.reduce((before, each) => before + of(each), 0)
  return {
    asks: total(({ asks }) => asks),
    inputTokens: total(({ inputTokens }) => inputTokens),
    outputTokens: total(({ outputTokens }) => outputTokens),
    money: sums.some(({ money }) => money === null) ? null : total(({ money }) => money ?? 0),
  }
}

function Prompt({ prompt }: { readonly prompt: string }) {
  return prompt === '' ? 'none' : <code title={prompt}>{prompt.slice(0, 8)}</code>
}

function Sums({ sum }: { readonly sum: Sum }) {
  return (
    <>
      <td className="number">{countText(sum.asks)}</td>
      <td className="number">{tokenText(sum)}</td>
      <td className="number">{moneyText(sum)}</td>
    </>
  )
}

/** Answers without tokens, such as those of an embedder in the server, cost nothing. */
function isFree({ inputTokens, outputTokens }: Sum): boolean {
  return inputTokens + outputTokens === 0
}

function tokenText(sum: Sum): string {
  return isFree(sum) ? 'none' : `${countText(sum.inputTokens)} in, ${countText(sum.outputTokens)} out`
}

function moneyText(sum: Sum): string {
  if (isFree(sum)) return '0'
  return sum.money === null ? 'no price' : sum.money.toFixed(4)
}

function sumText(sum: Sum): string {
  const answers = plural(sum.asks, 'answer')
  return isFree(sum) ? `${answers} without tokens` : `${answers}, tokens ${tokenText(sum)}, money ${moneyText(sum)}`
}
