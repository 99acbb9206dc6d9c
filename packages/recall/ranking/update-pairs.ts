/**
 * Pairs of messages of which the newer may update the older: their features, and the probability that one updates the
 * other. Most features need no language: shared words by their rarity among the messages, numbers of one unit,
 * speakers, time. The words of change are lists by language, and a language without a list only lacks these features.
 */
import { readFileSync } from 'node:fs'
import { inverseDocumentFrequency } from '@loomlog/language/bm25'
import type { Role } from '@loomlog/schemas/events'
import type { ScoredMemory } from '../memory.ts'
import { sentencesWithout, withoutSpeaker } from '../search/wording.ts'
import { stemsOf } from '../text/stems.ts'

/** A message as the pairs compare it. */
export interface Statement {
  readonly text: string
  readonly speaker: string
  readonly role: Role | null
  readonly conversation: string
  readonly at: number
}

/** Best messages that are compared: some fifty microseconds a pair. */
export const maxCompared = 20

/** The message without the sentences that are known to be outdated. */
export function statementOf({
  memory,
  role,
}: {
  readonly memory: Pick<ScoredMemory, 'text' | 'speaker' | 'conversation' | 'at' | 'outdated'>
  readonly role: Role | null
}): Statement {
  const { speaker, conversation, at, outdated = [] } = memory
  const text = sentencesWithout(withoutSpeaker(memory), outdated).join(' ')
  return { text, speaker, role, conversation, at: at ?? 0 }
}

/** Only the start of a longer message is compared. */
const maxCharacters = 1_500
/** Values of a message that are compared. */
const maxValues = 30
const dayMs = 86_400_000

const change =
  /(?<![\p{L}\p{N}])(?:now|instead|after all|in the end|no longer|any ?more|actually|correction|scratch that|changed?|moved?|moves|switch\w*|swap\w*|replac\w+|updat\w+|new|since|from (?:now|today|tomorrow|monday|tuesday|wednesday|thursday|friday)|became|becomes?|turn(?:s|ed) out|postpon\w+|delay\w*|slip\w*|reschedul\w+|pushed|raised|lowered|up to|down to|cancel\w*|sold|left|quit|took over|takes over|gave up|back to|jetzt|nun|statt\w*|doch|nicht mehr|ab sofort|geändert|verschoben|neue?[rsmn]?|maintenant|finalement|plutôt|désormais|ne \w+ plus|changé|nouveau|nouvelle|ahora|ya no|en vez|al final|cambi\w+|mejor|nuev[oa])(?![\p{L}\p{N}])|現在|今は|変更|変わ|やっぱり|ではなく|もう|改|换|不再|现在|而是/iu
const negation =
  /(?<![\p{L}])(?:not|no|never|n[o']t|\p{L}+n['’]t|nicht|kein\w*|ne|pas|nunca|sin)(?![\p{L}])|ない|ません|不|没/iu
const supposed =
  /(?<![\p{L}])(?:if|maybe|perhaps|might|would|could|suppose|imagine|consider\w*|thinking (?:of|about)|wenn|vielleicht|könnte|würde|si|peut-être|quizás?|tal vez)(?![\p{L}])|もし|かも|如果|也许|可能/iu
const hearsay = /\b(?:said|says|told|tells|heard|apparently|according|reckons?|claims?|thinks|supposedly|rumou?r)\b/i
const ofOneself =
  /(?<![\p{L}])(?:i|i['’]m|i['’]ve|my|me|we|our|ich|mein\w*|wir|je|j|mon|ma|mes|nous|yo|mi|mis)(?![\p{L}])|私|僕|我/iu
const asks = /[?？]\s*$/
const howMany =
  /\bhow (?:many|much|long|often|big|far|old)\b|\bwhat (?:price|budget|number|share|rate)\b|何|几|多少|combien|cuánt|wie viel/i
const whenAsked =
  /\bwhen\b|\b(?:what|which) (?:time|date|day|month|week|year)\b|deadline|wann|quand|cuándo|いつ|什么时候/i

const number = /(?<sign>[£$€¥])?(?<digits>\d(?:[\d.,:/-]*\d)?)(?<percent> ?%)?(?:\s?(?<unit>\p{L}+))?/gu
const day =
  /(?<![\p{L}])(?:mon|tues|wednes|thurs|fri|satur|sun)days?(?![\p{L}])|(?<![\p{L}])(?:january|february|march|april|june|july|august|september|october|november|december)(?![\p{L}])|[月火水木金土日]曜|星期.|周[一二三四五六日]/giu
