/**
 * The time of an ingest, and the share of embedding in it: `npm run bench -- ingest --data FILE [--json FILE]`. The floor is measured first,
 * in the same run: the same distinct texts embedded by the same threads, with nothing around. Then the file is ingested into an
 * empty folder. The difference is the time that loomlog adds.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { cpus, platform, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { LoomlogError } from '@loomlog/errors'
import { useLite } from '@loomlog/models/use-lite'
import { writeResult } from '../figures/result.ts'
import { loomlog } from '../pipeline/loomlog.ts'

const threads = 2

export async function benchIngest(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args: [...args], options: { data: { type: 'string' }, json: { type: 'string' } } })
  const data = values.data ?? process.env.LOOMLOG_DATA
  if (!data) throw new LoomlogError('input-invalid', '--data is missing: expected the path of a LoCoMo file')
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-bench-'))
  try {
    const ingestMs = await ingest(data, dir)
    const texts = await embeddedTexts(dir)
    const floorMs = await embedAll(texts)
    const added = 1 - floorMs / ingestMs
    const machine = `${cpus().length} cores, ${platform()}, Node ${process.versions.node}`
    const result = { texts: texts.length, ingestMs, embeddingMs: floorMs, shareAdded: added }
    await writeResult(values.json, 'bench -- ingest', result)
    console.log(
      `${machine}: ingest ${seconds(ingestMs)}; its ${texts.length} distinct texts embedded alone ${seconds(floorMs)}`,
    )
    console.log(`loomlog adds ${(added * 100).toFixed(0)} % of the time around the embedding`)
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

async function ingest(data: string, dir: string): Promise<number> {
  const startedAt = performance.now()
  const environment = { LOOMLOG_EMBEDDER: 'use-lite', LOOMLOG_EMBEDDER_THREADS: String(threads) }
  const run = await loomlog(
    ['ingest', data, '--format', 'locomo', '--space', 'bench', '--dir', dir, '--json'],
    environment,
  )
  if (run.code !== 0) throw new Error(run.stderr)
  console.log(run.stdout.trim())
  return performance.now() - startedAt
}

/** Every distinct text that the ingest embedded, for decisions or for views: utterances, facts, events and entries. */
async function embeddedTexts(dir: string): Promise<readonly string[]> {
  const texts = new Set<string>()
  for (const topic of ['topic-shifts', 'facts', 'event-links', 'consolidations']) {
    const { stdout } = await loomlog(['tail', topic, '--dir', dir])
    for (const line of stdout.split('\n').filter((each) => each !== '')) {
      const { event } = JSON.parse(line) as {
        event: { text?: string; utterances?: { text: string; attachments: { kind: string; description: string }[] }[] }
      }
      if (event.text !== undefined) texts.add(event.text)
      for (const said of event.utterances ?? [])
        texts.add(said.text + said.attachments.map((each) => ` [${each.kind}: ${each.description}]`).join(''))
    }
  }
  return [...texts]
}

async function embedAll(texts: readonly string[]): Promise<number> {
  const embedder = useLite({ threads })
  await embedder.embed(['warm up', 'warm up again'])
  const startedAt = performance.now()
  await embedder.embed(texts, { shape: 'one-at-a-time' })
  const ms = performance.now() - startedAt
  await embedder.close()
  return ms
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`
}
