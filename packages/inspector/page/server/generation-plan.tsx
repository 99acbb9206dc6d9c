/** A plan of a generation: its settings, the stages that are derived again, and the price, before it is started. */
import { useRef, useState } from 'react'
import { Failure } from '../parts/notices.tsx'
import { countText, durationText, plural } from '../parts/words.ts'
import type { Session } from '../session.ts'
import { Table } from './table.tsx'

interface StageEstimate {
  readonly stage: string
  readonly recorded: number
  readonly toPay: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly money: number | null
}

interface Plan {
  readonly generation: string
  readonly stages: readonly { readonly stage: string; readonly reused: boolean; readonly reasons: readonly string[] }[]
  readonly estimate: { readonly stages: readonly StageEstimate[]; readonly seconds: number | null }
  readonly status: string | null
}

interface OfForm {
  readonly session: Session
  readonly onStart: () => void
}

export function PlanForm({ session, onStart }: OfForm) {
  const settings = useRef<HTMLTextAreaElement>(null)
  const name = useRef<HTMLInputElement>(null)
  const tenant = useRef<HTMLInputElement>(null)
  const [plan, setPlan] = useState<Plan | null>(null)
  const [error, setError] = useState<Error | null>(null)
  const request = () => {
    const set = (settings.current?.value ?? '').split('\n').map((line) => line.trim())
    return { set: set.filter((line) => line !== ''), tenant: tenant.current?.value.trim() || null }
  }
  const attempt = (work: Promise<void>) => work.catch((failure) => setError(failure as Error))
  const read = async () => {
    setError(null)
    setPlan(await session.client.post<Plan>('/v1/generations/plan', request()))
  }
  const start = async () => {
    await session.client.post('/v1/generations', { ...request(), name: name.current?.value.trim() || null })
    setPlan(null)
    onStart()
  }
  return (
    <section className="plan">
      <h2>Another generation</h2>
      <form
        onChange={() => setPlan(null)}
        onSubmit={(event) => {
          event.preventDefault()
          void attempt(plan === null ? read() : start())
        }}
      >
        <label>
          Settings, one a line
          <textarea ref={settings} required rows={3} placeholder="topic-loom.maxUtterances=12" />
        </label>
        <label>
          Name
          <input ref={name} autoComplete="off" />
        </label>
        <label>
          Only for the tenant
          <input ref={tenant} autoComplete="off" placeholder="every tenant" />
        </label>
        {error !== null && <Failure error={error} />}
        {plan !== null && <PlanTable plan={plan} />}
        <p className="buttons">
          <button type="submit">{plan === null ? 'Plan with its price' : 'Start it beside the live one'}</button>
        </p>
      </form>
    </section>
  )
}

function PlanTable({ plan: { generation, stages, estimate, status } }: { readonly plan: Plan }) {
  const costs = new Map(estimate.stages.map((each) => [each.stage, each]))
  return (
    <section role="status">
      <p>
        Generation <code>{generation}</code>
        {status !== null && ` exists already: ${status}`}
        {estimate.seconds !== null &&
          estimate.seconds >= 1 &&
          `, derived in about ${durationText(estimate.seconds * 1_000)}`}
      </p>
      <Table head={['Stage', 'Why', '#Answers to pay', '#Recorded', '#Tokens', '#Money']}>
        {stages.map(({ stage, reused, reasons }) => {
          const cost = costs.get(stage)
          return (
            <tr key={stage}>
              <th scope="row">{stage}</th>
              <td>{reused ? 'as before' : reasons.join(', ')}</td>
              <td className="number">{countText(cost?.toPay ?? 0)}</td>
              <td className="number">{countText(cost?.recorded ?? 0)}</td>
              <td className="number">{countText((cost?.inputTokens ?? 0) + (cost?.outputTokens ?? 0))}</td>
              <td className="number">{cost?.money === null ? 'no price' : (cost?.money ?? 0).toFixed(4)}</td>
            </tr>
          )
        })}
      </Table>
      <p className="hint">{plural(stages.filter(({ reused }) => !reused).length, 'stage')} derived again.</p>
    </section>
  )
}
