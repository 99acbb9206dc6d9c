/** Ids from before a forgetting are no duplicates, and the index over the log holds them no longer. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { SubjectForgotten } from '@loomlog/schemas/events'
import { forgetTexts } from '@loomlog/text-caches'
import { countStringsWith, freshCanary } from '../../test/heap-strings.ts'
import { Intake, recordOf } from './append.ts'
import { ContentFile, contentFileName } from './content-file.ts'
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

test('ids that wait in memory for the file are forgotten, too, and those of other spaces are known', async (t) => {
  const place = await openIntakeLog(t)
  const canary = freshCanary()
  const intake = new Intake(place)
  const appended = async () =>
    intake.append([utterance(`${canary}`, 'a'), { ...utterance('kept', 'b'), space: 'other' }])
  await appended()
  await place.log.append('utterances', [recordOf(marker('home'), place.codec)])
  assert.ok(((await countStringsWith([canary]))[0] ?? 0) > 0)
  const file = new ContentFile({ dir: place.dir, sealing: null, onRebuild: () => {} })
  file.forget('default/home', (await place.log.endOffsets('utterances'))[0] ?? 0)
  file.close()
  forgetTexts()
  assert.deepEqual(await countStringsWith([canary]), [0])
  assert.deepEqual(await appended(), { appended: 1, known: 1 })
  await intake.close()
  forgetTexts()
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
