/**
 * The cost of an ingest: `npm run bench -- ingest --data FILE [--json FILE]`. A LoCoMo file is ingested into an empty
 * folder and derived by rules. Measured: utterances a second, the peak memory of the process (Linux), and the size of
 * the folder. In the same run, the same distinct texts are embedded by themselves.
 */
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { cpus, platform, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { LoomlogError } from '@loomlog/errors'
import { wordEmbedder } from '@loomlog/models/words'
import { writeResult } from '../figures/result.ts'
import { loomlog, startProgram } from '../pipeline/loomlog.ts'
import { peakMemory } from './peak-memory.ts'

export async function benchIngest(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args: [...args], options: { data: { type: 'string' }, json: { type: 'string' } } })
  const data = values.data ?? process.env.LOOMLOG_DATA
  if (!data) throw new LoomlogError('input-invalid', '--data is missing: expected the path of a LoCoMo file')
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-bench-'))
  try {
    const { ingestMs, peakMemoryBytes } = await ingest(data, dir)
    const { utterances, texts } = await contentOf(dir)
    const result = {
      utterances,
      ingestMs,
      utterancesPerSecond: utterances / (ingestMs / 1_000),
      peakMemoryBytes,
      bytesPerUtterance: (await sizeOf(dir)) / utterances,
      texts: texts.length,
      embeddingMs: await embedAll(texts),
    }
    await writeResult(values.json, 'bench -- ingest', result)
    console.log(`${cpus().length} cores, ${platform()}, Node ${process.versions.node}`)
    console.table(result)
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

async function ingest(data: string, dir: string) {
  const startedAt = performance.now()
  const command = ['ingest', data, '--format', 'locomo', '--space', 'bench', '--dir', dir, '--json']
  const { process: child, finished } = startProgram(command, { LOOMLOG_EMBEDDER: 'words' })
  const stop = new AbortController()
  const watch = peakMemory(child.pid ?? 0, stop.signal)
  const run = await finished
  const ingestMs = performance.now() - startedAt
  stop.abort()
  if (run.code !== 0) throw new Error(run.stderr)
  return { ingestMs, peakMemoryBytes: await watch }
}

async function sizeOf(dir: string): Promise<number> {
  const files = (await readdir(dir, { recursive: true, withFileTypes: true })).filter((each) => each.isFile())
  const sizes = await Promise.all(files.map(async (file) => (await stat(join(file.parentPath, file.name))).size))
  return sizes.reduce((sum, size) => sum + size, 0)
}

/**
 * Every utterance, and every distinct text that the ingest embedded, for decisions or for views: utterances, facts,
 * events and entries.
 */
async function contentOf(dir: string): Promise<{ readonly utterances: number; readonly texts: readonly string[] }> {
  const texts = new Set<string>()
  let utterances = 0
  for (const topic of ['topic-shifts', 'facts', 'event-links', 'consolidations']) {
    const { stdout } = await loomlog(['tail', topic, '--dir', dir])
    for (const line of stdout.split('\n').filter((each) => each !== '')) {
      const { event } = JSON.parse(line) as {
        event: {
          type: string
          text?: string
          utterances?: { text: string; attachments: { kind: string; description: string }[] }[]
        }
      }
      if (event.text !== undefined) texts.add(event.text)
      // Only a box has a list of utterances; in other events the field is their number.
      for (const said of event.type === 'BoxSealed' ? (event.utterances ?? []) : []) {
        utterances += 1
        texts.add(said.text + said.attachments.map((each) => ` [${each.kind}: ${each.description}]`).join(''))
      }
    }
  }
  return { utterances, texts: [...texts] }
}

async function embedAll(texts: readonly string[]): Promise<number> {
  const embedder = wordEmbedder()
  await embedder.embed(['loads the vectors'])
  const startedAt = performance.now()
  await embedder.embed(texts)
  return performance.now() - startedAt
}
