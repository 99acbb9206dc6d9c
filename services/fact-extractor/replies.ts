/** Replies: a fact in the words of one line is the next speaker's, if that speaker replies to it. */
import { alikeName } from '@loomlog/language/alike-name'
import { terms } from '@loomlog/language/terms'
import type { SpokenLine } from './fact-evidence.ts'

/** Whether one of these lines is the next one of another speaker, and begins with a confirmation. */
export function isConfirmed(origin: SpokenLine, own: readonly SpokenLine[], lines: readonly SpokenLine[]): boolean {
  const next = nextLine(lines, origin, ({ speaker }) => speaker !== origin.speaker)
  if (next === undefined || !own.includes(next) || isGreeting.test(next.text) || !confirmation.test(next.text))
    return false
  return !speaksAbout(origin.text, next.speaker) || terms(next.text.replace(confirmation, '')).length <= 1
}

interface CitedLines {
  /** The cited lines of one speaker. */
  readonly own: readonly SpokenLine[]
  readonly lines: readonly SpokenLine[]
  /** The speaker whom the fact is about, if it is one. */
  readonly subject: string | null
}

/**
 * Whether the next line of the speaker of the cited lines may reply to this one: it is cited, and no greeting, the fact
 * is about one of the two speakers, and this line doesn't speak about the replier. `Ann, do you smoke?` speaks to Ann,
 * `Ann smokes` about her.
 */
export function isAnswered(line: SpokenLine, { own, lines, subject }: CitedLines): boolean {
  const reply = nextLine(lines, line, ({ speaker }) => speaker === own[0]?.speaker)
  if (reply === undefined || !own.includes(reply) || isGreeting.test(reply.text)) return false
  return !isAbout(line, reply.speaker, subject)
}

/** Whether a line speaks about a speaker or in the name of one, or the fact is about a third one. */
export function isAbout({ speaker, text }: SpokenLine, other: string, subject: string | null): boolean {
  const isNamesake = speaker !== other && alikeName(speaker) === alikeName(other)
  return isNamesake || speaksAbout(text, other) || !(subject === null || subject === speaker || subject === other)
}

/** Whether a fact denies something that a line doesn't deny. In English. */
export function denies(fact: string, line: string): boolean {
  return denial.test(fact) && !denial.test(line)
}

const denial = /\b(?:not|no|never|none|nobody|nothing|neither|without|cannot)\b|n['’]t\b/iu

function nextLine(
  lines: readonly SpokenLine[],
  { conversation, place }: SpokenLine,
  isWanted: (line: SpokenLine) => boolean,
): SpokenLine | undefined {
  const later = lines.filter((line) => line.conversation === conversation && line.place > place && isWanted(line))
  return later.toSorted((a, b) => a.place - b.place)[0]
}

/** The speaker whose name a text begins with: the whole one, or a first name that no other speaker has. */
export function speakerFirstIn(text: string, speakers: readonly string[]): string | null {
  const words = partsOf(text)
  const alike = speakers.filter((speaker) => partsOf(speaker)[0] === words[0])
  const whole = alike.find((speaker) => partsOf(speaker).every((part, at) => part === words[at]))
  return whole ?? (alike.length === 1 ? (alike[0] ?? null) : null)
}

/** Whether a text names a speaker otherwise than to address them. Names are compared as they look. */
function speaksAbout(text: string, speaker: string): boolean {
  const parts = partsOf(speaker).filter((part) => part.length > 1 && !title.test(part))
  const names = [...new Set([parts.at(0), parts.at(-1)])].filter((name) => name !== undefined)
  const words = partsOf(text)
  const isName = (word: string | undefined) =>
    word !== undefined && names.some((name) => word === name || (isUnspaced.test(name) && word.includes(name)))
  return words.some((word, at) => {
    if (!isName(word) || isName(words[at - 1])) return false
    return !isAddress(words[at - 1], words[isName(words[at + 1]) ? at + 2 : at + 1])
  })
}

/** `Ann, …`, `Thanks Ann!`, `…, Ann?`, `Ann you …` and `@Ann …`; `Ann: …` is not. */
function isAddress(before: string | undefined, after: string | undefined): boolean {
  if (before === '@' || after === 'you') return true
  const isOpening = before === undefined || title.test(before) || opensAddress.test(before)
  return isOpening && (after === undefined || closesAddress.test(after))
}

const title = /^(?:mr|mrs|ms|dr|herr|frau|monsieur|madame|señor|señora)$/u
const opensAddress = /^(?:[,，、.!?。！？]|hey|hi|hello|morning|afternoon|evening|thanks|ok|okay|so|well|and|dear)$/u
const closesAddress = /^[,，、.!?。！？]$/u
const isUnspaced = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+$/u

/** Words and marks. */
function partsOf(text: string): readonly string[] {
  return alikeName(text).match(/[\p{L}\p{M}\p{N}]+|\S/gu) ?? []
}

const isGreeting =
  /^\P{L}*(?:good (?:morning|evening|afternoon|night)|morning|hello|hi|hey|guten|hola|buenos|buenas|bonjour|bonsoir|καλημέρα|おはよう|こんにちは|早上好|你好)(?!\p{L})/iu

const confirmation = new RegExp(
  String.raw`^\P{L}*(?:${[
    'yes|yeah|yep|yup|ok|okay|sure|right|correct|exactly|indeed|true|agreed|perfect|great|good|fine|please|deal|done|absolutely|definitely',
    "that works|sounds good|go ahead|do it|do that|i did|i do|i will|i am|let’s|let's",
    "ja|genau|stimmt|gerne|klar|passt|bitte|oui|d’accord|d'accord|exact|bien sûr|sí|si|claro|vale|de acuerdo|sim|certo|да|верно",
  ].join('|')})(?!\p{L})|^\P{L}*(?:是|对|好|可以|没错|はい|そう|うん|네)`,
  'iu',
)
