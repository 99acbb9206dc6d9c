/** Pictures and files that came along, told as events by their descriptions. */
import { joined, tag } from '../words.ts'
import { facts } from './restated-clause.ts'
import type { Said, Statement } from './statement.ts'

export function sharedImages(said: Said): readonly Statement[] {
  return (said.attachments ?? []).flatMap(({ description }) => {
    const shown = description.trim().replace(/[.!]+$/, '')
    if (shown === '') return []
    const named =
      /^(?:an?|the|two|three|several) (?:photo|picture|image|painting|drawing|screenshot|video|map|poster)/i.test(shown)
    const object = named ? shown : `an image of ${shown}`
    const words = tag(`${said.speaker} shared ${object}`).flat()
    const verb = words.findIndex((each) => each.lower === 'shared')
    return [
      {
        text: `${joined(words)}.`,
        subject: said.speaker,
        relation: 'shared',
        object: joined(words.slice(verb + 1)),
        tense: 'past',
        kind: 'event',
        location: null,
        ...facts(words, [said.speaker]),
      },
    ]
  })
}
