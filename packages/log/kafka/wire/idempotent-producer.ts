/** The producer of appends: kafkajs's own, on a cluster that encodes produce requests in one pass (produce-request.ts). */
import type { Producer } from 'kafkajs'
import type { Connect } from '../driver.ts'
import { createProducer } from './kafkajs-internals.ts'

export function idempotentProducer({ kafka, cluster }: Connect): Producer {
  const retry = { retries: Number.MAX_SAFE_INTEGER }
  return createProducer({ cluster: cluster(), logger: kafka.logger(), retry, idempotent: true })
}
