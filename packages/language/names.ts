/**
 * The names in a text: runs of proper nouns, sorted into persons and other names (places, products, titles, groups). A
 * run names a person if its first word is a common first name, or if the text says so (my friend Oscar, named Oscar).
 */
import { monthNames, weekdayNames } from './calendar.ts'
import { firstNameGender } from './first-names.ts'
import { tag, type Word } from './words.ts'

const notNames = new Set(
  [
    ...monthNames,
    ...weekdayNames,
    ...`I I'm I've I'd I'll Hey Hi Hello Wow Thanks Thank Yeah Yes Yep No Nope Oh Ah Aww Cool Awesome Congrats Congratulations Great
    Nice Sure Absolutely Definitely Totally Good Bye Mom Dad Ok Okay LOL Haha Can Sounds Well Woah Whoa OMG BTW Gonna Wanna Lol
    Check Keep Let Way Looking Glad Happy So Just Been Going Having`.split(/\s+/),
  ].map((each) => each.toLowerCase()),
)
const kin =
  /^(?:friend|buddy|pal|sister|brother|mom|mother|dad|father|son|daughter|wife|husband|partner|boyfriend|girlfriend|cousin|aunt|uncle|grandma|grandmother|grandpa|grandfather|niece|nephew|colleague|coworker|boss|teacher|coach|neighbor|neighbour|roommate|fiancé|fiancee|kid|named|called|mr|mrs|ms|dr)\.?$/

export function names(text: string): { persons: string[]; entities: string[] } {
  return namesIn(tag(text.replaceAll('’', "'")).flat(), [])
}

/** The names in tagged words, with known participants. */
export function namesIn(words: readonly Word[], known: readonly string[]): { persons: string[]; entities: string[] } {
  const persons = new Set<string>()
  const entities = new Set<string>()
  for (let i = 0; i < words.length; i++) {
    const run = runAt(words, i)
    if (run === 0) continue
    const parts = words.slice(i, i + run)
    const name = parts
      .map((part, at) => (at > 0 && part.isSpaced ? ' ' : '') + part.text)
      .join('')
      .replace(/'s?$/, '')
    const first = name.split(' ')[0] ?? name
    const isKin = kin.test(words[i - 1]?.lower ?? '')
    const isPerson =
      known.includes(name) || known.includes(first) || isKin || (firstNameGender(first) !== null && run <= 3)
    if (name.length > 1) (isPerson ? persons : entities).add(name)
    i += run - 1
  }
  return { persons: [...persons], entities: [...entities] }
}

/** The number of words from `i` on that form one name; joins `Museum of Art`, and quoted titles. */
function runAt(words: readonly Word[], i: number): number {
  if (words[i]?.text === '"') {
    const inside = words.slice(i + 1, i + 12).findIndex((each) => each.text === '"')
    return inside > 0 && /^[A-Z]/.test(words[i + 1]?.text ?? '') ? inside + 2 : 0
  }
  let length = 0
  while (isNamePart(words[i + length])) length++
  if (length > 0 && /^(?:of|the)$/.test(words[i + length]?.lower ?? '') && isNamePart(words[i + length + 1])) {
    const more = runAt(words, i + length + 1)
    if (words[i + length]?.lower === 'of') return length + 1 + more
  }
  return length
}

/** Whether the word is a name in any position. */
export function isName(each: Word): boolean {
  return each.text.length > 2 && isNamePart(each)
}

/** Whether the word is a name, or a part of one. */
export function isNamePart(each: Word | undefined): boolean {
  if (each?.pos !== 'PROPN') return false
  return /^\p{Lu}/u.test(each.text) && !notNames.has(each.lower) && !/^(?:19|20)\d\d$/.test(each.text)
}
