/** A space of a log of this process. Each call reads one generation. */
import type { ListedMemory } from '@loomlog/client/api'
import type { EndOptions, ListOptions, MemorySpace } from '@loomlog/client/memory'
import { optionFields } from '@loomlog/client/option-fields'
import { acceptCorrection } from '@loomlog/corrections/accept-correction'
import { planRetraction, retractionFrom } from '@loomlog/corrections/retraction'
import { refuseUnknownFields } from '@loomlog/errors/unknown-field'
import { forgettingFrom } from '@loomlog/forgetting/selection'
import { conversationEndOf, spaceEndOf } from '@loomlog/gateway/conversations'
import { documentText } from '@loomlog/gateway/document-text'
import { memoryPage } from '@loomlog/gateway/memory-rows'
import { readGenerations } from '@loomlog/generations/store'
import type { Host } from '@loomlog/host/open'
import { checkedAddress } from '@loomlog/intake/utterance'
import { type AnswersOf, impactWithCost, whyWithCost } from '@loomlog/recall/answer-costs'
import type { TailOptions } from '@loomlog/recall/log-tail'
import { contextFrom, recallRequestFrom } from '@loomlog/recall/recall-body'
import { contextReply, type GenerationReading, recallReply, toolReply } from '@loomlog/recall/recall-reply'
import type { SourceEvent } from '@loomlog/schemas/events'
import { spaceKey } from '@loomlog/schemas/ids'
import type { ShardLag } from '@loomlog/views/rebuilds'
import { readForgetting, requestForgetting } from '../forgetting/operations.ts'
import { spacesWithUtterances } from '../spaces.ts'
import { usedAnswers } from '../used-answers.ts'
import { abortable } from './abortable.ts'
import { addMessages } from './add-messages.ts'
import { feedEvents } from './feed-events.ts'
import { listRequestFrom } from './list-request.ts'
import type { LogSpaceOptions } from './log-space-options.ts'

/** Most effects that a reply lists, where the caller sets no limit. */
const defaultEffects = 100

export function logSpace(name: string, options: LogSpaceOptions): MemorySpace {
  const { host, tenant, recalls, withReading, withIntake } = options
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
    return withReading(async ({ views, generation, epoch }) => {
      return { ...(await read(space, { log, codec, views, answersOf })), generation, epoch }
    })
  }

  return {
    name,
    add: (messages, given) => addMessages(name, options, messages, given),
    recall: (query, { signal, ...parameters } = {}) =>
      abortable(signal, () => {
        const parsed = recallRequestFrom({ ...parameters, query }, checkedPlace().address)
        const { generation } = parsed
        const spaces = [parsed.request.space].flat()
        const read = async (reading: GenerationReading) => ({
          ...(await recallReply(parsed, { ...parts, ...reading, ...(signal && { signal }) })),
          ...behindField(await reading.views.behind(spaces)),
        })
        return withReading(read, generation === null ? null : { generation, spaces })
      }),
    context: (query, { signal, ...parameters } = {}) =>
      abortable(signal, () => {
        const request = contextFrom({ ...parameters, query }, checkedPlace().address)
        return withReading((reading) => contextReply(request, { ...parts, ...reading, ...(signal && { signal }) }))
      }),
    correct: (correction, { signal } = {}) =>
      abortable(signal, () => {
        const { address, space } = checkedPlace()
        return withReading(({ views }) =>
          withIntake(async (intake) => {
            const accepted = await acceptCorrection(correction, { ...address, principal: null }, views, intake)
            return { ...accepted, position: await intake.positionIn(space) }
          }),
        )
      }),
    retract: (given, { signal } = {}) =>
      abortable(signal, async () => {
        const { address, space } = checkedPlace()
        const retraction = retractionFrom(given)
        const { events, ...plan } = await withReading(({ views }) =>
          planRetraction(retraction, { ...address, principal: null }, { log, codec, views }),
        )
        if (plan.dryRun) return { ...plan, appended: 0, known: 0 }
        return withIntake(async (intake) => {
          const counts = await intake.append(events)
          return { ...plan, ...counts, position: await intake.positionIn(space) }
        })
      }),
    forget: (given, { signal } = {}) =>
      abortable(signal, async () => {
        const { address } = checkedPlace()
        const request = forgettingFrom(given)
        return withReading(({ views }) => requestForgetting(request, { ...address, principal: null, views }, host))
      }),
    forgetting: (id, { signal } = {}) =>
      abortable(signal, async () => readForgetting(id, checkedPlace().address, host)),
    why: (id, { signal } = {}) =>
      abortable(signal, () => readPriced((space, options) => whyWithCost(id, space, options))),
    impact: (id, { limit = defaultEffects, signal } = {}) =>
      abortable(signal, () => readPriced((space, options) => impactWithCost(id, space, { ...options, limit }))),
    list: (options: ListOptions) =>
      abortable(options.signal, async () => {
        const [request, { space }] = [listRequestFrom(options), checkedPlace()]
        return withReading(async ({ views, generation, epoch }) => {
          const { memories, next } = await memoryPage(request, space, views)
          return { memories: memories as readonly ListedMemory[], next, generation, epoch }
        })
      }),
    document: (id, { signal } = {}) =>
      abortable(signal, async () => {
        const { space } = checkedPlace()
        return withReading(async ({ views, generation, epoch }) => {
          return { ...(await documentText(id, space, views)), generation, epoch }
        })
      }),
    useTool: (tool, input, { signal } = {}) =>
      abortable(signal, async () => {
        const call = { name: tool, input, space: checkedPlace().space }
        return withReading((reading) => toolReply(call, { ...parts, ...reading }))
      }),
    end: (options: EndOptions = {}) =>
      abortable(options.signal, async () => {
        refuseUnknownFields(options, optionFields.end)
        const { conversation } = options
        const { address, space } = checkedPlace()
        const event = await withReading<SourceEvent>(({ views }) => {
          const tail = { log, codec, views }
          if (conversation === undefined) return spaceEndOf(address, tail)
          return conversationEndOf(conversation, address, tail)
        })
        return withIntake(async (intake) => {
          const counts = await intake.append([event])
          return { ids: [event.id], ...counts, position: await intake.positionIn(space) }
        })
      }),
    events: (given) => feedEvents(host, { tenant, spaces: [name] }, given),
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
