/** Another client reads loomlog's topics: Confluent's for Python, over the same TLS, SASL and registry. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Log } from '@loomlog/log/port'
import { Codec } from '@loomlog/schemas/codec'
import type { EdgeCluster } from './edge-cluster.ts'

const run = promisify(execFile)
const python = process.env.LOOMLOG_TEST_PYTHON ?? 'python3'
const script = fileURLToPath(new URL('../other-client/read.py', import.meta.url))

interface Line {
  readonly offset: number
  readonly key: string | null
  readonly value?: object
}

const skip = await run(python, ['-c', 'from confluent_kafka.schema_registry.avro import AvroDeserializer']).then(
  () => false as const,
  () => `${python} has no confluent-kafka: pip install -r test/kafka/other-client/requirements.txt`,
)

export function testOtherClient(place: () => EdgeCluster): void {
  test('another client reads every record as loomlog does, with the registry alone', { skip }, async () => {
    const log = await place().openLog()
    const codec = await Codec.open(log.schemas)
    const derived = (await log.topics()).map(({ name }) => name).find((name) => name.startsWith('topic-shifts.'))
    const types = new Set<string>()
    for (const topic of ['utterances', 'generations', derived ?? '']) {
      const ours = await readable(log, codec, topic)
      const theirs = (await read(place(), topic)).filter(({ value }) => value)
      assert.ok(ours.length > 0, topic)
      assert.deepEqual(
        theirs.map(({ offset, key, value }) => ({ offset, key, value })),
        ours.map(({ offset, key, value }) => ({ offset, key, value })),
      )
      for (const { type } of ours) types.add(type)
    }
    for (const type of ['UtteranceAppended', 'GenerationDefined', 'WatermarkAdvanced']) assert.ok(types.has(type), type)
    await log.close()
  })
}

async function readable(log: Log, codec: Codec, topic: string) {
  const found: (Line & { readonly value: object; readonly type: string })[] = []
  for await (const records of log.read({ topic, until: 'end' })) {
    for (const { offset, key, value: bytes } of records) {
      const event = await codec.decodeOrNull(bytes)
      if (event === null) continue
      const { type, ...value } = event
      found.push({ offset, key, type, value })
    }
  }
  return found
}

async function read({ secured, registry, named }: EdgeCluster, topic: string): Promise<readonly Line[]> {
  const { scram } = secured.users
  const kafka = {
    'bootstrap.servers': `127.0.0.1:${secured.port}`,
    'security.protocol': 'SASL_SSL',
    'ssl.ca.location': secured.ca,
    'sasl.mechanism': 'SCRAM-SHA-512',
    'sasl.username': scram.username,
    'sasl.password': scram.password,
  }
  const { username, password } = registry.credentials
  const settings = {
    url: registry.url,
    'ssl.ca.location': secured.ca,
    'basic.auth.user.info': `${username}:${password}`,
  }
  const { stdout } = await run(python, [script, named(topic), JSON.stringify(kafka), JSON.stringify(settings)])
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line)
}
