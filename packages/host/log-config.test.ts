import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLoomlogError } from '@loomlog/errors'
import { configFrom } from './config.ts'
import { logConfig } from './log-config.ts'

const kafka = {
  LOOMLOG_LOG: 'kafka',
  LOOMLOG_KAFKA_BROKERS: 'a:9092, b.example:9093',
  LOOMLOG_REGISTRY_URL: 'https://registry.example/v7',
}

test('the embedded log is the default, and the session is left to the log', () => {
  assert.deepEqual(logConfig({}), { kind: 'sqlite' })
  assert.deepEqual(configFrom({ LOOMLOG_DIR: 'd' }).session, {})
  assert.deepEqual(configFrom({ LOOMLOG_SESSION_MS: '700' }).session, { sessionMs: 700 })
})

test("a model's in-flight limit and timeout are settings, and checked", () => {
  const model = { LOOMLOG_MODEL: 'm', LOOMLOG_API_KEY: 'k' }
  const limits = (environment: Record<string, string>) => {
    const { maxConcurrent, timeoutMs } = configFrom({ ...model, ...environment }).endpoint ?? {}
    return { maxConcurrent, timeoutMs }
  }
  assert.deepEqual(limits({}), { maxConcurrent: 8, timeoutMs: 120_000 })
  const given = { LOOMLOG_MODEL_CONCURRENCY: '64', LOOMLOG_MODEL_TIMEOUT_MS: '5000' }
  assert.deepEqual(limits(given), { maxConcurrent: 64, timeoutMs: 5_000 })
  assert.throws(() => limits({ LOOMLOG_MODEL_CONCURRENCY: '0' }), /LOOMLOG_MODEL_CONCURRENCY is "0": expected/)
})

test('a log on Kafka has a folder of its own, by its environment', () => {
  assert.equal(configFrom({ ...kafka, LOOMLOG_DIR: 'd' }).dir, 'd/kafka-loomlog')
  assert.equal(configFrom({ ...kafka, LOOMLOG_DIR: 'd', LOOMLOG_KAFKA_ENVIRONMENT: 'x' }).dir, 'd/kafka-x')
})

test('LOOMLOG_VIEWS sets the place of the views, and each log on Kafka has its own place in it', () => {
  assert.equal(configFrom({}).views, null)
  assert.equal(configFrom({ LOOMLOG_VIEWS: 's3://bucket/views/' }).views, 's3://bucket/views')
  assert.equal(configFrom({ ...kafka, LOOMLOG_VIEWS: 's3://bucket/views' }).views, 's3://bucket/views/kafka-loomlog')
  for (const wrong of ['', 'http://bucket', 'file:///tmp/views']) {
    assert.throws(() => configFrom({ LOOMLOG_VIEWS: wrong }), { code: 'config-invalid', message: /LOOMLOG_VIEWS is/ })
  }
})

test('brokers, registry, TLS and SASL are taken from the environment', () => {
  const config = logConfig({
    ...kafka,
    LOOMLOG_REGISTRY_USERNAME: 'reg',
    LOOMLOG_REGISTRY_PASSWORD: 'p1',
    LOOMLOG_REGISTRY_CA_FILE: 'registry-ca.pem',
    LOOMLOG_KAFKA_REPLICATION: '3',
    LOOMLOG_KAFKA_MIN_INSYNC: '2',
    LOOMLOG_KAFKA_TLS: 'on',
    LOOMLOG_KAFKA_CA_FILE: 'ca.pem',
    LOOMLOG_KAFKA_SASL: 'scram-sha-512',
    LOOMLOG_KAFKA_USERNAME: 'kaf',
    LOOMLOG_KAFKA_PASSWORD: 'p2',
  })
  assert.deepEqual(config, {
    kind: 'kafka',
    brokers: ['a:9092', 'b.example:9093'],
    registry: { url: 'https://registry.example/v7', auth: { username: 'reg', password: 'p1' }, ca: 'registry-ca.pem' },
    environment: 'loomlog',
    replication: { factor: 3, minInSync: 2 },
    tls: { ca: 'ca.pem', client: null },
    sasl: { mechanism: 'scram-sha-512', username: 'kaf', password: 'p2' },
  })
})

test('a wrong setting is refused by its name', () => {
  const wrong: readonly (readonly [name: string, settings: Readonly<Record<string, string | undefined>>])[] = [
    ['LOOMLOG_LOG', { LOOMLOG_LOG: 'paper' }],
    ['LOOMLOG_KAFKA_BROKERS', { LOOMLOG_KAFKA_BROKERS: undefined }],
    ['LOOMLOG_KAFKA_BROKERS', { LOOMLOG_KAFKA_BROKERS: 'a:9092,b' }],
    ['LOOMLOG_REGISTRY_URL', { LOOMLOG_REGISTRY_URL: undefined }],
    ['LOOMLOG_REGISTRY_URL', { LOOMLOG_REGISTRY_URL: 'registry:8081' }],
    [
      'LOOMLOG_REGISTRY_CA_FILE',
      { LOOMLOG_REGISTRY_CA_FILE: 'ca.pem', LOOMLOG_REGISTRY_URL: 'http://registry.example' },
    ],
    ['LOOMLOG_REGISTRY_PASSWORD', { LOOMLOG_REGISTRY_USERNAME: 'reg' }],
    ['LOOMLOG_KAFKA_ENVIRONMENT', { LOOMLOG_KAFKA_ENVIRONMENT: 'a_b' }],
    ['LOOMLOG_KAFKA_REPLICATION', { LOOMLOG_KAFKA_REPLICATION: '0' }],
    ['LOOMLOG_KAFKA_MIN_INSYNC', { LOOMLOG_KAFKA_REPLICATION: '2', LOOMLOG_KAFKA_MIN_INSYNC: '3' }],
    ['LOOMLOG_KAFKA_TLS', { LOOMLOG_KAFKA_TLS: 'yes' }],
    ['LOOMLOG_KAFKA_TLS', { LOOMLOG_KAFKA_CA_FILE: 'ca.pem' }],
    ['LOOMLOG_KAFKA_CERT_FILE', { LOOMLOG_KAFKA_TLS: 'on', LOOMLOG_KAFKA_KEY_FILE: 'key.pem' }],
    ['LOOMLOG_KAFKA_SASL', { LOOMLOG_KAFKA_SASL: 'gssapi' }],
    ['LOOMLOG_KAFKA_SASL', { LOOMLOG_KAFKA_USERNAME: 'kaf', LOOMLOG_KAFKA_PASSWORD: 'p' }],
    ['LOOMLOG_KAFKA_PASSWORD', { LOOMLOG_KAFKA_SASL: 'plain', LOOMLOG_KAFKA_USERNAME: 'kaf' }],
  ]
  for (const [name, settings] of wrong) {
    assert.throws(
      () => logConfig({ ...kafka, ...settings }),
      (error) => isLoomlogError(error, 'config-invalid') && error.message.startsWith(name),
      name,
    )
  }
})

test('no message holds a secret', () => {
  const secrets = [
    { LOOMLOG_REGISTRY_URL: 'https://reg:hush@registry.example' },
    { LOOMLOG_KAFKA_PASSWORD: 'hush' },
    { LOOMLOG_REGISTRY_PASSWORD: 'hush' },
  ]
  for (const settings of secrets) {
    assert.throws(
      () => logConfig({ ...kafka, ...settings }),
      (error) => isLoomlogError(error, 'config-invalid') && !error.message.includes('hush'),
    )
  }
})
