/**
 * Forms of a sentence in which people state something lasting about themselves: home, work, family, health,
 * possessions, decisions, appointments with a date. A list of words stands where other words are often meant as a joke
 * (`allergic to Mondays`) or are of no use later. Each form matches from the beginning of the sentence, without its
 * final sign.
 */
import { monthNames } from '../calendar.ts'

export interface Form {
  readonly pattern: RegExp
  /** The side of the utterance's time on which a date of the form lies. `none`: it has no date. */
  readonly date: 'past' | 'future' | 'none'
}

const name = String.raw`\p{Lu}[\p{L}'&.]*(?:[ -](?:(?:of|de|la|van|der|upon|the) )?\p{Lu}[\p{L}'&.]*){0,3}`
const someone = String.raw`\p{Lu}\p{Ll}+(?: \p{Lu}[\p{L}'-]+){0,2}`
const word = String.raw`\p{Ll}[\p{L}'-]*`
const ownWord = String.raw`(?!(?:this|that|these|those|it|them|him|her|you|your|the|my|our|not|when|if|being|having|what|how|all|everything|nothing)\b)[\p{L}\p{N}][\p{L}\p{N}'&+-]*`
const am = String.raw`[Ii](?:'m| am)`
const have = String.raw`[Ii](?: have|'ve got| have got)`
const my = '[Mm]y'

const months = `(?:${monthNames.join('|')})`
const weekday = '(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day,? (?:the )?'
const exactDay = String.raw`(?:${weekday})?(?:(?:the )?\d{1,2}(?:st|nd|rd|th)? (?:of )?${months}|${months} \d{1,2}(?:st|nd|rd|th)?)(?:,? \d{4})?`
const hour = String.raw`(?: at \d{1,2}(?:[:.]\d\d)?(?: ?[ap]m)?)?`
const onDay = `(?:on ${exactDay}${hour}|tomorrow${hour})`
const inPast = String.raw`(?: (?:yesterday|this morning|last (?:week|weekend|month|year|night|summer|winter|spring|autumn|\p{Lu}\p{Ll}+)|on ${exactDay}|in (?:${months}|\d{4}|${months} \d{4})|(?:two|three|four|five|six|\d+) (?:days|weeks|months|years) ago))?`

const jobs =
  `accountant actor analyst architect baker barber bartender biologist bookkeeper builder butcher carpenter cashier chef chemist
  cleaner clerk consultant cook dentist designer developer doctor driver editor electrician engineer farmer firefighter florist gardener
  geologist hairdresser historian illustrator janitor joiner journalist judge lawyer lecturer librarian manager mechanic midwife musician nurse
  optician painter paramedic pharmacist photographer physicist physiotherapist pilot plumber potter programmer psychologist
  receptionist researcher scientist secretary solicitor student surgeon surveyor tailor teacher therapist translator vet waiter waitress
  welder`.split(/\s+/)
const job = String.raw`(?:(?!(?:bad|good|better|best|terrible|lousy|frustrated|amateur|former|real|proper|great|born|fake|happy|slow|fast|big|poor|not)\b)${word} )?(?:${jobs.join('|')})`
const workplace = String.raw`(?: (?:at|for|in) (?:(?:an?|the) ${word}(?: ${word})?|${name}))?`
const allergen =
  '(?:(?:tree )?nuts|peanuts|shellfish|penicillin|(?:birch |grass )?pollen|cats|dogs|dust(?: mites)?|latex|gluten|lactose|milk|dairy|eggs|soy|sesame|fish|wasps|bees|strawberries|ibuprofen|aspirin|nickel|mould|horses)'
const allergens = `${allergen}(?:(?:,| and|, and) ${allergen})*`
const food = '(?:meat|pork|beef|fish|seafood|dairy|eggs|gluten|sugar|alcohol|coffee|wine|beer|milk|cheese|nuts)'
const condition =
  '(?:vegetarian|vegan|pescatarian|pregnant|divorced|widowed|diabetic|coeliac|celiac|left-handed|lactose intolerant|retired|colou?r-?blind)'
