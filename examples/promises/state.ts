/**
 * The keyed records of a conversation: its speakers, and the promises of each utterance, for when the utterance is
 * undone.
 */
import { type KeyedRecord, keyedRecord } from '@loomlog/runtime/step'

/** In the order in which they first spoke; at most `maxParticipants`. */
export const participants: KeyedRecord<readonly string[]> = keyedRecord('participants')
export const maxParticipants = 16

/** Ids of promises, by utterance. */
export const promisesIn: KeyedRecord<readonly string[]> = keyedRecord('promises')
