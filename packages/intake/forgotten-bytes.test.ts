/** Ids from before a forgetting are no duplicates, and the index over the log holds them no longer. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { SubjectForgotten } from '@loomlog/schemas/events'
import { Intake, recordOf } from './append.ts'
import { contentFileName } from './content-file.ts'
import { openIntakeLog, utterance } from './fixture.ts'
import { offsetAfterForgetting } from './last-forgetting.ts'

function marker(space: string): SubjectForgotten {
  const place = { tenant: 'default', space, seq: null, subject: '', forgetting: 'f' }
  return {
    type: 'SubjectForgotten',
    id: 'f',
    ...place,
    kept: 0,
    by: '',
    principal: null,
    at: 1,
    appendedAt: 1,
    keyId: null,
  }
}

test('no byte of a forgotten id stays in the file, and another process finds the same', async (t) => {
  const place = await openIntakeLog(t)
  const first = new Intake(place)
  await first.append([utterance('canary-forgotten', 'a'), utterance('kept', 'b')])
  await first.close()
  const file = () => readFile(join(place.dir, contentFileName))
  assert.ok((await file()).includes('canary-forgotten'))
  await place.log.append('utterances', [recordOf(marker('home'), place.codec)])
  const second = new Intake(place)
  assert.deepEqual(await second.append([utterance('kept', 'c')]), { appended: 1, known: 0 })
  await second.close()
  assert.ok(!(await file()).includes('canary-forgotten'))
})

test('a space begins after its last forgetting, whichever space was forgotten later', async (t) => {
  const place = await openIntakeLog(t, 1)
  const events = [utterance('1', 'a'), marker('home'), utterance('2', 'b'), marker('home'), marker('home2')]
  await place.log.append(
    'utterances',
    events.map((event) => recordOf(event, place.codec)),
  )
  const start = (space: string) =>
    offsetAfterForgetting(place, { topic: 'utterances', key: `default/${space}`, partitions: 1 })
  assert.deepEqual([await start('home'), await start('home2'), await start('home3')], [4, 5, 0])
})
