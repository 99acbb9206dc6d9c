/** Attached pictures and files as events, by their descriptions. */
import { joined, tag } from '../words.ts'
import { maxDescriptionChars } from './limits.ts'
import { factFields } from './restated-clause.ts'
import type { Statement, Utterance } from './statement.ts'

export function sharedImages(utterance: Utterance): readonly Statement[] {
  return (utterance.attachments ?? []).flatMap(({ description }) => {
    const shown = withoutPronouns(startOf(description.trim()).replace(/(?<![.!])[.!]+$/, ''))
    if (shown === null || shown === '') return []
    const named =
      /^(?:an?|the|two|three|several) (?:photo|picture|image|painting|drawing|screenshot|video|map|poster)/i.test(shown)
    const object = named ? shown : `an image of ${shown}`
    const words = tag(`${utterance.speaker} shared ${object}`).flat()
    const verb = words.findIndex((each) => each.lower === 'shared')
    return [
      {
        text: `${joined(words)}.`,
        subject: utterance.speaker,
        relation: 'shared',
        object: joined(words.slice(verb + 1)),
        tense: 'past',
        kind: 'event',
        location: null,
        ...factFields(words, [utterance.speaker]),
      },
    ]
  })
}

/** Empty if the first sentence is too long. */
function startOf(description: string): string {
  if (description.length <= maxDescriptionChars) return description
  return /^.+?[.!?](?=\s)/s.exec(description.slice(0, maxDescriptionChars))?.[0] ?? ''
}

const possessive = /\b(?:my|our|your|his|her|its|their) (?=\p{L})/giu
const onIt = /,? (?:on|in|of|around|behind|over|to|with|from|at|by|near|under|beside) (?:it|them|him|her|me|us|you)\b/gi
const pronoun = /\b(?:I|me|mine|we|us|ours|you|yours|he|him|she|hers|they|them|theirs|it|this|these|those)\b/i

/** Only the picture shows the owner of "its paw", so "its paw" becomes "the paw". Null if another pronoun remains. */
function withoutPronouns(shown: string): string | null {
  const plain = shown.replace(onIt, '').replace(possessive, 'the ')
  return pronoun.test(plain) ? null : plain
}
