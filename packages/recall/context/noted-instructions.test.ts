import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lineage, memory, row } from '../fixture.ts'
import { contextBlock } from './context-block.ts'

const home = 'acme/home'

test('a wish that a model noted is a standing instruction of its author, once, until another statement replaces it', async (t) => {
  const place = await memory(t)
  const noted = { kind: 'preference', role: 'human', isInstruction: true, lineage: lineage('u1') } as const
  await place.write('utterances', [
    await row(home, 'u1', 'Ada: Always answer me in bullet points.'),
    await row(home, 'u2', 'Bot: Fine.', { speaker: 'Bot', role: 'agent', offset: 1 }),
  ])
  await place.write('facts', [
    await row(home, 'f1', 'Ada wants answers in bullet points.', { ...noted, sources: ['u1'] }),
    await row(home, 'f2', 'Sources are to be named for everybody.', {
      ...noted,
      sources: ['u9'],
      speaker: 'Ben',
      offset: 1,
    }),
    await row(home, 'f3', 'Ada likes bullet points.', { ...noted, isInstruction: false, sources: ['u3'], offset: 2 }),
  ])
  const shown = async (asker?: string) => {
    const { items } = await contextBlock({ space: home, ...(asker && { for: asker }) }, place)
    return items.flatMap(({ part, text }) => (part === 'instruction' ? [text] : [])).toSorted()
  }
  const ofAda = 'Ada: Ada wants answers in bullet points.'
  const ofBen = 'Ben: Sources are to be named for everybody.'
  assert.deepEqual(await shown(), [ofAda, ofBen])
  assert.deepEqual(await shown('Cleo'), [ofBen])

  const ended = { document: 'd', facts: ['f1'], sources: ['u1'], replacedBy: 'e2', validTo: 5, knownTo: 5 }
  await place.write('entries', [await row(home, 'e1', 'Ada wants answers in bullet points.', ended)])
  assert.deepEqual(await shown(), [ofBen])
})
