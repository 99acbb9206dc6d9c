/**
 * Standing instructions within a message of a person to an agent, by rules: an order or a wish, with a cue that it
 * holds beyond this answer. Precision first: a sentence in doubt is none. A quotation, pasted text, reported speech,
 * words to another person, a question and a wish for once are none.
 */

export interface Instruction {
  readonly sentence: string
  readonly isForEverybody: boolean
}

/** A longer sentence holds an instruction among other matters. */
const maxCharacters = 300
/** Stands for words of others that were taken out. */
const quoted = '█'

const words = (alternatives: string) => new RegExp(`(?<![\\p{L}\\p{N}])(?:${alternatives})(?![\\p{L}\\p{N}])`, 'iu')

const opening =
  /^(?:(?:and|but|so|also|oh|ok(?:ay)?|yes|no|well|please|pls|kindly|thanks|hello|hi|hey|und|aber|ach|bitte|et|y|por favor)[\s,:.!-]+|(?:two |one |my |house |ground )?(?:thing|rules?|request)[^.:]{0,40}: *)*/iu
const order =
  /^(?:(?:always|never|only|do not|don['’]?t|immer|nie|toujours|siempre|nunca)\s+)?(?:keep|give|show|write|use|send|answer|reply|respond|format|cite|quote|avoid|name|treat|explain|speak|spell|translate|talk|post|mark|add|list|put|round|state|spare|skip|leave|drop|begin|start|end|include|summari[sz]e|stop|read|tell|remind|report|check|assume|prefer|mention|call|address|ring|phone|text|tag|ping|mail|email|message|contact|sign|say|make|ask|schreib\w*|antworte\w*|nenn\w*|gib|zeig\w*|écri[st]\w*|réponds|répondez|donne\w*|utilise\w*|escrib\w*|respond\w*|da(?:me|nos)|usa\w*|h[aá]bl\w*)(?![\p{L}])/iu
const forbidden = /^(?:no|never|nothing|keine?|nie|jamais|pas de|plus de|nunca|nada de)\s/iu
const lasting = words(
  "always|never|ever|every time|each time|at all times|from now(?: on)?|from here on|in (?:the )?future|going forward|whenever|(?:when|if|unless) i (?:ask|say|want|request|mention)|any ?more|immer|nie(?:mals)?|künftig|in zukunft|ab (?:jetzt|sofort)|von jetzt an|jedes ?mal|toujours|jamais|désormais|dorénavant|à l['’]avenir|à partir de maintenant|chaque fois|siempre|nunca|a partir de ahora|de ahora en adelante|en adelante|cada vez",
)
const start = words(
  "from now(?: on)?|in (?:the )?future|going forward|ab (?:jetzt|sofort)|künftig|in zukunft|désormais|dorénavant|à l['’]avenir|a partir de ahora|de ahora en adelante",
)
const condition = words('(?:when(?:ever)?|if|every time|each time) (?:i|we|you|somebody|someone|anyone) \\p{L}+')
const manner = words(
  'answers?|repl(?:y|ies)|lists?|bullets?|bullet points|points|diffs?|files?|summar(?:y|ies)|messages?|e-?mails?|pdfs?|emojis?|units|metric|format|short(?:er)?|long(?:er)?|brief|concise|lines|sentences?|paragraphs?|tables?|reminders?|prose|comments|snippets?|english|german|french|spanish|code|abbreviations|jargon|greetings?|explanations?|spelling|reviews|listen|sätze|antworten|kurz|phrases|frases|réponses|respuestas|emoticonos|tableaux',
)
/** The manner of answers alone: `keep the files on the desk` says nothing about them. */
const ofAnswers = words(
  'answers?|repl(?:y|ies)|bullets?|bullet points|diffs?|emojis?|units|metric|short(?:er)?|brief|concise|paragraphs?|tables?|prose|jargon|explanations?|english|german|french|spanish|antworten|kurz|réponses|respuestas',
)
const toPerson = /\bto \p{Lu}/u
const mine = words('for me|to me|for my|with me|me|my|für mich|bei mir|mir|pour moi|moi|me|para mí|a mí|a mi|conmigo')
const forMe =
  /^(?:(?:and|but|also|und|ach|et|y)[ ,]+)*(?:for|to) me\b|^(?:für mich|bei mir|pour moi|para mí|a mí)(?![\p{L}])/iu
const ruleOf = /\b(?:(?:house|ground|team|two|one(?: more)?) rules?|rule change)\b[^.:]{0,40}:/i
/** Before an order: for whom it is, or from when. */
const preface = /^(?:for (?:us all|all of us|every(?:one|body)(?: here)?|me)|from now on|in future)[\s,:]+/i
const definite = /\b(?:this|that|the) (?:list|file|message|mail|summary|table)\b/i
const leads = /^(?:always|never)\s/i
const keeps = /^keep (?:your|the|all)\b/i
const channel =
  /^(?:do not|don['’]?t|never|only)\s+(?:ring|call|phone|text|tag|ping|e?mail|message|remind|contact|send|write|read)\b/i
const limited = /\b(?:before|after|until|unless|ever|on \w+days|only)\b/i
const forMine = /^(?:and |also )?(?:for|to|with) (?:me|my [^:,.]{2,30})[:,]\s/i
const naming =
  /(?:^|[.!?,] )(?:[Cc]all|[Aa]ddress|[Nn]enn(?:t|en Sie)?|[Aa]ppelle[sz]?[- ]moi|[Ll]l[aá]m[ae]me)(?: me| mich)? \p{Lu}[\p{L}' -]{0,40}[.!]?$/u
const please = words("please|pls|bitte|s['’]il (?:te|vous) pla[iî]t|stp|por favor")
const eastern = /(?:以后|今后|从现在起|每次|总是|一律|これから|今後|毎回|いつも|必ず)/u
const easternOrder = /(?:请|都|要|用|别|不要|不准|ください|ないで|にして|知らせて|書いて|答えて|使って)/u
/** The scope itself: `everyone` alone may be a greeting, or the people who must not learn of something. */
const everybody = words(
  'for every(?:one|body)|for all of us|for (?:us )?all|for the (?:whole|entire) (?:team|lot of us)|every(?:one|body) gets|team rule|für (?:uns )?alle|jeden von uns|pour tou(?:s|tes)|pour tout (?:ce canal|le monde)|para todos|para todas',
)
const everybodyEastern = /所有人|大家|每个人|全員|みんな|皆さん/u

const onlyOnce = words(
  'now|today|tonight|tomorrow|this (?:time|once|week|month|morning|evening|afternoon)|just once|only once|once|right away|next (?:time|week)|heute|morgen|diesmal|jetzt|dieses jahr|cette fois|maintenant|demain|esta vez|ahora|mañana',
)
const reported = words(
  "says?|said|tol[d]|wrote|writes|letter|leaflet|according to|rule was|advice|he|she|they|his|him|her|their|sagt|sagte|schreibt|meint|dit|écrit|dice|escribe|dijo|she['’]s|he['’]s|never again|never mind|forget it|lol|haha|ha ha|joke",
)
const pasted = words(
  'past(?:e|ed|ing)|forward(?:ed|ing)?|quote|verbatim|letter|leaflet|mail from|mail|wrote|writes|weitergeleitet|mail vom|colle|correo de',
)
const anotherPerson = /^(?:(?:and|so|ok|hey|hi|dear)[ ,]+)?\p{Lu}[\p{L}.]+(?:(?: |, | and )\p{Lu}\p{L}+)?[,:!] /u
const narrates =
  /^(?:i|we|it|that|this|there|my|the|you|ich|wir|das|je|nous|yo)\s(?!['’]?d prefer|would prefer|prefer|want you)/i
const asks = /[?？]\s*$/u
const wishes = /^i(?:['’]d| would)? (?:prefer|rather|like)\b/i

/** @param agents names of agents of the conversation */
export function instructionsIn(text: string, agents: readonly string[]): readonly Instruction[] {
  const found: Instruction[] = []
  const own = ownWords(text)
  if (own.includes(quoted) && pasted.test(own)) return []
  const sentences = sentencesOf(own)
  for (const [at, sentence] of sentences.entries()) {
    const before = sentences.slice(0, at).join(' ')
    const isOfOthers = sentences.slice(0, at).some((each) => isHeadingOfOthers(each, agents))
    if (isOfOthers || pasted.test(before) || !isInstruction(sentence, agents)) continue
    const heading = sentences[at - 1]?.endsWith(':') ? sentences[at - 1] : ''
    found.push({ sentence, isForEverybody: isForEverybody(`${heading} ${sentence}`) })
  }
  return found
}

/** `My manager's rules:` begins the words of somebody else; `two rules:` and `Bot:` don't. */
function isHeadingOfOthers(sentence: string, agents: readonly string[]): boolean {
  return sentence.endsWith(':') && !ruleOf.test(sentence.slice(0, 60)) && !withoutAddress(sentence, agents).isAddressed
}

/** A cheap test that every instruction passes, before the names of agents are read. */
export function mayInstruct(text: string): boolean {
  return (
    [lasting, manner, please, eastern, naming, condition].some((cue) => cue.test(text)) ||
    /\b(?:for|to) me\b/i.test(text)
  )
}

export function isForEverybody(text: string): boolean {
  return everybody.test(text) || everybodyEastern.test(text)
}

interface Reading {
  /** Without the name of an agent that begins it. */
  readonly rest: string
  /** Without the words that lead to the order. */
  readonly told: string
  readonly isAddressed: boolean
  readonly orders: boolean
  readonly lasts: boolean
  readonly hasManner: boolean
}

/** Forms of an instruction; each is enough. */
const forms: readonly ((reading: Reading) => boolean)[] = [
  ({ rest, told, hasManner }) => start.test(rest) && (hasManner || order.test(told)),
  ({ told, orders, lasts, isAddressed, hasManner }) =>
    orders && lasts && (hasManner || (order.test(told) && (isAddressed || leads.test(told)))),
  ({ rest, lasts, isAddressed, hasManner }) =>
    condition.test(rest) && (isAddressed || mine.test(rest)) && (lasts || hasManner),
  ({ rest, lasts, hasManner }) => lasts && hasManner && mine.test(rest) && please.test(rest),
  ({ rest, orders, lasts, hasManner }) => ruleOf.test(rest) && (orders || lasts || hasManner),
  ({ rest, orders, isAddressed }) => isAddressed && orders && isForEverybody(rest),
  ({ rest, isAddressed, hasManner }) => hasManner && (forMe.test(rest) || (isForEverybody(rest) && isAddressed)),
  ({ rest, isAddressed, hasManner }) => forMine.test(rest) && (isAddressed || hasManner),
  ({ told, hasManner }) => hasManner && forbidden.test(told) && mine.test(told),
  ({ rest, told }) =>
    ofAnswers.test(rest) &&
    order.test(told) &&
    (please.test(rest) || keeps.test(told)) &&
    !definite.test(rest) &&
    !toPerson.test(rest),
]

function isInstruction(sentence: string, agents: readonly string[]): boolean {
  if (sentence.length > maxCharacters || sentence.includes(quoted) || asks.test(sentence)) return false
  const { rest, isAddressed } = withoutAddress(sentence, agents)
  const plain = sentence.replace(/^[-*•] +/, '').replace(opening, '')
  if (!isAddressed && anotherPerson.test(plain) && !forMe.test(plain)) return false
  if (isAddressed && eastern.test(rest) && easternOrder.test(rest)) return true
  if (reported.test(rest) || (onlyOnce.test(rest) && !start.test(rest))) return false
  const told = rest
    .replace(/^[-*•] +/, '')
    .replace(opening, '')
    .replace(preface, '')
    .replace(opening, '')
  if (isContact(told)) return true
  if (narrates.test(told) && !wishes.test(told)) return false
  const orders = order.test(told) || forbidden.test(told)
  const reading = { rest, told, isAddressed, orders, lasts: lasting.test(rest), hasManner: manner.test(rest) }
  return forms.some((form) => form(reading))
}

/** `call me Ada`, or a limit such as `don't ring me before noon`. */
function isContact(told: string): boolean {
  if (naming.test(told)) return true
  return channel.test(told) && mine.test(told) && limited.test(told)
}

function withoutAddress(
  sentence: string,
  agents: readonly string[],
): { readonly rest: string; readonly isAddressed: boolean } {
  const first = (name: string) => name.split(/[\s/]/)[0] ?? ''
  const names = agents
    .flatMap((each) => [each, first(each)])
    .filter((each) => each !== '' && !/^(?:the|an?|my|our)$/i.test(each))
    .map(escaped)
  if (names.length === 0) return { rest: sentence, isAddressed: false }
  const address = new RegExp(
    `^(?:(?:and|so|ok|then|hey|hi|hello|for|dear)[ ,:]+)*(?:${names.join('|')})(?![a-z\\u00c0-\\u024f])[,:.!、，]?\\s*`,
    'iu',
  )
  const rest = sentence.replace(address, '')
  return { rest, isAddressed: rest !== sentence }
}

/** Quotations of some words, quoted lines, indented lines and code are words of others. */
function ownWords(text: string): string {
  return text
    .replace(/```[\s\S]*?(?:```|$)/g, quoted)
    .replace(/^[ \t]*>.*$/gm, quoted)
    .replace(/^(?: {2,}|\t).*$/gm, quoted)
    .replace(/(?<=^|\s)['‘][^'’\n]{8,}['’](?=[\s.,!?]|$)/gmu, quoted)
    .replace(/["“”„«「『][^"“”»」』]{8,}?(?:["“”»」』]|$)/gu, quoted)
}

function sentencesOf(text: string): readonly string[] {
  const parts = text.split(/(?<=[.!?…])\s+|(?<=[。！？])|\n+/u).map((each) => each.trim())
  return parts.filter((each) => /\p{L}/u.test(each))
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
