/**
 * What a recipe makes of a conversation is fixed: `golden.json` holds, for each derivation, the hash of all that it made of the demo's.
 * Corrections and retries are not in it. Who changes what a stage asks or decides raises its `revision`, and so makes another recipe: else what is live would be
 * derived one way up to today and another way from today on, and no replay would ever find out.
 */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { configFrom } from '@loomlog/host/config'
import { openHost } from '@loomlog/host/open'
import { hash } from '@loomlog/schemas/ids'
import { canonicalDump, dumpText } from '../../packages/app/derived-events.ts'
import { servingOf } from '../../packages/app/generations/live.ts'
import { fixture, ingestArgs } from './fixture.ts'
import { type Environment, loomlog } from './loomlog.ts'

const conversation = join(import.meta.dirname, '../../packages/cli/demo/conversation.jsonl')
const ways = { rules: { LOOMLOG_MODEL: '' }, 'a fake model': {} }

interface Made {
  readonly stage: string
  readonly derivation: string
  readonly lines: number
  readonly hash: string
}

type Golden = { readonly [way: string]: readonly Made[] }

const golden: Golden = JSON.parse(await readFile(join(import.meta.dirname, 'golden.json'), 'utf8'))

for (const [way, settings] of Object.entries(ways)) {
  test(`by ${way}, every recipe makes what it always made`, async (t) => {
    const made = await madeOf(t, settings)
    for (const { stage, derivation, ...what } of made) {
      const { derivation: known, stage: _, ...before } = golden[way]?.find((each) => each.stage === stage) ?? {}
      if (known !== derivation) continue
      assert.deepEqual(
        what,
        before,
        `${stage} does otherwise what its recipe says: raise its revision, unless fake-model.ts or the demo changed`,
      )
    }
    assert.deepEqual(golden[way], made, `another recipe: put this in golden.json: ${JSON.stringify({ [way]: made })}`)
  })
}

async function madeOf(t: TestContext, settings: Environment): Promise<readonly Made[]> {
  const { dir, environment, ...rest } = await fixture(t, 0, settings)
  const run = await loomlog(ingestArgs({ ...rest, dir, environment, file: conversation }, dir), environment)
  assert.equal(run.code, 0, run.stderr)
  const host = await openHost(configFrom({ ...environment, LOOMLOG_DIR: dir }))
  try {
    const serving = await servingOf(host, {})
    const dump = await canonicalDump(host, serving)
    return serving.stages.map(({ stage, derivation }) => {
      const texts = dump.filter((line) => line.stage === stage).map(dumpText)
      // Its name tells nothing of what it made.
      const lines = texts.map((text) => text.replace(/"derivation":"\w+"/, ''))
      return { stage, derivation, lines: lines.length, hash: hash(lines) }
    })
  } finally {
    await host.close()
  }
}
