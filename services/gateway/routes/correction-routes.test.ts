/** Routes that correct a memory. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { temporaryGateway } from '../fixture.ts'

test('a dry run of a retraction waits for no append, and appends nothing', async (t) => {
  const { app, log } = await temporaryGateway(t, { limits: { appendMs: 1_000 } })
  const post = (path: string, payload: object) =>
    app.inject({ method: 'POST', url: `/v1/spaces/home/${path}`, payload })
  const utterance = { id: 'u1', conversation: 'c', speaker: 'Maya', at: '2026-03-02T09:00:00Z', text: 'I sail.' }
  assert.equal((await post('utterances', utterance)).statusCode, 201)
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>()
  const append = log.append.bind(log)
  log.append = async (...given) => {
    await isReleased
    return append(...given)
  }
  const appending = post('utterances', { ...utterance, id: 'u2' })
  const retraction = { by: 'Ines', speaker: 'Maya', dryRun: true }
  try {
    const { statusCode, body } = await post('retractions', retraction)
    assert.equal(statusCode, 200, body)
    const { utterances, ...others } = JSON.parse(body)
    assert.equal(utterances[0].id, 'u1')
    assert.deepEqual(
      { ...others, downstream: {} },
      { ids: [], unknown: [], appended: 0, known: 0, dryRun: true, downstream: {} },
    )
  } finally {
    release()
    await appending
  }
})