const name = /(?<=[\p{Ll},;:)] )\p{Lu}[\p{L}\p{N}-]+/gu

interface Value {
  readonly kind: string
  readonly value: string
}

interface Reading {
  readonly stems: ReadonlySet<string>
  /** The values by their kind. */
  readonly values: ReadonlyMap<string, ReadonlySet<string>>
  readonly names: ReadonlySet<string>
  readonly isChange: number
  readonly isNegated: number
  readonly isSupposed: number
  readonly isHearsay: number
  readonly isAsking: number
  readonly isOfOneself: number
  readonly length: number
}

function read(text: string): Reading {
  const start = text.slice(0, maxCharacters)
  const flag = (pattern: RegExp) => Number(pattern.test(start))
  return {
    stems: new Set(stemsOf(start).counts.keys()),
    values: valuesByKind(start),
    names: new Set([...start.matchAll(name)].map(([found]) => found)),
    isChange: flag(change),
    isNegated: flag(negation),
    isSupposed: flag(supposed),
    isHearsay: flag(hearsay),
    isAsking: flag(asks),
    isOfOneself: flag(ofOneself),
    length: Math.log(1 + start.length),
  }
}

function valuesByKind(text: string): ReadonlyMap<string, ReadonlySet<string>> {
  const byKind = new Map<string, Set<string>>()
  for (const { kind, value } of [...valuesIn(text)].slice(0, maxValues))
    byKind.set(kind, (byKind.get(kind) ?? new Set<string>()).add(value))
  return byKind
}

function* valuesIn(text: string): Generator<Value> {
  for (const { groups = {} } of text.matchAll(number)) {
    const { sign, digits = '', percent, unit = '' } = groups
    const kind = sign ? 'money' : percent ? 'share' : /[:/-]/.test(digits) ? 'time' : stemKind(unit)
    yield { kind, value: digits }
  }
  for (const [found] of text.matchAll(day)) yield { kind: 'day', value: found.toLowerCase().replace(/s$/, '') }
}

function stemKind(unit: string): string {
  const [stem = ''] = stemsOf(unit).counts.keys()
  return `number ${stem}`
}

export interface Pair {
  /** Positions among the statements. */
  readonly older: number
  readonly newer: number
  /** Of the words of both, by their rarity, the share that they have in common. */
  readonly shared: number
  readonly features: readonly number[]
}

export const pairFeatures = [
  'same speaker',
  'newer of an agent',
  'newer of a tool',
  'older of an agent',
  'older of a tool',
  'both of one tool',
  'same conversation',
  'within an hour',
  'within a day',
  'days',
  'shared words',
  'rarest shared word',
  'share of the shorter',
  'question words of both',
  'question words of the newer',
  'question words of the older',
  'question words of the older that the newer has',
  'change in the newer',
  'change in the older',
  'negation in the newer',
  'supposition in the newer',
  'supposition in the older',
  'hearsay in the newer of another',
  'question in the newer',
  'question in the older',
  'both of themselves, one speaker',
  'both of themselves, two speakers',
  'other value of one kind',
  'same value of one kind',
  'other value, for a number',
  'other day or time, for a time',
  'shared names',
  'other names',
  'newer names the old value',
  'newer rank',
  'older rank',
  'newer length',
  'older length',
  'change and shared words',
  'change and other value',
  'same speaker and shared words',
  'other value and shared words',
] as const

