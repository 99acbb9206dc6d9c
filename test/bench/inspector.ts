/**
 * The inspector in Debian's Chromium: `npm run bench -- inspector [--utterances N] [--rounds N] [--json FILE]`.
 * Measures the time from a reload to the first rows of a long conversation, the frames while it scrolls, and the time
 * from the reply to an append until the utterance is on the page. Targets: 1 s, 50 ms and 300 ms, else the command
 * fails.
 */
import { cpus, platform } from 'node:os'
import { parseArgs } from 'node:util'
import type { Page } from 'playwright-core'
import { writeResult } from '../figures/result.ts'
import { noBrowser, openBrowser, openPage } from '../inspector/browser.ts'
import { sayLongConversation } from '../inspector/long-conversation.ts'
import { type ServedMemory, serveMemory } from '../inspector/served-memory.ts'

const most = { firstRowsMs: 1_000, longestFrameMs: 50, delayMs: 300 }
const space = 'long'
const frames = 240
const scrollPx = 900
/** Stages and views work on the utterances at the same time. */
const loadMs = 240_000

export async function benchInspector(args: readonly string[]): Promise<void> {
  const text = { type: 'string' } as const
  const { values } = parseArgs({ args: [...args], options: { utterances: text, rounds: text, json: text } })
  if (noBrowser) return console.log(`skipped: ${noBrowser}`)
  const utterances = Number(values.utterances ?? 10_000)
  const rounds = Number(values.rounds ?? 5)
  const served = await serveMemory('empty')
  const browser = await openBrowser()
  try {
    await sayLongConversation(served, { space, utterances })
    const { page, faults } = await openPage(browser, `${served.url}/#/spaces/${space}/stream`)
    await page.addInitScript(
      `new MutationObserver((_, observer) => {
        if (document.querySelector('.said') === null) return
        performance.mark('first-rows')
        observer.disconnect()
      }).observe(document, { subtree: true, childList: true })`,
    )
    await page.locator('.said').first().waitFor({ timeout: loadMs })
    const firstRowsMs = await series(rounds, () => firstRows(page))
    await page
      .getByText(`${utterances.toLocaleString('en-GB')} utterances`)
      .first()
      .waitFor({ timeout: loadMs })
    const frameMs = (await series(rounds, () => scrolledFrames(page))).flat()
    const delayMs = await series(rounds * 2, (round) => delay(page, served, `A late line, ${round}.`))
    if (faults.length > 0) throw new Error(faults.join('\n'))
    const result = { utterances, firstRowsMs: times(firstRowsMs), frameMs: times(frameMs), delayMs: times(delayMs) }
    await writeResult(values.json, 'bench -- inspector', result)
    console.log(`${cpus().length} cores, ${platform()}, Chromium ${browser.version()}; ${utterances} utterances`)
    console.table({ 'first rows': result.firstRowsMs, frames: result.frameMs, 'append to page': result.delayMs })
    console.log(
      `targets: first rows ${most.firstRowsMs} ms, each frame ${most.longestFrameMs} ms, page ${most.delayMs} ms`,
    )
    const isWithin =
      result.firstRowsMs.p50Ms <= most.firstRowsMs &&
      result.frameMs.mostMs <= most.longestFrameMs &&
      result.delayMs.p50Ms <= most.delayMs
    if (!isWithin) process.exitCode = 1
  } finally {
    await browser.close()
    await served.close()
  }
}

/** From the start of the navigation to the first row, by the page's own clock. */
async function firstRows(page: Page): Promise<number> {
  await page.reload()
  await page.locator('.said').first().waitFor()
  return await page.evaluate<number>("performance.getEntriesByName('first-rows')[0].startTime")
}

async function scrolledFrames(page: Page): Promise<readonly number[]> {
  return await page.evaluate<number[]>(`new Promise((resolve) => {
    const list = document.querySelector('.rows'), times = []
    let last = performance.now(), left = ${frames}
    const step = (now) => {
      times.push(now - last)
      last = now
      list.scrollTop -= ${scrollPx}
      if (--left > 0) requestAnimationFrame(step)
      else resolve(times)
    }
    requestAnimationFrame(step)
  })`)
}

async function delay(page: Page, served: ServedMemory, text: string): Promise<number> {
  await page.evaluate("document.querySelector('.rows').scrollTop = 1e9")
  const seen = page.evaluate<number>(`new Promise((resolve) => {
    const look = () => document.body.textContent.includes(${JSON.stringify(text)}) && resolve(Date.now())
    new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true })
  })`)
  await served.memory.space(space).add({ conversation: 'long', speaker: 'Ada', text })
  const repliedAt = Date.now()
  return Math.max(0, (await seen) - repliedAt)
}

async function series<T>(rounds: number, measure: (round: number) => Promise<T>): Promise<readonly T[]> {
  const all: T[] = []
  for (let round = 0; round < rounds; round += 1) all.push(await measure(round))
  return all
}

function times(measured: readonly number[]) {
  const sorted = measured.toSorted((a, b) => a - b)
  const at = (share: number) => Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? 0)
  return { p50Ms: at(0.5), p99Ms: at(0.99), mostMs: at(1) }
}
