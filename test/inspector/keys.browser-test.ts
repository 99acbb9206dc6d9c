/** The inspector of a server with keys, and of one without a space. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect } from '@loomlog/client'
import { loomlog } from '../pipeline/loomlog.ts'
import { accessibilityFaults, noBrowser, openBrowser, openPage } from './browser.ts'
import { serveMemory } from './served-memory.ts'

async function keyOf(dir: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await loomlog(['keys', 'create', '--tenant', 'default', ...args, '--dir', dir])
  const [key] = /llk_\S+/.exec(stdout) ?? []
  assert.ok(key !== undefined, stdout)
  return key
}

test('a key is pasted once, kept for the session of the tab, and never in the address', {
  skip: noBrowser,
}, async (t) => {
  const served = await serveMemory('demo')
  t.after(() => served.close())
  const key = await keyOf(served.dir, '--scope', 'recall')
  const browser = await openBrowser()
  t.after(() => browser.close())
  const { page } = await openPage(browser, served.url)
  await page.getByLabel('Key').fill('llk_wrong')
  assert.deepEqual(await accessibilityFaults(page), [])
  await page.keyboard.press('Enter')
  await page.getByText('the key is unknown or revoked').waitFor()
  await page.getByLabel('Key').fill(key)
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'demo' }).click()
  await page.locator('.said').first().waitFor()
  await page.getByText('the key lacks the scope subscribe').waitFor()
  const [memory] = (await connect({ url: served.url, key }).space('demo').list({ kind: 'entry' })).memories
  await page.goto(`${served.url}/#/spaces/demo/why/${memory?.id}`)
  await page.locator('.node').first().waitFor()
  for (const name of ['Correct…', 'Pin…', 'Retract…', 'Forget…'])
    assert.equal(await page.getByRole('button', { name }).count(), 0, name)
  await page.goto(`${served.url}/#/`)
  await page.getByRole('link', { name: 'demo' }).waitFor()
  for (const name of ['Generations', 'Operations'])
    assert.equal(await page.getByRole('link', { name }).count(), 0, name)
  await page.getByRole('link', { name: 'demo' }).click()
  await page.reload()
  await page.locator('.said').first().waitFor()
  assert.ok(!page.url().includes(key))
  assert.equal(await page.evaluate('localStorage.length + document.cookie.length'), 0)
  const other = await page.context().newPage()
  await other.goto(served.url)
  await other.getByLabel('Key').waitFor()
  await page.getByRole('button', { name: 'Forget the key' }).click()
  await page.getByLabel('Key').waitFor()
  assert.equal(await page.evaluate('sessionStorage.length'), 0)
})

test('a server without a space teaches how to begin one, with lines that run', { skip: noBrowser }, async (t) => {
  const served = await serveMemory('empty')
  t.after(() => served.close())
  const browser = await openBrowser()
  t.after(() => browser.close())
  const { page, faults } = await openPage(browser, served.url)
  const [, ...lines] = (await page.locator('.empty code').innerText()).split('\n')
  assert.deepEqual(await accessibilityFaults(page), [])
  const run = new Function('connect', `return (async () => { ${lines.join('\n')} })()`)
  await run(connect)
  await page.reload()
  await page.getByRole('link', { name: 'team' }).click()
  await page.getByText('I live in Lisbon.').first().waitFor()
  assert.deepEqual(faults, [])
})
