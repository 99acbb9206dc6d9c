/**
 * The outputs of a recipe are fixed: `golden.json` has the hash of each derivation's outputs for the demo's
 * conversation, without corrections and retries. A change of asks or decisions needs a new `revision`, and so is
 * another recipe. Without it, a live derivation would change in the middle of its history, and no replay would detect
 * that.
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
const models = { rules: { LOOMLOG_MODEL: '' }, 'a fake model': {} }

interface Outputs {
  readonly stage: string
  readonly derivation: string
  readonly lines: number
  readonly hash: string
}

type Golden = { readonly [way: string]: readonly Outputs[] }

const golden: Golden = JSON.parse(await readFile(join(import.meta.dirname, 'golden.json'), 'utf8'))

for (const [way, settings] of Object.entries(models)) {
  test(`by ${way}, every recipe gives the same outputs as before`, async (t) => {
    const made = await outputsOf(t, settings)
    for (const { stage, derivation, ...outputs } of made) {
      const { derivation: known, stage: _, ...before } = golden[way]?.find((each) => each.stage === stage) ?? {}
      if (known !== derivation) continue
      assert.deepEqual(
        outputs,
        before,
        `${stage} gives other outputs under the same recipe: raise its revision, unless fake-model.ts or the demo changed`,
      )
    }
    assert.deepEqual(golden[way], made, `another recipe: put this in golden.json: ${JSON.stringify({ [way]: made })}`)
  })
}

async function outputsOf(t: TestContext, settings: Environment): Promise<readonly Outputs[]> {
  const { dir, environment, ...rest } = await fixture(t, 0, settings)
  const run = await loomlog(ingestArgs({ ...rest, dir, environment, file: conversation }, dir), environment)
  assert.equal(run.code, 0, run.stderr)
  const host = await openHost(configFrom({ ...environment, LOOMLOG_DIR: dir }))
  try {
    const serving = await servingOf(host, {})
    const dump = await canonicalDump(host, serving)
    return serving.stages.map(({ stage, derivation }) => {
      const texts = dump.filter((line) => line.stage === stage).map(dumpText)
      // The hash leaves out the derivation's id.
      const lines = texts.map((text) => text.replace(/"derivation":"\w+"/, ''))
      return { stage, derivation, lines: lines.length, hash: hash(lines) }
    })
  } finally {
    await host.close()
  }
}
