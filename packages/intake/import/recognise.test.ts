import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { writtenSource } from './fixture.ts'
import { recognisedFormat } from './recognise.ts'
import { openInputSource } from './source.ts'

const at = '2026-03-02T09:00:00Z'
const line = JSON.stringify({ conversation: 'c', speaker: 'Ada', at, text: 'I sail.' })
const message = { role: 'user', content: 'I sail.' }
const samples: readonly (readonly [format: string, layout: string, content: string])[] = [
  ['jsonl', 'lines', `\n${line}\n${line}\n`],
  ['jsonl', 'lines', ''],
  ['jsonl', 'items', '[]'],
  ['chat', 'items', JSON.stringify([message])],
  ['chat', 'lines', `${JSON.stringify({ messages: [message] })}\n${JSON.stringify({ messages: [message] })}`],
  ['chat', 'lines', JSON.stringify(message)],
  ['chat', 'document', JSON.stringify({ messages: [message] }, null, 2)],
  ['chat', 'lines', '{"messages":[]}'],
  ['chat', 'items', JSON.stringify([{ messages: [] }, { messages: [message] }])],
  ['mem0', 'lines', '{"results":[]}'],
  ['chatgpt', 'items', JSON.stringify([{ title: 'x', mapping: {}, current_node: 'a' }])],
  ['claude', 'items', JSON.stringify([{ uuid: 'x', chat_messages: [] }], null, 2)],
  ['mem0', 'items', JSON.stringify([{ memory: 'x', user_id: 'maya' }])],
  ['mem0', 'lines', JSON.stringify({ results: [{ memory: 'x' }] })],
  ['zep', 'document', JSON.stringify({ sessions: [] }, null, 2)],
  ['zep', 'lines', JSON.stringify({ thread_id: 't', messages: [message] })],
  ['locomo', 'items', JSON.stringify([{ sample_id: 'x', conversation: {} }])],
]

test('each format is recognised by its first value, in each layout', async (t) => {
  for (const [format, layout, content] of samples) {
    const found = await recognisedFormat(await writtenSource(t, content), null)
    assert.deepEqual([found.format, found.layout], [format, layout], content)
  }
})

test('an unknown and an ambiguous file are refused with the list of formats', async (t) => {
  const refused = async (content: string, message: RegExp) =>
    assert.rejects(recognisedFormat(await writtenSource(t, content), null), message)
  await refused(
    '{"colour":"red"}',
    /talk\.json: no known format; expected --format with one of jsonl, chat, chatgpt, claude, mem0, zep, locomo$/,
  )
  await refused('[1]', /no known format/)
  await refused(
    JSON.stringify([{ memory: 'x', mapping: {} }]),
    /not clear which format: chatgpt or mem0; expected --format/,
  )
  await refused('{"oops\n{}', /talk\.json:1: not JSON: .*expected one of the formats jsonl/)
  await refused('[{"oops', /talk\.json: its list has no end after item 0/)
})

test('an archive on standard input is refused with the advice to give it as a file', async () => {
  const archive = '{"format":"loomlog-archive","version":1}\n'
  for (const bytes of [Buffer.from(archive), gzipSync(archive)]) {
    await using source = await openInputSource(Readable.from([bytes]), new AbortController().signal)
    await assert.rejects(recognisedFormat(source, null), /^LoomlogError: standard input.*an archive as a file/)
  }
})
