/** A space of a log of this process. Each call reads one generation. */
import type { MemorySpace } from '@loomlog/client/memory'
import { acceptCorrection } from '@loomlog/corrections/accept-correction'
import { planRetraction } from '@loomlog/corrections/retraction'
import { readGenerations } from '@loomlog/generations/store'
import type { Host } from '@loomlog/host/open'
import type { Intake } from '@loomlog/intake/append'
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

export interface LogSpaceOptions {
  readonly host: Host
  readonly tenant: string
  /** Null: served recalls are not recorded. */
  readonly recalls: RecallRecorder | null
  intake(): Intake
}

export function logSpace(name: string, { host, tenant, recalls, intake }: LogSpaceOptions): MemorySpace {
  const address = checkedAddress({ tenant, space: name })
  const space = spaceKey(address.tenant, address.space)
  const { log, codec, model, toolModel } = host
  const spaceNames = (signal: AbortSignal) => spaceNamesOf(address.tenant, host, signal)
  const parts = { log, codec, model, toolModel, recalls, spaceNames, caller: null }
  const position = () => intake().positionIn(space)
  async function readPriced<T extends object>(read: (options: TailOptions & { answersOf: AnswersOf }) => Promise<T>) {
    const known = await readGenerations(log, codec)
    const answersOf = usedAnswers(host, () => known)
    return withReading(host, address.tenant, async ({ views, generation, epoch }) => {
      return { ...(await read({ log, codec, views, answersOf })), generation, epoch }
    })
  }

  return {
    async recall(query, parameters) {
      const parsed = recallRequestFrom({ ...parameters, query }, address)
      const { generation } = parsed
      const spaces = [parsed.request.space].flat()
      const read = async (reading: GenerationReading) => ({
        ...(await recallReply(parsed, { ...parts, ...reading })),
        ...behindField(await reading.views.behind(spaces)),
      })
      return withReading(host, address.tenant, read, generation === null ? null : { generation, spaces })
    },
    async context(query, parameters) {
      const request = contextFrom({ ...parameters, query }, address)
      return withReading(host, address.tenant, (reading) => contextReply(request, { ...parts, ...reading }))
    },
    async correct(correction) {
      const accepted = await withReading(host, address.tenant, ({ views }) =>
        acceptCorrection(correction, address, views, intake()),
      )
      return { ...accepted, position: await position() }
    },
    async retract(retraction) {
      const { events, ...plan } = await withReading(host, address.tenant, ({ views }) =>
        planRetraction(retraction, address, { log, codec, views }),
      )
      return { ...plan, ...(await intake().append(events)), position: await position() }
    },
    why: (id) => readPriced((options) => whyWithCost(id, space, options)),
    impact: (id, { limit }) => readPriced((options) => impactWithCost(id, space, { ...options, limit })),
    useTool: (tool, input) =>
      withReading(host, address.tenant, (reading) => toolReply({ name: tool, input, space }, { ...parts, ...reading })),
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
