/**
 * `npm run test:faults -- --data FILE [--kills 20] [--seed N] [--json FILE]`: the campaign at full size. A LoCoMo file is ingested
 * undisturbed; then again into another folder, killed at every named crash point and at random moments, and started again each
 * time. The canonical dumps must be equal, and every acknowledged utterance must be there.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { LoomlogError } from '@loomlog/errors'
import { dieAt, killAfter, pointsInOrder } from '../pipeline/interrupted.ts'
import { loomlog } from '../pipeline/loomlog.ts'
import { seeded } from '../seeded.ts'

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    kills: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    json: { type: 'string' },
  },
})
const data = values.data ?? process.env.LOOMLOG_DATA
if (!data) throw new LoomlogError('input-invalid', '--data is missing: expected the path of a LoCoMo file')
const seed = Number(values.seed)
const random = seeded(seed)
const environment = { LOOMLOG_SESSION_MS: '1000' }
const folder = await mkdtemp(join(tmpdir(), 'loomlog-faults-'))
const argsFor = (dir: string) => ['ingest', data, '--format', 'locomo', '--space', 'faults', '--dir', dir, '--json']

interface Dump {
  readonly lines: number
  readonly sha256: string
}

async function finish(dir: string): Promise<Dump> {
  const run = await loomlog(argsFor(dir), environment)
  if (run.code !== 0) throw new Error(`the ingest ended with ${run.code}: ${run.stderr}`)
  const dump = await loomlog(['dump', '--hash', '--json', '--dir', dir])
  return JSON.parse(dump.stdout) as Dump
}

async function utterances(dir: string): Promise<number> {
  const { stdout } = await loomlog(['tail', 'utterances', '--dir', dir])
  return stdout.split('\n').filter((line) => line !== '').length
}

console.log(`seed ${seed}`)
const startedAt = performance.now()
const undisturbed = await finish(join(folder, 'undisturbed'))
const undisturbedMs = performance.now() - startedAt
console.log(`undisturbed: ${undisturbed.lines} lines, ${undisturbed.sha256}, ${Math.round(undisturbedMs / 1_000)} s`)

const dir = join(folder, 'killed')
const ingest = { args: argsFor(dir), environment }
const atEnd = 'lease.before-release'
let acknowledged = 0
for (const point of pointsInOrder.filter((each) => each !== atEnd)) {
  const pass = 1 + Math.floor(random() * 3)
  acknowledged += (await dieAt(point, pass, ingest)).acknowledged
  console.log(`killed at ${point}:${pass}`)
}
let killed = 0
const longestMs = (2 * undisturbedMs) / Number(values.kills)
for (let kill = 0; kill < Number(values.kills); kill += 1) {
  const run = await killAfter(1_000 + random() * longestMs, ingest)
  acknowledged += run.acknowledged
  killed += run.outcome === 'killed' ? 1 : 0
  console.log(`run ${kill + 1}: ${run.outcome}`)
}
await dieAt(atEnd, 1, ingest)
console.log(`killed at ${atEnd}`)
const disturbed = await finish(dir)
const records = await utterances(dir)
const ok = disturbed.sha256 === undisturbed.sha256 && acknowledged > 0 && records >= acknowledged
const result = {
  seed,
  kills: killed,
  crashPoints: pointsInOrder.length,
  undisturbed,
  disturbed,
  acknowledged,
  records,
  ok,
}
console.log(
  `${ok ? 'equal' : 'NOT EQUAL'}: ${disturbed.lines} lines, ${disturbed.sha256}; ${killed} kills at random moments`,
)
if (values.json) await writeFile(values.json, `${JSON.stringify(result, null, 2)}\n`)
await rm(folder, { recursive: true, force: true })
process.exitCode = ok ? 0 : 1
