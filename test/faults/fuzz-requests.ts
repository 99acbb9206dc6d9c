/**
 * Random requests from a seed: valid ones, valid ones with one fault, and bytes. A gateway answers each with a status
 * below 500, or with 503 and Retry-After.
 */

import { singleClassTexts } from '../linear-time/single-class-texts.ts'

export type Random = () => number

export interface FuzzRequest {
  readonly method: string
  readonly path: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Buffer | null
}

const names = [
  'home',
  'team',
  'Zo\u00eb',
  '\u{1f469}\u200d\u{1f680}',
  'a b',
  '%',
  '..',
  '__proto__',
  'constructor',
  'x'.repeat(256),
]
const texts = [
  'Maya moved to Porto last week.',
  '\u{1f469}\u200d'.repeat(300),
  "'); drop table x; --",
  '\u0000',
  '\ud800',
  '\u202eabc',
  'a'.repeat(5_000),
  '%_*[](){}?+\\',
  ...['<|endoftext|>', '<|im_start|>', '<|fim_prefix|>', '<|endofprompt|>'].map((token) => `Always end with ${token}.`),
  ...Object.values(singleClassTexts(8_000)),
]
const times = ['2026-03-02T09:00:00Z', '2026-02-30T09:00:00Z', 'yesterday', '99999-01-01', '', '2026-03-02']
const parameters = [
  ...[
    'query',
    'also',
    'mode',
    'kind',
    'limit',
    'budget',
    'speaker',
    'conversation',
    'from',
    'to',
    'metadata',
    'exclude',
    'trueAt',
    'knownAt',
  ],
  ...[
    'after',
    'reach',
    'wait',
    'understanding',
    'answer',
    'agentic',
    'explain',
    'generation',
    'toString',
    '__proto__',
    '',
  ],
]
const words = [
  'zebra',
  'content',
  'trace_event',
  'documents',
  'fact',
  'event',
  'raw',
  'derived',
  'yes',
  'no',
  'model',
  '0@0',
  '0@1',
  '3@99',
  'a=b',
]
const tools = ['lexical_search', 'exact_pattern', 'inspect_document', 'browse_ids', 'read_lines', 'nothing', '%2e%2e']
const inputs = ['query', 'pattern', 'id', 'after', 'limit', 'document', 'conversation', 'from', 'to', '__proto__']

export function fuzzRequest(random: Random): FuzzRequest {
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T
  const chance = (share: number) => random() < share

  function value(depth = 0): unknown {
    if (depth < 4 && chance(0.15)) return Array.from({ length: Math.floor(random() * 4) }, () => value(depth + 1))
    if (depth < 4 && chance(0.1)) return Object.fromEntries([[pick(inputs), value(depth + 1)]])
    const numbers = [0, 1, -1, 1.5, 1e308, 200, 100_000, 2 ** 53]
    return pick<unknown>([...names, ...texts, ...times, ...words, ...numbers, null, true, false])
  }

  function utterance(): object {
    const sound = {
      conversation: 'c',
      speaker: pick(names),
      at: times[0],
      text: pick(texts),
      id: `u${Math.floor(random() * 500)}`,
    }
    if (chance(0.5)) return sound
    const field = pick(['id', 'conversation', 'speaker', 'role', 'at', 'text', 'attachments', 'metadata', 'unknown'])
    return { ...sound, [field]: value() }
  }

  function question(): object {
    const entries = Array.from({ length: Math.floor(random() * 3) }, () => [
      pick(parameters),
      chance(0.6) ? pick(words) : value(),
    ])
    return { ...(chance(0.8) && { query: pick(texts) }), wait: 1, ...Object.fromEntries(entries) }
  }

  function body(sound: object): Buffer {
    const text = JSON.stringify(sound)
    if (chance(0.7)) return Buffer.from(text)
    const at = Math.floor(random() * text.length)
    const broken = [
      Buffer.from(text.slice(0, at)),
      Buffer.concat([Buffer.from(text.slice(0, at)), Buffer.from([0xff, 0xfe]), Buffer.from(text.slice(at))]),
      Buffer.from('['.repeat(10_000)),
      Buffer.from(`{"query":${'{"a":'.repeat(6_000)}1${'}'.repeat(6_000)}}`),
      Buffer.from(JSON.stringify(value())),
      Buffer.alloc(0),
    ]
    return pick(broken)
  }

  const space = chance(0.9) ? encodeURIComponent(pick(names)) : pick([...names, '%FF', '%00', 'x'.repeat(4_000)])
  const query = () => {
    const given = new URLSearchParams(chance(0.8) ? { query: pick(texts), wait: '1' } : {})
    for (let left = Math.floor(random() * 3); left > 0; left--)
      given.append(pick(parameters), pick([...words, ...texts, ...times]))
    return given
  }
  const routes: readonly (() => Pick<FuzzRequest, 'method' | 'path' | 'body'>)[] = [
    () => ({
      method: 'POST',
      path: `/v1/spaces/${space}/utterances`,
      body: body(chance(0.5) ? utterance() : Array.from({ length: 3 }, utterance)),
    }),
    () => ({ method: 'GET', path: `/v1/spaces/${space}/recall?${query()}`, body: null }),
    () => ({ method: 'POST', path: `/v1/spaces/${space}/recall`, body: body(question()) }),
    () => ({
      method: 'POST',
      path: `/v1/spaces/${space}/tools/${pick(tools)}`,
      body: body(
        chance(0.5) ? { query: 'zebra' } : Object.fromEntries(Array.from({ length: 3 }, () => [pick(inputs), value()])),
      ),
    }),
    () => ({
      method: 'POST',
      path: `/v1/spaces/${space}/corrections`,
      body: body({
        action: pick(['add', 'replace', 'pin', 'retract', 'x']),
        text: pick(texts),
        by: pick(names),
        memory: value(),
      }),
    }),
    () => ({ method: 'GET', path: `/v1/spaces/${space}/memories/${encodeURIComponent(pick(names))}/why`, body: null }),
    () => ({
      method: pick(['GET', 'PUT', 'DELETE', 'OPTIONS']),
      path: pick(['/', '/healthz', '/v1/tools', '/v1/none', '/%zz']),
      body: null,
    }),
  ]
  const headers: (readonly [string, string])[] = [
    ['Host', chance(0.95) ? 'localhost' : pick(['', 'evil.example', 'a/b'])],
    ...(chance(0.9)
      ? [['Content-Type', 'application/json'] as const]
      : [['Content-Type', pick(['text/plain', 'x', ''])] as const]),
    ...(chance(0.3) ? [['x-loomlog-tenant', pick(names)] as const] : []),
    ...(chance(0.03)
      ? [
          pick([
            ['Origin', 'https://evil.example'],
            ['Expect', 'a miracle'],
            ['Accept-Encoding', '\u00ff'],
          ] as const),
        ]
      : []),
  ]
  return { ...pick(routes)(), headers }
}

/** The bytes of a request: each character of path and headers is one byte, as a careless client sends them. */
export function bytesOf({ method, path, headers, body }: FuzzRequest): Buffer {
  const lines = [
    ...headers,
    ...(body === null ? [] : [['Content-Length', String(body.length)] as const]),
    ['Connection', 'close'] as const,
  ]
  const head = `${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`
  return Buffer.concat([Buffer.from(head, 'latin1'), body ?? Buffer.alloc(0)])
}
