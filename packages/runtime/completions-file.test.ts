import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openDisposableFile } from '@loomlog/log/disposable-file'
import { CompletionsFile, completionsFileLayout, completionsFileName, usageQueries } from './completions-file.ts'

test('usage of a tenant or of a day is read through an index, without the rows of other tenants and days', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-completions-'))
  const file = new CompletionsFile({ dir, onRebuild() {} })
  const db = openDisposableFile({
    dir,
    name: completionsFileName,
    schema: '',
    layout: completionsFileLayout,
    onRebuild() {},
  })
  t.after(async () => {
    db.close()
    file.close()
    await rm(dir, { recursive: true })
  })
  const { accounts, byModel, ofTenant, ofAll } = usageQueries
  for (const query of [accounts(ofTenant), byModel(ofTenant), byModel(ofAll)]) {
    const plan = db
      .prepare(`explain query plan ${query}`)
      .all()
      .map(({ detail }) => String(detail))
    assert.match(plan[0] ?? '', /^SEARCH usage USING INDEX usage_(of_tenant|by_day)/)
  }
})
