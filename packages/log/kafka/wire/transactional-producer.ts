/**
 * The producer of a lease: kafkajs's own, on a cluster that caches the coordinator. kafkajs looks it up four times a
 * transaction, nearly half of its requests; here it is looked up again after a second, or when metadata is refreshed,
 * as kafkajs does after every failure.
 */
import type { Producer } from 'kafkajs'
import type { Connect } from '../driver.ts'
import type { Cluster } from './kafkajs-cluster.ts'
import { createProducer } from './kafkajs-internals.ts'

interface CoordinatorQuestion {
  readonly groupId: string
  readonly coordinatorType: number
}

interface Coordinating extends Cluster {
  findGroupCoordinatorMetadata(question: CoordinatorQuestion): Promise<unknown>
}

const rememberedMs = 1_000
/** A transaction left open holds readers up for this long at most. */
const transactionTimeout = 15_000

export function transactionalProducer(connect: Connect, transactionalId: string): Producer {
  const cluster = connect.cluster() as Coordinating
  rememberCoordinators(cluster)
  const logger = connect.kafka.logger()
  return createProducer({
    cluster,
    logger,
    retry: connect.retry,
    idempotent: true,
    transactionalId,
    transactionTimeout,
  })
}

function rememberCoordinators(cluster: Coordinating): void {
  const known = new Map<string, { readonly answer: Promise<unknown>; readonly askedAt: number }>()
  const ask = cluster.findGroupCoordinatorMetadata.bind(cluster)
  const refresh = cluster.refreshMetadata.bind(cluster)
  cluster.findGroupCoordinatorMetadata = (question) => {
    const name = `${question.coordinatorType} ${question.groupId}`
    const found = known.get(name)
    if (found && performance.now() - found.askedAt < rememberedMs) return found.answer
    const answer = ask(question)
    known.set(name, { answer, askedAt: performance.now() })
    answer.catch(() => known.delete(name))
    return answer
  }
  cluster.refreshMetadata = () => {
    known.clear()
    return refresh()
  }
}
