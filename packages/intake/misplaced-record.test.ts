import assert from 'node:assert/strict'
import { test } from 'node:test'
import { partitionOf } from '@loomlog/log/partition'
import { appendMisplaced } from '@loomlog/log/sqlite-misplaced-record'
import { contentHash } from '@loomlog/schemas/admission'
import { recordOf } from './append.ts'
import { ContentIndex } from './content-index.ts'
import { toKeyedEvent } from './duplicates.ts'
import { openIntakeLog, utterance } from './fixture.ts'

test('the id of a record in a wrong partition is not known, so that it can be appended again', async (t) => {
  const here = await openIntakeLog(t)
  const index = new ContentIndex(here)
  t.after(() => index.close())
  const event = utterance('1', 'Ada sails.')
  const [space, { key }] = ['default/home', toKeyedEvent(event)]
  const partition = (partitionOf(space, 4) + 1) % 4
  await appendMisplaced(here, { topic: 'utterances', partition }, { ...recordOf(event, here.codec), key: space })
  await index.readToEnd([0, 1, 2, 3])
  assert.deepEqual([...index.contentsOf([key])], [])
  await here.log.append('utterances', [recordOf(event, here.codec)])
  await index.readToEnd([0, 1, 2, 3])
  assert.deepEqual([...index.contentsOf([key])], [[key, contentHash(event)]])
})