const kin =
  '(?:wife|husband|fianc[eé]e?|partner|boyfriend|girlfriend|son|daughter|sister|brother|mother|mum|mom|father|dad|aunt|uncle|cousin|niece|nephew|boss|manager|landlord|landlady|flatmate|roommate|dentist|doctor|dog|cat)'
const few = '(?:an?|one|two|three|four|five|six|no)'
const relatives =
  '(?:(?:older|younger|big|little|twin|half) )?(?:kids?|children|sons?|daughters?|brothers?|sisters?|siblings|dogs?|cats?|puppy|kittens?|rabbits?|hens?|horses?)'
const disease = '(?:asthma|diabetes|hay fever|coeliac disease|celiac disease|epilepsy|arthritis|migraines)'
const goods =
  '(?:(?:new|used|second-hand|electric|wooden|old|small|big|red|blue|green|white|black) )?(?:house|flat|apartment|car|van|bike|motorbike|boat|kayak|piano|guitar|violin|cello|dog|cat|puppy|kitten|horse|caravan|allotment)'
const limb = '(?:(?:left|right) )?(?:arm|leg|wrist|ankle|foot|hand|collarbone|elbow|shoulder|knee|finger|toe|rib)'
const event = String.raw`(?:(?!(?:last|next|first|other|one|only)\b)[\p{L}][\p{L}'-]* ){0,2}(?:appointment|exam|test|interview|wedding|operation|surgery|scan|workshop|meeting|review|flight|party|demo|concert|conference|talk|presentation|race|marathon|hearing|audit|deadline|release|launch|pilot|course|holiday|trip|move|audition|birthday party|funeral|graduation|check-up|viewing|MRI)`

const verbs =
  `adopted baked booked borrowed bought broke built cancelled changed cleaned climbed cooked crashed cycled deployed designed donated drew
  fitted fixed found found got hired installed joined launched learned lost made met merged moved ordered organised organized painted paid
  passed picked planted played published ran read received renewed rented repaired replaced returned sailed sent shipped signed sold started
  submitted swam taught took translated visited watched won wrote`.split(/\s+/)
/** Words without a meaning of their own: what they stand for is in another message. */
const referring =
  'it|this|that|these|those|them|they|him|her|he|she|you|your|there|here|one|ones|some|something|anything|everything|nothing|stuff|thing|things|same|other|another|again|so|too|both|we|our|us'
const deed = String.raw`(?:${verbs.join('|')})(?: (?!(?:${referring}|yesterday|last|on|in|two|three)\b)[\p{L}\p{N}][\p{L}\p{N}'&-]*){1,9}`
const inPastSurely = inPast.slice(0, -1)

