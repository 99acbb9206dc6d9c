/** Changes of a memory on the page: each after its preview, in a name, and with the scope alone. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { noBrowser, openBrowser, openPage } from './browser.ts'
import { serveMemory } from './served-memory.ts'

const slowMs = 60_000

async function previewed(page: Page): Promise<string> {
  await page.getByLabel('In the name of').fill('Maya')
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.locator('dialog .effects').waitFor({ timeout: slowMs })
  return await page.locator('dialog .effects').innerText()
}

test('an entry is corrected by its statement, and an utterance is forgotten for ever', {
  skip: noBrowser,
}, async (t) => {
  const served = await serveMemory('demo')
  t.after(() => served.close())
  const browser = await openBrowser()
  t.after(() => browser.close())
  const { page, faults } = await openPage(browser, `${served.url}/#/spaces/demo/documents`)
  page.setDefaultTimeout(slowMs)
  const entry = page.locator('.entry a').first()
  const statement = await entry.innerText()
  await entry.click()
  await page.getByRole('button', { name: 'Correct…' }).click()
  assert.equal(await page.getByLabel('The right words').inputValue(), statement)
  await page.getByLabel('The right words').fill('Tomas fitted a new pump.')
  assert.match(await previewed(page), /Tomas fitted a new pump\./)
  await page.getByLabel('Reason').fill('He said so.')
  assert.equal(await page.locator('dialog .effects').count(), 0, 'a change takes the preview back')
  await previewed(page)
  await page.getByRole('button', { name: 'Correct', exact: true }).click()
  await page.getByText('in the name of Maya in the log').waitFor()

  const { id } = await served.memory
    .space('demo')
    .list({ kind: 'utterance' })
    .then(({ memories }) => memories[0] ?? { id: '' })
  await page.goto(`${served.url}/#/spaces/demo/why/${id}`)
  await page.reload()
  await page.getByRole('button', { name: 'Forget…' }).click()
  assert.match(await previewed(page), /Destroyed: 1 utterance of 1 conversation/)
  await page.getByRole('button', { name: 'Destroy for ever' }).click()
  await page.getByText('loomlog forget verify').waitFor()
  assert.deepEqual(faults, [])
})
