/**
 * kafkajs's produce and fetch requests, with bodies and responses of ours: same connections, same transactions, same sequence numbers,
 * same retries. They are put in where a broker looks its requests up, of our own clusters only.
 */
import { LoomlogError } from '@loomlog/errors'
import { fetchResponse } from './fetch-response.ts'
import {
  type BrokerInternals,
  encoderOf,
  type Lookup,
  type RequestCodec,
  type RequestFactory,
} from './kafkajs-internals.ts'
import { isPlain, type ProduceRequest, produceBody } from './produce-request.ts'

const produceKey = 0
const fetchKey = 1
/** The newest that kafkajs knows; brokers have it since Kafka 2.3. */
const fetchVersion = 11

export function withOwnRequests<B extends BrokerInternals>(broker: B): B {
  let lookup = broker.lookupRequest
  Object.defineProperty(broker, 'lookupRequest', {
    get: () => lookup,
    set: (found: Lookup) => {
      lookup = (apiKey, definition) => own(apiKey, found(apiKey, definition))
    },
  })
  return broker
}

function own(apiKey: number, make: RequestFactory): RequestFactory {
  if (apiKey === produceKey) return (options) => writing(make(options), options as ProduceRequest)
  return apiKey === fetchKey ? (options) => reading(make(options)) : make
}

function writing(made: RequestCodec, asked: ProduceRequest): RequestCodec {
  if (!isPlain(asked)) return made
  return { ...made, request: { ...made.request, encode: async () => encoderOf(produceBody(asked)) } }
}

function reading(made: RequestCodec): RequestCodec {
  const { apiVersion } = made.request
  if (apiVersion !== fetchVersion) throw tooOld(apiVersion)
  return { ...made, response: { ...made.response, decode: async (bytes) => fetchResponse(bytes) } }
}

function tooOld(version: number): LoomlogError {
  const message = `the brokers fetch by version ${version}, and loomlog needs ${fetchVersion}: Kafka 2.3 or later`
  return new LoomlogError('config-invalid', message)
}
