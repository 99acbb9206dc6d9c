/**
 * Words that say that something changed, in normalized text. Without such a word a later statement changes an earlier one only if both say
 * the same of the same thing with another value.
 */

/** The statement holds from now on. */
export const fromNowPattern =
  /(?<!\b(?:right|for|by|just|until|till|before|even) )\bnow\b|\b(?:from now on|these days|nowadays|as of|instead|after all|since (?:yesterday|today|last))\b/

/** The value is a new one. */
const otherThanBefore =
  /\b(?:(?:starting|beginning) (?:in|on|from|next|with)|in the end|again|no longer|any ?more|from (?:next|january|february|march|april|may|june|july|august|september|october|november|december|mon|tue|wed|thu|fri|sat|sun)\w*|changed? (?:of|my|our|his|her|their) (?:plans?|minds?)|changed my mind|plans? changed|from today|from (?:the )?\d{1,2}(?:st|nd|rd|th)?(?: of)? (?:january|february|march|april|may|june|july|august|september|october|november|december)|settled|turns? out|new)\b/

/** The value itself was set to another one. */
const reset =
  /\b(?:chang(?:ed|es)|replac(?:ed|es)|updated?|switch(?:ed|es)|rais(?:e|es|ed)|lower(?:ed|s)?|reduc(?:e|es|ed)|increas(?:e|es|ed)|decreas(?:e|es|ed)|cut(?:s)?|dropp(?:ed)|bump(?:ed|s)?|upgrad(?:e|es|ed)|downgrad(?:e|es|ed)|extend(?:ed|s)?|shorten(?:ed|s)?|went (?:up|down)|go(?:es)? (?:up|down|to)|came (?:up|down)|comes? (?:up|down)|gone (?:up|down)|(?:up|down|back) (?:to|from)|turn(?:ed)? (?:it |the [\w ]+ )?(?:up|down)|rose|ris(?:es|en)|fell to|hired|set(?:s)? (?:the |it )?(?:\w+ ){0,3}to|grew|shrank|(?:is|are) at \d+|moved to|doubled|halved|turned \d+)\b/

/** A date was moved. */
const rescheduled =
  /\b(?:mov(?:e|es|ed|ing)|postpon(?:e|es|ed)|re-?schedul(?:e|es|ed)|re-?arranged?|push(?:ed|es)?|delay(?:ed|s)?|slip(?:s|ped)?|shift(?:ed|s)?|extend(?:ed|s)?|brought forward|put (?:back|off)|pulled forward|swapped|stay in until|(?:two|\d+) (?:days?|weeks?|months?) (?:later|earlier)|not (?:before|until|on|the)|can't (?:make it|do|come)|cant (?:make it|do)|won't make it|changed? of plans?|instead|after all|re-?booked|from now on|these days|nowadays|(?<!right |for |by )now|it's now|(?:wants?|want) \w+ on|new (?:date|day|time|deadline)|(?:is|are|'s) (?:coming )?(?:on )?(?:[\w ]{3,12} )?now)\b/

/** The speaker takes a statement back. */
const correcting =
  /^(?:(?:oh|ah|no|oops|argh|ok|hang on|wait|hm+),? )?(?:sorry|correction|corrected|oops|whoops|no,? wait|wait|i meant?|i misspoke|make (?:that|it)|scratch that|not quite|typo|my mistake|i was wrong|i got (?:that|it) wrong)\b|\b(?:i mean(?:t)?|i mixed (?:it|them|that) up|my mistake|i got that wrong|i misspoke)\b|^(?:let's )?(?:then )?make (?:it|that)\b/

/** `Correction: the refund is 49.90` */
const correctingSentence =
  /^(?:oh |oops,? )?(?:correction\b|i was wrong\b|sorry,? (?:it's|the|i mean|not|make|that's|\d)[^.]{0,50}[.]?$|sorry,? i (?:said|meant)\b)/

/** A thing ended, or its person or place is no longer available. */
export const failurePattern =
  /\b(?:cancell?ed|called off|scrapped|discontinued|fell through|bankrupt|closed|shut|broken?|broke|double[- ]booked|fully booked|ill|sick|flu|declined|stepped down|resigned|retired|(?:has |have )?left|quit|died|dead|can't make it|can't do|(?:be|is|'s|am) (?:missing|away|off|out)|injured|burnt down|dropped out|(?:is|'s) (?:full|sold|gone)|sold out|handing over)\b/

export interface Cues {
  readonly isFromNow: boolean
  readonly isReset: boolean
  readonly isRescheduled: boolean
  readonly isCorrecting: boolean
}

/** The whole sentence is about a change. */
const announced =
  /^(?:(?:ok|okay|oh|so|and|but|bad|good),? )*(?:change of plans?|settled|update|correction|decision|news)\b[,:]?/

/** @param sentence the sentence of the clause */
export function cuesIn(text: string, sentence: string): Cues {
  const isAnnounced = announced.test(sentence)
  return {
    isFromNow: isAnnounced || fromNowPattern.test(text) || otherThanBefore.test(text),
    isReset: reset.test(text),
    isRescheduled: isAnnounced || rescheduled.test(text),
    isCorrecting: correcting.test(text) || correctingSentence.test(sentence),
  }
}

/** A clause that says that something still holds changes nothing. */
export const stillHoldsPattern = /\b(?:still|stays?|remains?|unchanged|reminder|as before)\b/

/** `the return stays on the 11th`: the clause says that nothing changed. */
export const unchangedPattern =
  /\b(?:still|stays?|stayed|remains?|remained|unchanged|same|as (?:before|planned|always)|no change|reminder|keeps?)\b/
