/** Appends messages to a space of a log of this process, checked as the API checks them. */
import { addInParts } from '@loomlog/client/add-in-parts'
import type { Message } from '@loomlog/client/api'
import type { AddedEvents, AddOptions, WithUndefined } from '@loomlog/client/memory'
import { acceptUtterances } from '@loomlog/gateway/accept-utterances'
import { checkedAddress } from '@loomlog/intake/utterance'
import { spaceKey } from '@loomlog/schemas/ids'
import { abortable } from './abortable.ts'
import type { LogSpaceOptions } from './log-space-options.ts'

export function addMessages(
  name: string,
  { tenant, withIntake }: Pick<LogSpaceOptions, 'tenant' | 'withIntake'>,
  messages: WithUndefined<Message> | readonly WithUndefined<Message>[],
  options?: AddOptions,
): Promise<AddedEvents> {
  return addInParts(messages, options, (part, signal) =>
    abortable(signal, () =>
      withIntake(async (intake) => {
        const address = checkedAddress({ tenant, space: name })
        const common = { conversation: undefined, idempotencyKey: null, itemsBefore: 0 }
        const request = { ...address, ...common, principal: null, canInstruct: true, authorFaults: null }
        // As JSON, in which a field without a value is absent.
        const body = JSON.parse(JSON.stringify(part))
        const accepted = await acceptUtterances(body, request, intake)
        return { ...accepted, position: await intake.positionIn(spaceKey(address.tenant, address.space)) }
      }),
    ),
  )
}
