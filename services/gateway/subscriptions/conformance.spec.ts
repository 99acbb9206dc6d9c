/**
 * For vitest, which the suite needs: the conformance suite of Durable Streams, against the server of CONFORMANCE_URL.
 */
import { runConformanceTests } from '@durable-streams/server-conformance-tests'

runConformanceTests({ baseUrl: process.env.CONFORMANCE_URL ?? '', longPollTimeoutMs: 2_000 })
