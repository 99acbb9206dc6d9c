import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { isLoomlogError } from '@loomlog/errors'
import { checkArchive, recordsOf } from './archive-file.ts'
import { type ArchiveContent, answer, utterance, writeArchive } from './archive-fixture.ts'
import { isArchive } from './archive-lines.ts'

async function temporaryFile(t: TestContext): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-archive-'))
  t.after(() => rm(dir, { recursive: true }))
  return join(dir, 'space.jsonl')
}

const place = { tenant: 'default', space: 's', at: 1, appendedAt: 1 }
const pause = { ...place, type: 'ConversationPaused', id: 'p', conversation: 'c', afterUtterance: 'u' }
const undone = {
  ...place,
  type: 'EvidenceRetracted',
  id: 'e',
  conversation: 'c',
  utterances: ['u'],
  by: 'Maya',
  role: 'human',
}
const retry = { ...place, type: 'RetryRequested', id: 'r', parked: 'p', stage: 's', input: 'i', attempt: 2, by: 'Maya' }
const correction = { action: 'add', kind: 'state', text: 'x', by: 'Maya', role: 'human' }
const corrected = { ...place, type: 'MemoryCorrected', id: 'm', conversation: 'c', ...correction }
const target = { memory: 'f', kind: 'fact', text: 'x', saidAt: 1, sources: ['u'] }

test('events of every kind are whole as writers append them', async (t) => {
  const events = [
    utterance('u', { metadata: { channel: 'mail' }, attachments: [{ kind: 'link', description: 'd', uri: null }] }),
    utterance('first year', { at: Date.parse('0000-01-01T00:00:00+23:59') }),
    utterance('last year', { at: Date.parse('9999-12-31T23:59:59.999-23:59') }),
    pause,
    undone,
    retry,
    { ...corrected, action: 'replace', target, from: 1, when: { from: 1, to: 2, text: '1970' } },
  ]
  const archive = await checkArchive(await writeArchive(await temporaryFile(t), { events, answers: [answer('k')] }))
  assert.deepEqual(archive.counts, { completions: 1, utterances: events.length })
})

const beyond = 9_000_000_000_000_000
const forged: readonly (readonly [string, ArchiveContent, RegExp])[] = [
  ['a time beyond a date', { events: [utterance('u', { at: beyond })] }, /:2: at is 9000000000000000: expected ms/],
  ['a time beyond the years of the intake', { events: [utterance('u', { at: 8e15 })] }, /:2: at is 8/],
  ['a negative log time', { events: [utterance('u', { appendedAt: -5 })] }, /:2: appendedAt is -5/],
  ['no id', { events: [utterance('')] }, /:2: id is "": expected 1 to/],
  ['an id with a line break', { events: [utterance('a\nb')] }, /:2: id is "a\\nb"/],
  ['no conversation', { events: [utterance('u', { conversation: '' })] }, /:2: conversation is ""/],
  ['a speaker on two lines', { events: [utterance('u', { speaker: 'a\nb\u202e' })] }, /:2: speaker is "a\\nb\\u202e"/],
  ['a speaker that is not in NFC', { events: [utterance('u', { speaker: 'A\u030a' })] }, /:2: speaker is .* in NFC/],
  ['a text of white space', { events: [utterance('u', { text: ' ' })] }, /:2: text is " "/],
  ['a text beyond the limit', { events: [utterance('u', { text: 'x'.repeat(65_537) })] }, /:2: text is .*65536/],
  ['a label __proto__', { events: [utterance('u', { metadata: { PROTO: 'x' } })] }, /:2: .*__proto__/],
  ['a label on two lines', { events: [utterance('u', { metadata: { 'a\nb': 'x' } })] }, /:2: metadata is "a\\nb"/],
  ['a pause of no conversation', { events: [{ ...pause, conversation: '' }] }, /:2: conversation is ""/],
  ['a pause after no utterance', { events: [{ ...pause, afterUtterance: '\n' }] }, /:2: afterUtterance is "\\n"/],
  ['a pause beyond a date', { events: [{ ...pause, at: -4e15 }] }, /:2: at is -4/],
  ['an undo of nothing', { events: [{ ...undone, utterances: [] }] }, /:2: utterances is \[\]/],
  ['an undo of an empty id', { events: [{ ...undone, utterances: ['u', ''] }] }, /:2: utterances is ""/],
  ['an undo with a place', { events: [{ ...undone, seq: 4 }] }, /:2: seq is 4: expected null/],
  ['an author on two lines', { events: [{ ...undone, by: 'a\nb' }] }, /:2: by is "a\\nb"/],
  ['a retry by no author', { events: [{ ...retry, by: '' }] }, /:2: by is ""/],
  ['a correction beyond a date', { events: [{ ...corrected, from: beyond }] }, /:2: from is 9/],
  [
    'a correction of a time beyond',
    { events: [{ ...corrected, when: { from: 1, to: beyond, text: '' } }] },
    /:2: when\.to is 9/,
  ],
  [
    'a corrected memory beyond',
    { events: [{ ...corrected, target: { ...target, saidAt: beyond } }] },
    /:2: target\.saidAt is 9/,
  ],
  [
    'an answer before 1970',
    { events: [utterance('u')], answers: [answer('k')], appendedAt: -5 },
    /:2: appendedAt is -5/,
  ],
  ['an answer without a key', { events: [utterance('u')], answers: [answer('')] }, /:2: key is ""/],
  ['no source event', { events: [], answers: [answer('k')] }, /:3: .*expected a source event/],
  [
    'an id with two contents',
    { events: [utterance('u'), utterance('u', { text: 'x' })] },
    /:3: id is "u": expected one/,
  ],
  ['an id twice', { events: [utterance('u'), utterance('u')] }, /:3: id is "u": expected one/],
  ['a key twice', { events: [utterance('u')], answers: [answer('k'), answer('k')] }, /:3: key is "k": expected one/],
]

