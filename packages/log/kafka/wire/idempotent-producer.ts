/**
 * The producer of appends: kafkajs's own, on a cluster that encodes produce requests in one pass (produce-request.ts).
 * Retries keep the sequence numbers, so the broker drops duplicates. A producer that gave up must be discarded.
 */
import type { Producer } from 'kafkajs'
import type { Connect } from '../driver.ts'
import { createProducer } from './kafkajs-internals.ts'

export function idempotentProducer({ kafka, cluster, retry }: Connect): Producer {
  return createProducer({ cluster: cluster(), logger: kafka.logger(), retry, idempotent: true })
}
