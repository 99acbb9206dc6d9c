/** Operations on the page: a parked input is retried, tokens are shown day by day, and subscribers while they read. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually } from '../eventually.ts'
import { fixture, ingestArgs } from '../pipeline/fixture.ts'
import { loomlog } from '../pipeline/loomlog.ts'
import { accessibilityFaults, noBrowser, openBrowser, openPage } from './browser.ts'
import { serveFolder } from './served-memory.ts'

test('a parked input is retried after its preview, and tokens by day and a subscriber are shown', {
  skip: noBrowser,
}, async (t) => {
  const made = await fixture(t, 8, { LOOMLOG_PARTITIONS: '1' })
  const dir = join(made.dir, 'log')
  made.endpoint.setScript(Array.from({ length: 1_000 }, () => ({ fault: 'refusal' as const })))
  assert.equal((await loomlog(ingestArgs(made, dir), made.environment)).code, 0)
  const served = await serveFolder(dir, made.environment)
  t.after(() => served.close())
  const browser = await openBrowser()
  t.after(() => browser.close())
  const { page, faults } = await openPage(browser, `${served.url}/#/operations`)
  page.setDefaultTimeout(20_000)
  const parked = page.locator('tr', { hasText: 'fact-extractor' }).filter({ hasText: 'Retry…' })
  await parked.first().waitFor()
  const before = await parked.count()
  made.endpoint.setScript([])
  await parked.first().getByRole('button', { name: 'Retry…' }).click()
  await page.getByLabel('In the name of').fill('Ines')
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.locator('dialog .effects', { hasText: 'the model refused' }).waitFor()
  await page.getByRole('button', { name: 'Retry', exact: true }).click()
  await page.getByText('Attempt 2 is requested.').waitFor()
  await page.keyboard.press('Escape')
  await eventually(async () => assert.ok((await parked.count()) < before, 'the retry took it from the list'), 20_000)
  await page.locator('tr', { hasText: 'fact-extractor' }).locator('svg.bars rect').first().waitFor()
  await page.getByText('No subscriber now').waitFor()
  const leaves = new AbortController()
  t.after(() => leaves.abort())
  await fetch(`${served.url}/v1/feed?offset=-1&live=sse`, { signal: leaves.signal })
  await page.locator('tr', { hasText: 'SSE' }).filter({ hasText: 'up to date' }).waitFor()
  assert.deepEqual(await accessibilityFaults(page), [])
  assert.deepEqual(faults, [])
})
