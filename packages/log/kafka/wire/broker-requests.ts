/**
 * Replaces the body of kafkajs's produce requests and the decoder of its fetch responses, and returns the batches that
 * are too large as results. Connections, transactions, sequence numbers and retries stay kafkajs's. The replacement is
 * in a broker's look-up of requests, in our own clusters only.
 */
import { LoomlogError } from '@loomlog/errors'
import { fetchResponse } from './fetch-response.ts'
import { encoderOf } from './kafkajs-codec.ts'
import type { BrokerInternals, Lookup, RequestCodec, RequestFactory } from './kafkajs-internals.ts'
import { type ProduceRequest, produceBody } from './produce-request.ts'

interface ProduceResponse {
  readonly topics: readonly { readonly partitions: readonly { readonly errorCode: number }[] }[]
}

/** `MESSAGE_TOO_LARGE` and `RECORD_LIST_TOO_LARGE`. */
const tooLarge: ReadonlySet<number> = new Set([10, 18])
const produceKey = 0
const fetchKey = 1
/** The newest version that kafkajs has; brokers support it since Kafka 2.3. */
const fetchVersion = 11

export function withReplacedRequests<B extends BrokerInternals>(broker: B): B {
  let lookup = broker.lookupRequest
  Object.defineProperty(broker, 'lookupRequest', {
    get: () => lookup,
    set: (found: Lookup) => {
      lookup = (apiKey, definition) => replacedRequest(apiKey, found(apiKey, definition))
    },
  })
  return broker
}

function replacedRequest(apiKey: number, make: RequestFactory): RequestFactory {
  if (apiKey === produceKey)
    return (options) => {
      const request = options as ProduceRequest
      return withRefusals(withProduceBody(make(options), request), request)
    }
  return apiKey === fetchKey ? (options) => withFetchDecoder(make(options)) : make
}

function withProduceBody(codec: RequestCodec, request: ProduceRequest): RequestCodec {
  return { ...codec, request: { ...codec.request, encode: async () => encoderOf(produceBody(request)) } }
}

/**
 * kafkajs throws the first error of a response, and hides which partitions were written. A batch above its topic's
 * limit is refused whole, so its outcome is known: it stays in the response with its error code. In a transaction it is
 * an error.
 */
function withRefusals(codec: RequestCodec, { transactionalId }: ProduceRequest): RequestCodec {
  if (transactionalId) return codec
  const { decode, parse } = codec.response
  const parseOthers = async (decoded: ProduceResponse) => {
    const partitions = decoded.topics.flatMap((topic) => topic.partitions)
    const isKnown = partitions.every(({ errorCode }) => errorCode === 0 || tooLarge.has(errorCode))
    return isKnown ? decoded : await parse(decoded as never)
  }
  return { ...codec, response: { decode, parse: parseOthers } }
}

function withFetchDecoder(codec: RequestCodec): RequestCodec {
  const { apiVersion } = codec.request
  if (apiVersion !== fetchVersion) throw tooOld(apiVersion)
  return { ...codec, response: { ...codec.response, decode: async (bytes) => fetchResponse(bytes) } }
}

function tooOld(version: number): LoomlogError {
  const message = `the brokers fetch by version ${version}, and loomlog needs ${fetchVersion}: Kafka 2.3 or later`
  return new LoomlogError('config-invalid', message)
}
