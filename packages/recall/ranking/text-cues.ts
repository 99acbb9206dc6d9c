/** Cues in a text by itself, the same for every question. Booleans are 0 or 1, as features count them. */

const timeWords =
  /\b(?:\d{4}|yesterday|today|tomorrow|tonight|ago|last|next|weekend|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|june|july|august|september|october|november|december|weeks?|months?|years?)\b/i
const number = /\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|couple|few|once|twice)\b/i
/** A capital within a sentence. */
const name = /[a-z,] \p{Lu}\p{Ll}{2,}/u
const names = new RegExp(name, 'gu')
const mostNames = 3
const reason = /\b(?:because|since|so that|to help|wanted|reason|inspired)\b/i

/** A rule for all later answers, such as `always show code`, also to questions that share no word with it. */
const instruction =
  /(?:^|[.!?;,]\s+(?:and\s+|but\s+)?)(?:please\s+)?(?:always|never)\b|\b(?:from now on|going forward)\b|\b(?:when|whenever|if|every time) I (?:ask|want|request|mention)\b/i
const preference =
  /\bI(?:['’]d| would)? (?:(?:really|also|generally|usually|much) )?(?:prefer|rather|favou?r)\b|\bmy preference\b/i

/** Kinds of answers that a pattern can find in a text. */
export type AnswerKind = 'time' | 'number' | 'place' | 'person' | 'reason'

const patterns = [
  ['time', timeWords],
  ['number', number],
  ['reason', reason],
  ['instruction', instruction],
  ['preference', preference],
] as const
type Pattern = (typeof patterns)[number][0]

export class TextCues {
  readonly #words: string
  /** Tested patterns. A pattern is tested on demand, because most questions need few and testing all is slow. */
  #tested = 0
  /** Tested patterns that match. Both are sets of bits, since thousands of texts are in memory. */
  #matches = 0
  /** Names within sentences, at most 3. */
  readonly nameCount: number
  /** A question mark anywhere. */
  readonly asks: number

  constructor(words: string) {
    this.#words = words
    this.nameCount = Math.min(mostNames, words.match(names)?.length ?? 0)
    this.asks = Number(words.includes('?'))
  }

  /** Whether it has an answer of the kind. */
  holds(kind: AnswerKind): number {
    return kind === 'place' || kind === 'person' ? Number(this.nameCount > 0) : this.#test(kind)
  }

  get isInstruction(): number {
    return this.#test('instruction')
  }

  get isPreference(): number {
    return this.#test('preference')
  }

  #test(pattern: Pattern): number {
    const at = patterns.findIndex(([name]) => name === pattern)
    const bit = 1 << at
    if ((this.#tested & bit) === 0) {
      this.#tested |= bit
      if (patterns[at]?.[1].test(this.#words)) this.#matches |= bit
    }
    return Number((this.#matches & bit) !== 0)
  }
}
