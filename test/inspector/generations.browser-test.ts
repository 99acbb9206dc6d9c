/** A generation on the page: planned, started, compared with the live one, promoted, and rolled back. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Route } from 'playwright-core'
import { accessibilityFaults, noBrowser, openBrowser, openPage } from './browser.ts'
import { serveMemory } from './served-memory.ts'

test('a generation is started from its plan, compared, promoted and rolled back', { skip: noBrowser }, async (t) => {
  const served = await serveMemory('demo')
  t.after(() => served.close())
  const browser = await openBrowser()
  t.after(() => browser.close())
  const { page, faults } = await openPage(browser, `${served.url}/#/generations`)
  page.setDefaultTimeout(90_000)
  const live = page.locator('.generations > .is-live')
  const first = await live.locator('h2').innerText()

  await page.getByLabel('Settings, one a line').fill('topic-loom.maxUtterances=4')
  await page.getByLabel('Name').fill('short boxes')
  await page.getByRole('button', { name: 'Plan with its price' }).click()
  await page.getByText('maxUtterances 16 → 4').waitFor()
  await page.getByRole('button', { name: 'Start it beside the live one' }).click()

  const other = page.locator('.generations > li', { hasText: 'short boxes' })
  let compared = 0
  page.on('request', (request) => {
    if (request.url().endsWith('/v1/generations/compare')) compared += 1
  })
  let derived = 0
  const underWay = (route: Route) => {
    if (route.request().method() !== 'GET') return route.continue()
    derived += 1
    return route.fulfill({ json: { progress: [{ name: 'stage', position: derived, end: 100 }], leftMs: null } })
  }
  await page.route('**/v1/generations/*', underWay)
  await other.getByText(/of 100 records/).waitFor()
  await other.getByRole('button', { name: 'Differences to the live one' }).click()
  await other.getByText(/parts? (is|are) the same/).waitFor()
  const from = derived
  await other.getByText(new RegExp(`(${from + 3}|${from + 4}) of 100 records`)).waitFor()
  assert.equal(compared, 1, 'once, whatever is derived meanwhile')
  await other.getByRole('button', { name: 'Compare again' }).click()
  await other.locator('button:enabled', { hasText: 'Compare again' }).waitFor()
  assert.equal(compared, 2)
  await page.unroute('**/v1/generations/*', underWay)
  await other.getByText('added').first().waitFor()
  await other.getByText(/(\d+) of \1 records/).waitFor()
  await other.getByText('is not derived to the end').waitFor({ state: 'detached' })
  const question = { space: 'demo', question: 'Where does Maya live?', evidence: ['d6-01'] }
  const questions = { name: 'questions.jsonl', mimeType: 'text/plain', buffer: Buffer.from(JSON.stringify(question)) }
  await other.getByLabel(/^Recall on questions/).setInputFiles(questions)
  await other.locator('tr', { hasText: 'Questions with any evidence there' }).getByText('1.000').first().waitFor()
  assert.deepEqual(await accessibilityFaults(page), [])
  await other.getByRole('button', { name: 'Promote for everyone' }).click()
  await live.getByText('short boxes').waitFor()
  assert.equal(await live.getByText('differences').count(), 0, 'it is the live one')

  await live.getByRole('button', { name: 'Roll back…' }).click()
  await live.getByRole('button', { name: 'Yes, roll back for everyone' }).click()
  await live.getByText(first).waitFor()
  assert.deepEqual(faults, [])
})