/** All pairs of statements, best first as given, of which one is newer. */
export function pairsOf(statements: readonly Statement[], query: string): readonly Pair[] {
  const readings = statements.map(({ text }) => read(text))
  const counts = new Map<string, number>()
  for (const { stems } of readings) for (const stem of stems) counts.set(stem, (counts.get(stem) ?? 0) + 1)
  const rarity = (stem: string) => inverseDocumentFrequency(counts.get(stem) ?? 0, statements.length)
  const sum = (stems: Iterable<string>) => {
    let all = 0
    for (const stem of stems) all += rarity(stem)
    return all
  }
  const weights = readings.map(({ stems }) => sum(stems))
  const question = stemsOf(query).counts
  const asked = new Set(question.keys())
  const ofQuestion = sum(asked) || 1
  const isNumber = Number(howMany.test(query))
  const isTime = Number(whenAsked.test(query))
  const pairs: Pair[] = []
  for (const [older, o] of statements.entries()) {
    const ro = readings[older] as Reading
    const oldAsked = sum(common(asked, ro.stems)) / ofQuestion
    for (const [newer, n] of statements.entries()) {
      if (n.at <= o.at) continue
      const rn = readings[newer] as Reading
      const shared = common(rn.stems, ro.stems)
      const weight = sum(shared)
      const newAsked = sum(common(asked, rn.stems)) / ofQuestion
      const bothAsked = sum(common(asked, shared)) / ofQuestion
      const [ofNewer = 0, ofOlder = 0] = [weights[newer], weights[older]]
      const jaccard = weight / (ofNewer + ofOlder - weight || 1)
      const rarest = Math.max(0, ...[...shared].map(rarity)) / 4
      const ofShorter = weight / (Math.min(ofNewer, ofOlder) || 1)
      const shareKind = [...rn.values].flatMap(([kind, own]) => {
        const others = ro.values.get(kind)
        return others === undefined ? [] : [{ kind, own, others }]
      })
      const isOther = (own: ReadonlySet<string>, others: ReadonlySet<string>) =>
        [...own].some((value) => !others.has(value))
      const hasOther = Number(shareKind.some(({ own, others }) => isOther(own, others)))
      const hasSame = Number(shareKind.some(({ own, others }) => [...own].some((value) => others.has(value))))
      const ofTime = (kind: string) => /^(?:day|time)/.test(kind)
      const otherTime = Number(
        [...ro.values.keys()].some(ofTime) &&
          [...rn.values].some(([kind, own]) => ofTime(kind) && isOther(own, ro.values.get(kind) ?? new Set())),
      )
      const same = Number(n.speaker === o.speaker)
      const days = (n.at - o.at) / dayMs
      const isOne = Number(ro.isOfOneself && rn.isOfOneself)
      const sharedNames = common(rn.names, ro.names).size
      const otherNames = Number(sharedNames === 0 && rn.names.size > 0 && ro.names.size > 0)
      pairs.push({
        older,
        newer,
        shared: jaccard,
        features: [
          same,
          Number(n.role === 'agent'),
          Number(n.role === 'tool'),
          Number(o.role === 'agent'),
          Number(o.role === 'tool'),
          Number(n.role === 'tool' && same === 1),
          Number(n.conversation === o.conversation),
          Number(days < 1 / 24),
          Number(days < 1),
          Math.log1p(days),
          jaccard * 4,
          rarest,
          ofShorter * 2,
          bothAsked,
          newAsked,
          oldAsked,
          oldAsked === 0 ? 0 : bothAsked / oldAsked,
          rn.isChange,
          ro.isChange,
          rn.isNegated,
          rn.isSupposed,
          ro.isSupposed,
          rn.isHearsay * (1 - same),
          rn.isAsking,
          ro.isAsking,
          isOne * same,
          isOne * (1 - same),
          hasOther,
          hasSame,
          hasOther * isNumber,
          otherTime * isTime,
          Math.min(2, sharedNames),
          otherNames,
          hasSame * hasOther,
          Math.log1p(newer),
          Math.log1p(older),
          rn.length,
          ro.length,
          rn.isChange * jaccard * 4,
          rn.isChange * hasOther,
          same * jaccard * 4,
          hasOther * jaccard * 4,
        ],
      })
    }
  }
  return pairs
}

function common(some: ReadonlySet<string>, others: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...some].filter((each) => others.has(each)))
}

interface PairWeights {
  readonly bias: number
  readonly features: { readonly [name: string]: number }
}

/**
 * Learned again by `npm run eval -- corpus pairs --data test/corpus/learn --learn
 * packages/recall/ranking/pair-weights.json`.
 */
const learned = JSON.parse(readFileSync(new URL('pair-weights.json', import.meta.url), 'utf8')) as PairWeights
const featureWeights = pairFeatures.map((name) => learned.features[name] ?? 0)

/** The probability that the newer message updates the older one. */
export function probabilityOf({ features }: Pick<Pair, 'features'>): number {
  const sum = features.reduce((all, value, at) => all + value * (featureWeights[at] as number), learned.bias)
  return 1 / (1 + Math.exp(-sum))
}
