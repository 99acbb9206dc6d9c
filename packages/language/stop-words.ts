/** Words that say nothing about a text's subject: function words and small talk. Lower case. */

const words = new Set(
  `a about above after again against ago all almost along already also although always am an and another any anyone anything
  are around as at away back be became because become been before behind being below between both but by came can cannot come
  could did do does doing done down during each either else enough etc even ever every everyone everything few for from further
  gave get gets getting give go goes going gone got had has have having he her here hers herself him himself his how however i
  if in into is it its itself just keep kind last least less let like little long look lot lots made make makes many may maybe
  me might mine more most much must my myself need never new next no nobody none nor not nothing now of off often oh ok okay on
  once one ones only onto or other others our ours ourselves out over own per perhaps quite rather re really s said same say
  see seem seems shall she should since so some someone something sometimes soon still stuff such sure t take than that the
  their theirs them themselves then there these they thing things think this those though through thus til till to together too
  toward towards under until unless up upon us very via want was way ways we well went were what whatever when where whether
  which while who whom whose why will with within without would yeah yes yet you your yours yourself yourselves
  hey hi hello wow thanks thank bye haha lol great good nice cool awesome amazing glad happy definitely totally absolutely
  ca wo gonna wanna gotta kinda hmm ah aww btw well know`
    .split(/\s+/)
    .filter((each) => each !== ''),
)

export function isStopWord(token: string): boolean {
  return words.has(token)
}
