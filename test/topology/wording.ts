/**
 * The words that prose and names avoid, each with an example and a better wording. Each of these words makes the reader
 * guess a noun. A space in a pattern matches any white space.
 */
import { occurrences, pieceBreak, proseOf } from './prose.ts'
import { repositoryFiles, textOf } from './sources.ts'

interface Phrase {
  readonly avoid: RegExp
  readonly example: string
  readonly write: string
}

const participle =
  '(?:\\w+ed|said|told|made|read|left|known|kept|found|written|meant|done|held|seen|there|given|taken|put|sent|begun)'

export const phrases: readonly Phrase[] = [
  {
    avoid: new RegExp(`(?:${pieceBreak}|\\. )\\s*(?:what|who)\\b[^.?${pieceBreak}]*(?:[.${pieceBreak}]|$)`),
    example: 'Plans. What the plan is asked for.',
    write: 'begin with the noun: "Settings and spaces of the generation"',
  },
  {
    avoid: new RegExp(`\\bwhat (?:is|was|are|were|has been|had been) (?:not )?(?:yet )?${participle}\\b`),
    example: 'Commits what is finished.',
    write: 'name the thing: "finished records", "the utterance"',
  },
  {
    avoid: new RegExp(`\\bwhat\\b[^.;:?,|${pieceBreak}]*\\bwhat\\b`),
    example: 'It keeps what reads from what answers.',
    write: 'name both things',
  },
  {
    avoid: /\b(?:is|was|are|were|be|been) said\b/,
    example: 'It is said twice.',
    write: 'name the utterance or the message: "spoken", "reported"',
  },
  {
    avoid: /\btold\b/,
    example: 'The caller is told.',
    write: 'say how: "is notified", "reports", "distinguished from"',
  },
  {
    avoid: /\b(?:came|comes|become|becomes|became) of\b/,
    example: 'It shows the events that came of it.',
    write: 'name the result: "derived memories", "the outcome"',
  },
  { avoid: /\bnobody\b/, example: 'It asks nobody.', write: 'name it: "no reader", "without calling a model"' },
  { avoid: /\bwhoever\b/, example: 'It is for whoever waits.', write: 'name the role: "the owner", "a caller"' },
  { avoid: /\bwhatever\b/, example: 'It stays, whatever happens.', write: '"any", "every", "regardless of"' },
  {
    avoid: /\bwho (?:answers|asks|waits|reads|holds|writes)\b/,
    example: 'A fold over who answers.',
    write: 'name the role: "the live generation", "the owner"',
  },
  { avoid: /\b(?:heard|hears|hear) of\b/, example: 'It is heard of again.', write: '"sends heartbeats", "learns of"' },
  { avoid: /\bso (?:many|often)\b/, example: 'It reads so many at most.', write: 'name the quantity: "poll interval"' },
  { avoid: /\banew\b/, example: 'It derives anew.', write: '"again": "rebuilds", "re-derives"' },
  { avoid: /\bbut for\b/, example: 'All but for one.', write: '"except"' },
  { avoid: /\b(?:can|could|cannot|can't) be had\b/, example: 'It cannot be had.', write: '"is unavailable"' },
  { avoid: /\bread past\b/, example: 'Records that are read past.', write: '"skipped"' },
  { avoid: /\b(?:goes|go|going) on\b/, example: 'It goes on.', write: '"continues", "resumes"' },
  { avoid: /\bstands? in\b(?! for)/, example: 'It stands in a table.', write: '"is in"' },
  {
    avoid: /\b(?:take|takes|took|taken|taking) the place of\b/,
    example: 'It takes the place of one.',
    write: '"replaces"',
  },
  {
    avoid: /\bin vain\b|\bthe same again\b|\blooked after\b/,
    example: 'It waits in vain.',
    write: 'the event: "fails", "a duplicate", "is polled"',
  },
]

/** Field terms that are participles or look like one, and a folder that a tool writes. */
const terms = new Set(
  'bounded embedded feed fenced fencing forgetting framing generated hosting labelled packing parked parking ranked ranking scored seeded serving weighted wording'.split(
    ' ',
  ),
)
const irregular =
  'done|found|given|gone|grown|heard|held|kept|known|left|made|meant|put|said|seen|sent|shown|taken|told|unread|unseen'
const riddles = 'happenings|mover|moves?|older|ours|patience|pauses|place|seal|telling-words|traffic|trouble|wish|worth'

/** A name of one word. A name of two words, such as sealed-box, names a thing. */
const bareFile = new RegExp(`^(?:[a-z]+(?:ed|ing)|${irregular}|${riddles}|turns?)$`)
const bareType = new RegExp(`^(?:[a-z]+ed|${irregular}|${riddles}|asking|making)$`)

/**
 * Not judged: this file, which quotes the phrases; prompts, which are part of recipes; schemas, whose registered text
 * can't change.
 */
export const checkedFiles = repositoryFiles.filter(
  (path) => /\.(ts|md)$/.test(path) && !/\/wording\.ts$|\/prompts\//.test(path),
)

export function proseFaults(path: string): readonly string[] {
  const prose = proseOf(path, textOf(path))
  return phrases.flatMap(({ avoid, write }) =>
    occurrences(prose, avoid).map((found) => `${path}:${found}  -> ${write}`),
  )
}

export function nameFaults(path: string): readonly string[] {
  const files = path.replace(/(\.test)?\.ts$/, '').split('/')
  const types = [...textOf(path).matchAll(/\b(?:interface|type|class) ([A-Z][a-z]+)(?= |<)/g)].map(
    (match) => match[1] ?? '',
  )
  const found = [
    ...files.filter((part) => bareFile.test(part) && !terms.has(part)),
    ...types.filter((name) => bareType.test(name.toLowerCase()) && !terms.has(name.toLowerCase())),
  ]
  return found.map((name) => `${path}: ${name}`)
}
