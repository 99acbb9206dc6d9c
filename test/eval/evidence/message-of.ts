/**
 * The message of an utterance. The ingest splits a text that is too long for one utterance into the parts `ID#1`,
 * `ID#2`…: each counts as the message.
 */

const part = /#\d+$/

export function messageOf(utterance: string): string {
  return utterance.replace(part, '')
}
