import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memory, row } from '../fixture.ts'
import { unknownNames } from './unknown-names.ts'

test('a request with many unknown speakers or spaces has three notices, and does not read the memory for each name', async (t) => {
  const place = await memory(t)
  await place.write('utterances', [await row('acme/home', 'u1', 'I row.')], 1)
  const { views } = place
  const scan = views.scan.bind(views)
  let scans = 0
  views.scan = (...search) => {
    scans += 1
    return scan(...search)
  }
  const noticesOf = (spaces: readonly string[], speakers: readonly string[]) =>
    unknownNames({ spaces, speakers }, [], { ...place, spaceNames: async () => ['home'] })
  const many = (name: string) => Array.from({ length: 100 }, (_, at) => `${name}${at}`)
  assert.deepEqual(
    await noticesOf(['acme/home'], many('Ad')),
    ['Ad0', 'Ad1', 'Ad2'].map((name) => `no speaker of home is named "${name}"; the nearest: "Ada"`),
  )
  assert.deepEqual(
    await noticesOf(many('acme/hom'), many('Ad')),
    ['hom0', 'hom1', 'hom2'].map((name) => `there is no space named "${name}"; the nearest: "home"`),
  )
  assert.ok(scans < 10, `${scans} scans`)
})
