import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noGenerations } from '@loomlog/generations/generations'
import { type ArchiveHeader, archiveFormat, archiveVersion } from './archive.ts'
import { otherRecipes } from './recipe-difference.ts'

test('a stage that derives otherwise is named on one line, with the recipe of the archive', () => {
  const hostile = 'topic-loom\nloomlog: forged line\u001b[2J'
  const stages = [{ stage: hostile, derivation: 'd', recipe: null }]
  const place = { format: archiveFormat, version: archiveVersion, tenant: 't', space: 's', loomlog: '0' } as const
  const header: ArchiveHeader = { ...place, generation: { id: 'g', viewEmbedder: 'words', stages } }
  assert.deepEqual(otherRecipes(header, noGenerations), [
    'topic-loom ¶ loomlog: forged line·[2J (unknown; now unknown)',
  ])
})
