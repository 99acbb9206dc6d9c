/** A space of a log of this process. Each call reads one generation. */
import type { MemorySpace } from '@loomlog/client/memory'
import { acceptCorrection } from '@loomlog/corrections/accept-correction'
import { planRetraction } from '@loomlog/corrections/retraction'
import { readGenerations } from '@loomlog/generations/store'
import type { Host } from '@loomlog/host/open'
import { checkedAddress } from '@loomlog/intake/utterance'
import { type AnswersOf, impactWithCost, whyWithCost } from '@loomlog/recall/answer-costs'
import type { TailOptions } from '@loomlog/recall/log-tail'
import { contextFrom, recallRequestFrom } from '@loomlog/recall/recall-body'
import type { RecallRecorder } from '@loomlog/recall/recall-recorder'
import { contextReply, type GenerationReading, recallReply, toolReply } from '@loomlog/recall/recall-reply'
import { spaceKey } from '@loomlog/schemas/ids'
import type { ShardLag } from '@loomlog/views/rebuilds'
import { withReading } from '../generations/live.ts'
import { spacesWithUtterances } from '../spaces.ts'
import { usedAnswers } from '../used-answers.ts'
import type { WithIntake } from './short-lived-intake.ts'

export interface LogSpaceOptions {
  readonly host: Host
  readonly tenant: string
  /** Null: served recalls are not recorded. */
  readonly recalls: RecallRecorder | null
  readonly withIntake: WithIntake
}

export function logSpace(name: string, { host, tenant, recalls, withIntake }: LogSpaceOptions): MemorySpace {
  const { log, codec, model, toolModel } = host
  const spaceNames = (signal: AbortSignal) => spaceNamesOf(tenant, host, signal)
  const parts = { log, codec, model, toolModel, recalls, spaceNames, caller: null }
  /** Each call checks the name, so that an error rejects its promise. */
  function checkedPlace() {
    const address = checkedAddress({ tenant, space: name })
    return { address, space: spaceKey(address.tenant, address.space) }
  }
  async function readPriced<T extends object>(
    read: (space: string, options: TailOptions & { answersOf: AnswersOf }) => Promise<T>,
  ) {
    const { space } = checkedPlace()
    const known = await readGenerations(log, codec)
    const answersOf = usedAnswers(host, () => known)
    return withReading(host, tenant, async ({ views, generation, epoch }) => {
      return { ...(await read(space, { log, codec, views, answersOf })), generation, epoch }
    })
  }

  return {
    async recall(query, parameters) {
      const parsed = recallRequestFrom({ ...parameters, query }, checkedPlace().address)
      const { generation } = parsed
      const spaces = [parsed.request.space].flat()
      const read = async (reading: GenerationReading) => ({
        ...(await recallReply(parsed, { ...parts, ...reading })),
        ...behindField(await reading.views.behind(spaces)),
      })
      return withReading(host, tenant, read, generation === null ? null : { generation, spaces })
    },
    async context(query, parameters) {
      const request = contextFrom({ ...parameters, query }, checkedPlace().address)
      return withReading(host, tenant, (reading) => contextReply(request, { ...parts, ...reading }))
    },
    async correct(correction) {
      const { address, space } = checkedPlace()
      return withReading(host, tenant, ({ views }) =>
        withIntake(async (intake) => {
          const accepted = await acceptCorrection(correction, address, views, intake)
          return { ...accepted, position: await intake.positionIn(space) }
        }),
      )
    },
    async retract(retraction) {
      const { address, space } = checkedPlace()
      const { events, ...plan } = await withReading(host, tenant, ({ views }) =>
        planRetraction(retraction, address, { log, codec, views }),
      )
      if (plan.dryRun) return { ...plan, appended: 0, known: 0 }
      return withIntake(async (intake) => {
        const counts = await intake.append(events)
        return { ...plan, ...counts, position: await intake.positionIn(space) }
      })
    },
    why: (id) => readPriced((space, options) => whyWithCost(id, space, options)),
    impact: (id, { limit }) => readPriced((space, options) => impactWithCost(id, space, { ...options, limit })),
    async useTool(tool, input) {
      const call = { name: tool, input, space: checkedPlace().space }
      return withReading(host, tenant, (reading) => toolReply(call, { ...parts, ...reading }))
    },
  }
}

async function spaceNamesOf(tenant: string, host: Host, signal: AbortSignal): Promise<readonly string[]> {
  const prefix = `${tenant}/`
  const spaces = await spacesWithUtterances(host, signal)
  return spaces.filter((space) => space.startsWith(prefix)).map((space) => space.slice(prefix.length))
}

/** The field is present only if a view lacks records. */
function behindField(lags: readonly ShardLag[]) {
  return lags.length === 0 ? {} : { behind: lags.map(({ topic, reached, end }) => ({ topic, records: end - reached })) }
}