const forms: { readonly [date in Form['date']]: readonly string[] } = {
  none: [
    // Home and origin.
    `[Ii](?: now| still| currently)? live (?:in|near) ${name}(?: now)?`,
    String.raw`[Ii] live at ${name} \d+[a-z]?(?:,? in ${name}|, ${name})?`,
    String.raw`[Ii] live at \d+[a-z]? ${name}`,
    `[Ii] (?:grew up|was born) in ${name}`,
    String.raw`[Ii] was born in \d{4}`,
    `[Ii] come from ${name}`,
    // Work and study.
    `[Ii](?: now)? work as an? ${job}${workplace}`,
    `[Ii](?: now)? work (?:nights|evenings|part-time|from home|remotely)${workplace}`,
    `[Ii](?: now)? work (?:at|for) ${name}`,
    `[Ii](?: now)? work (?:at|for|in) (?:an?|the) (?:${word} )?(?:hospital|school|university|bank|bakery|library|museum|factory|hotel|restaurant|clinic|theatre|lab|shop|supermarket|pharmacy|post office|garage|kindergarten|nursery)(?: in ${name})?`,
    `${am} an? ${job}${workplace}`,
    `[Ii] teach ${ownWord}(?: at (?:the ${word}|${name}))?`,
    `[Ii] study ${ownWord}(?: ${ownWord})?(?: at ${name})?`,
    `[Ii] speak ${name}(?: and ${name})?`,
    `[Ii] play the (?:piano|guitar|violin|cello|drums|flute|trumpet|clarinet|saxophone|accordion|viola|harp|bass)`,
    // Health and food.
    `${am} (?:no longer |not )?(?:an? )?${condition}(?: now)?`,
    `${am} (?:severely |badly )?allergic to ${allergens}`,
    `[Ii] (?:don't|do not|no longer) (?:eat|drink) ${food}(?:(?: or|,) ${food})*`,
    `[Ii](?: have|'ve got)? ${disease}`,
    // Family and possessions.
    `${am} married(?: to ${someone})?`,
    String.raw`${am} \d{1,2} years old`,
    `${have} ${few} ${relatives}(?: (?:called|named) ${someone})?`,
    `[Ii] own an? ${goods}`,
    `${my} ${goods} is (?:black|blue|brown|green|grey|gray|orange|pink|purple|red|white|yellow)`,
    `${my} ${kin}(?: is called|'s name is| is named) ${someone}`,
    `${my} ${kin}(?: ${someone})?(?: lives in ${name}| works as an? ${job}| is an? ${job}| is allergic to ${allergens})`,
    // Preferences and decisions.
    `[Ii] prefer ${ownWord}(?: ${ownWord})?(?: (?:to|over) ${ownWord}(?: ${ownWord})?)?`,
    String.raw`${my} favou?rite ${word} is ${ownWord}(?: ${ownWord})?`,
    `[Ii](?:'ve| have)? decided (?:not )?to ${word}(?: (?!(?:and|or|but)\\b)[\\p{L}\\p{N}'-]+){1,7}`,
  ],
  past: [
    `[Ii](?:'ve| have)? (?:just )?moved (?:from ${name} )?to ${name}${inPast}`,
    `[Ii](?:'ve| have)? (?:just )?(?:quit|left) my job(?: at ${name})?${inPast}`,
    `[Ii](?: just)? (?:started|got) (?:a (?:new )?)?job (?:at ${name}|as an? ${job})${inPast}`,
    `[Ii] (?:started|was hired) as an? ${job}${workplace}${inPast}`,
    `[Ii] (?:became|was promoted to) (?:an? )?${job}${inPast}`,
    `[Ii](?:'ve| have)? (?:just )?retired${inPast}`,
    `[Ii] graduated from ${name}${inPast}`,
    `[Ii] (?:got (?:married|engaged|divorced)|married ${someone})${inPast}`,
    `[Ii] broke up with ${someone}${inPast}`,
    `[Ii](?:'ve| have)? (?:just )?(?:bought|sold|adopted) (?:an?|my) ${goods}(?: (?:called|named) ${someone})?${inPast}`,
    `[Ii](?:'ve| have)? (?:broke|broken|sprained) my ${limb}${inPast}`,
    String.raw`[Ii] was diagnosed with (?:${disease}|${word} ${word})${inPast}`,
    `[Ii] (?:just )?${deed}${inPastSurely}`,
    `[Ii](?:'ve| have)? switched (?:back )?from ${ownWord}(?: ${ownWord})? to ${ownWord}(?: ${ownWord})?${inPast}`,
  ],
  future: [
    `(?:${my}|[Tt]he) ${event}(?: is| starts| begins| takes place) ${onDay}(?: (?:in|at) (?:the )?${name}(?: ${word})?)?`,
    `${have} (?:an?|my|the) ${event} ${onDay}`,
    `${am} moving to ${name} ${onDay}`,
    `${am} getting married ${onDay}`,
    `[Ii] start (?:at ${name}|my new job(?: at ${name})?) ${onDay}`,
    `${am} on (?:holiday|leave|vacation|parental leave) from ${exactDay}(?: (?:to|until|till) ${exactDay})?`,
  ],
}

export const plainForms: readonly Form[] = (['none', 'past', 'future'] as const).flatMap((date) =>
  forms[date].map((form) => ({ pattern: new RegExp(`^${form}(?![\\p{L}\\p{N}'’-])`, 'u'), date })),
)