for (const [name, content, says] of forged) {
  test(`an archive with ${name} is refused with its line`, async (t) => {
    const file = await writeArchive(await temporaryFile(t), content)
    await assert.rejects(checkArchive(file), (error: Error) => {
      assert.ok(isLoomlogError(error, 'input-invalid'), error.stack)
      assert.match(error.message, says)
      return true
    })
  })
}

test('no name of an archive makes a second line of its refusal', async (t) => {
  const file = await temporaryFile(t)
  const hostile = 'x\r\nloomlog: forged line\u001b[2J\u2028'
  const contents: readonly ArchiveContent[] = [
    { events: [{ ...utterance('u'), [hostile]: 1 }] },
    { events: [{ ...pause, conversation: [hostile] }] },
    { events: [{ ...utterance('u'), type: hostile }] },
    { events: [utterance(hostile)] },
    { events: [], answers: [answer('k', { task: hostile })] },
    { header: { version: hostile }, events: [utterance('u')] },
    { header: { space: hostile }, events: [utterance('u')] },
  ]
  for (const content of contents) {
    await writeArchive(file, content)
    await assert.rejects(checkArchive(file), ({ message }: Error) => {
      assert.doesNotMatch(message, /[\p{Cc}\u2028]/u, message)
      return true
    })
  }
  await writeFile(file, `${(await readFile(file, 'utf8')).split('\n')[0]}\n"\r\u001b[2J\n`)
  await assert.rejects(checkArchive(file), ({ message }: Error) => !/\p{Cc}/u.test(message))
})

test('another archive under the name of a checked one is refused', async (t) => {
  const file = await writeArchive(await temporaryFile(t), { events: [utterance('u')] })
  const archive = await checkArchive(file)
  await writeArchive(file, { events: [utterance('v')] })
  const readAgain = async () => {
    for await (const _ of recordsOf(archive));
  }
  await assert.rejects(readAgain(), /has changed since it was checked/)
})

test('an archive with bytes after its gzip is recognised, and refused as a damaged one', async (t) => {
  const file = await writeArchive(await temporaryFile(t), { events: [utterance('u')] })
  await writeFile(file, Buffer.concat([gzipSync(await readFile(file)), Buffer.from('trailing')]))
  assert.equal(await isArchive(file), true)
  await assert.rejects(checkArchive(file), /the gzip is damaged or cut/)
})
