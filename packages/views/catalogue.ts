/**
 * Which tables a topic's view has. A view's id carries the topic (and so the derivation) and the vector space, so that views of
 * two derivations, or of two embedders, never meet, nor those of two layouts.
 */
import { hash } from '@loomlog/schemas/ids'
import type { TopicName } from '@loomlog/topics/catalogue'

export const viewTables = {
  utterances: ['utterances'],
  'topic-shifts': ['boxes'],
  facts: ['facts'],
  'event-links': ['events', 'links'],
  consolidations: ['entries', 'documents'],
} as const satisfies { readonly [topic in TopicName]?: readonly string[] }

export type ViewTopic = keyof typeof viewTables
export type TableName = (typeof viewTables)[ViewTopic][number]

export const viewTopics = Object.keys(viewTables) as readonly ViewTopic[]

/** Raised when rows say something else of the same events: views are made anew then, since the old are not these. */
const layout = 2

/** @param topic as it is called in the log: facts.<derivation> */
export function viewId(topic: string, vectorSpace: string): string {
  return hash([topic, vectorSpace, layout]).slice(0, 16)
}

export function shardUri(views: string, view: string, partition: number): string {
  return `${views}/${view}/p${partition}`
}
