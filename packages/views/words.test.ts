/** Compares the words of the cache with those of LanceDB's index: a query must find the same rows in both. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testRow, testShard, testSpace } from './contract/setup.ts'
import { temporaryFolder } from './lancedb/fixture.ts'
import { lanceStore } from './lancedb/store.ts'
import { SpaceCache } from './space-cache/space-cache.ts'
import { facts } from './tables/facts.ts'

const texts = [
  "can't stop v1.2 3.14 1,000 foo_bar fooBar",
  'naïve café ÀÉÎ straße œuvre',
  'a@b.com http://x.org/y-z U.S.A. Ph.D.',
  'running runner generously skies dying flies',
  "o'clock rock'n'roll John's don’t it’s 1st_place co-op",
  'ABC123def iPhone4s 4th ＡＢＣ ½ ²',
  '我们昨天在北京吃了火锅',
  'สวัสดีครับผมชื่อสมชาย',
  'カタカナ ひらがな 漢字',
  'привет друзья МОСКВА ёлка 한국어를 배웁니다',
  '🎸 rock👍 The Who WHO',
  'x'.repeat(60),
]
const queries = [
  ...texts.flatMap((text) => text.split(' ')),
  ...[
    'cant',
    'foo',
    'bar',
    'cafe',
    'naive',
    'oeuvre',
    'strasse',
    'run',
    'sky',
    'generous',
    'die',
    'clock',
    'n',
    't',
    's',
  ],
  ...[
    '北京',
    '我们',
    '昨天',
    '火锅',
    'ชื่อ',
    'สวัสดี',
    'москва',
    'елка',
    'друз',
    '한국어',
    '4s',
    '123',
    'reuse',
    'who',
    'whom',
  ],
]

test('every query finds the same rows as in LanceDB', async (t) => {
  const shard = await lanceStore(await temporaryFolder(t)).write(testShard)
  const changes = texts.map((text, at) => ({ kind: 'put', row: testRow(`r${at}`, at, { text }) }) as const)
  await shard.apply({ table: facts, changes, watermark: texts.length })
  await shard.optimize()
  const cached = new SpaceCache().searchesOf(shard, testShard.vectorSpace.dimensions)
  for (const query of queries) {
    const search = { space: testSpace, query, limit: texts.length }
    const [there, here] = await Promise.all([shard.fullText(facts, search), cached.fullText(facts, search)])
    const ids = (hits: typeof here) => hits.map(({ row }) => row.id).sort()
    assert.deepEqual(ids(here), ids(there), JSON.stringify(query))
  }
  await shard.close()
})
