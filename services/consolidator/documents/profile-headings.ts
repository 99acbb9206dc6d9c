/**
 * Selects the heading of a fact in a person's profile. States, preferences and plans always have one; events only if
 * they have a lasting effect. The first rule that fits decides; the verb decides on a state that fits none.
 */

import type { FactKind } from '@loomlog/schemas/events'

interface Rule {
  readonly heading: string
  readonly words: RegExp
  /** Verbs of events that change this part of a life for long. */
  readonly lasting: RegExp
}

const rules: readonly Rule[] = [
  {
    heading: 'Pets',
    words: /\b(?:pets?|dogs?|cats?|pupp(?:y|ies)|kittens?|guinea pigs?|hamsters?|parrots?|turtles?|rabbits?)\b/i,
    lasting: /\b(?:adopt|rescued?|got|bought|took in|lost|died|passed away)/i,
  },
  {
    heading: 'Health',
    words:
      /\b(?:allerg\w+|asthma\w*|diabet\w+|sick\w*|ill(?:ness)?|injur\w+|surgery|hospital|doctor|therap\w+|diagnos\w+|vegan|vegetarian|diet|medic\w+|pregnan\w+)\b/i,
    lasting: /\b(?:diagnosed|injured|broke|had surgery|quit smoking|recovered|lost weight|became|turned)\b/i,
  },
  {
    heading: 'Family',
    words:
      /\b(?:married|engaged|divorced|single|husband|wife|spouse|partner|boyfriend|girlfriend|fianc\w+|mom|mother|dad|father|parents?|sisters?|brothers?|siblings?|sons?|daughters?|kids?|children|child|baby|twins|grand\w+|aunt|uncle|cousins?|niece|nephew|family)\b/i,
    lasting:
      /\b(?:married|engaged|divorced|separated|broke up|proposed|gave birth|born|had a (?:baby|son|daughter)|adopt\w*|died|passed away|lost)\b/i,
  },
  {
    heading: 'Work',
    words:
      /\b(?:works?|working|job|career|compan(?:y|ies)|business|employ\w+|boss|colleagues?|office|salary|profession\w*|engineer|teacher|nurse|manager|studies|studying|student|university|college|school|degree|graduat\w+)\b/i,
    lasting:
      /\b(?:started|founded|opened|launched|hired|promoted|quit|left|lost|fired|laid off|retired|graduated|joined|got|accepted|enrolled|became)\b/i,
  },
  {
    heading: 'Home',
    words:
      /\b(?:lives?|living|home|house|apartment|flat|moved|moving|relocat\w+|(?:is|comes?) from|grew up|neighbou?rhood|rents?|owns? a house|hometown)\b/i,
    lasting: /\b(?:moved|relocated|bought|sold|settled|emigrated|immigrated)\b/i,
  },
  {
    heading: 'Skills',
    words:
      /\b(?:speaks?|fluent|knows how|can \w+|able to|plays? (?:the )?(?:guitar|piano|violin|drums|flute|cello|chess)|good at|expert|certified|learning|language)\b/i,
    lasting: /\b(?:learned|learnt|certified|mastered|earned|passed)\b/i,
  },
]

export interface HeadingInput {
  readonly kind: FactKind
  readonly relation: string
  readonly object: string
}

/** Null: the fact does not belong in a profile. */
export function profileHeading({ kind, relation, object }: HeadingInput): string | null {
  const words = `${relation} ${object}`
  if (kind === 'event')
    return rules.find((rule) => rule.lasting.test(relation) && rule.words.test(words))?.heading ?? null
  if (kind === 'plan') return 'Plans'
  if (kind === 'preference') return 'Likes'
  return rules.find((rule) => rule.words.test(words))?.heading ?? stateHeading(relation)
}

const adverbs = '(?:(?:still|now|also|only|just|never|always|usually|often) )?'
const possession = new RegExp(`^${adverbs}(?:has|have|had|owns?)\\b`, 'i')
/** In the third person, which no form of `be` and no word of another language that is likely here has. */
const activity = new RegExp(`^${adverbs}(?:doesn't|does not|[a-z]{3,}s)\\b`, 'i')

/** By its verb, a state that no list of words knows. */
function stateHeading(relation: string): string {
  if (possession.test(relation)) return 'Has'
  return activity.test(relation) ? 'Does' : topicHeadings.state
}

const topicHeadings: { readonly [kind in FactKind]: string } = {
  event: 'What happened',
  state: 'How things are',
  preference: 'Likes and dislikes',
  plan: 'Plans',
}

/** The default heading in a topic document. */
export function topicHeading(kind: FactKind): string {
  return topicHeadings[kind]
}
