import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordOf } from '@loomlog/intake/append'
import { utteranceFrom } from '@loomlog/intake/utterance'
import { temporaryGateway } from '../fixture.ts'

test('a conversation that was named before names were normalized can be ended by its name', async (t) => {
  const { app, log, codec } = await temporaryGateway(t)
  const said = { conversation: 'c', speaker: 'Ada', at: '2026-03-02T09:00:00Z', text: 'I row.' }
  const utterance = utteranceFrom(said, { tenant: 'default', space: 'home' }, 0)
  for (const conversation of ['Jose\u0301', 'José b']) {
    await log.append('utterances', [recordOf({ ...utterance, id: conversation, conversation }, codec)])
    const url = `/v1/spaces/home/conversations/${encodeURIComponent(conversation)}/end`
    assert.ok((await app.inject({ method: 'POST', url })).statusCode < 300, conversation)
  }
})
