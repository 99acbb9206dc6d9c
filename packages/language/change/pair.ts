/**
 * The features of two sentences for the learned recogniser of changes: words of change in the later one, the matter that both share, another value or name,
 * and the signs that they speak of two matters. Each is a number from 0 to 1, so that a weight says how much it counts.
 */

import { type PairSignals, pairSignals, type SignedClause, type SignedEarlier } from './pair-signals.ts'
import type { Origin } from './rule.ts'

export type PairFeatures = Readonly<Record<string, number>>

/** null: the two are about nothing that both name. @param rule 1: a rule finds that the one message changes the other */
export function pairFeatures(
  later: SignedClause,
  earlier: SignedEarlier,
  from: { readonly by: Origin; readonly rule: number },
): PairFeatures | null {
  const signals = pairSignals(later, earlier, from)
  if (signals === null) return null
  return { rule: signals.rule, ...ofOne(signals), ...ofMatter(signals), ...ofChange(signals), ...atOnce(signals) }
}

/** Signs in one of the sentences. */
function ofOne({ later, earlier, cue }: PairSignals) {
  return {
    'cue in the sentence': later.sentenceCue,
    now: later.now,
    moved: later.moved,
    ended: later.ended,
    corrected: later.corrected,
    past: later.past,
    'past, no cue': later.past * (1 - cue),
    parallel: later.parallel,
    tentative: later.tentative,
    pronoun: later.pronoun,
    'past before': earlier.past,
    'tentative before': earlier.tentative,
    'reported before': earlier.reported,
  }
}

/** Whether both are about one matter. */
function ofMatter(signals: PairSignals) {
  return {
    'shared words': Math.min(1, signals.shared / 3),
    'no shared word': signals.noShared,
    'share of the earlier': signals.ofEarlier,
    'share of the later': signals.ofLater,
    'overlap squared': signals.overlap ** 2,
    'same words in order': signals.frame,
    'same speaker': signals.sameSpeaker,
    'of one speaker': signals.ofOneSpeaker,
    'of two speakers': signals.ofTwoSpeakers,
    'same verb': signals.sameVerb,
    'same subject': signals.sameSubject,
    'other subject': signals.otherSubject,
    'names the subject': signals.namesSubject,
    'misses the subject': signals.missesSubject,
    'missing owner': signals.missingOwner,
    'same designator': signals.sameDesignator,
    'shares a name': signals.sharesName,
    'after days': signals.afterDays,
  }
}

/** Another value of the matter, and words of change together with it. */
function ofChange(signals: PairSignals) {
  const { cue, overlap, otherValue, swapsName, sameSubject, later, denialDiffers, frame } = signals
  return {
    'another value': otherValue,
    'same value': signals.sameValue,
    'value after none': signals.valueAfterNone,
    'swaps a name': swapsName,
    'denial differs': denialDiffers,
    'cue, another value': cue * otherValue,
    'cue, same subject': cue * sameSubject,
    'cue, other subject': cue * signals.otherSubject,
    'cue, overlap': cue * overlap,
    'cue, same words in order': cue * frame,
    'cue, of one speaker': cue * signals.ofOneSpeaker,
    'cue, swaps a name': cue * swapsName,
    'cue, same verb': cue * signals.sameVerb,
    'cue, same designator': cue * signals.sameDesignator,
    'cue in the sentence, overlap': later.sentenceCue * overlap,
    'cue in the sentence, another value': later.sentenceCue * otherValue,
    'now, overlap': later.now * overlap,
    'moved, overlap': later.moved * overlap,
    'ended, overlap': later.ended * overlap,
    'ended, shares a name': later.ended * signals.sharesName,
    'denial differs, overlap': denialDiffers * overlap,
    'another value, same subject': otherValue * sameSubject,
    'another value, overlap': otherValue * overlap,
    'another value, same verb': otherValue * signals.sameVerb,
    'another value, other subject': otherValue * signals.otherSubject,
    'another value, no shared word': otherValue * signals.noShared,
    'one slot differs': frame ** 2 * Math.max(otherValue, swapsName),
  }
}

/** Corrections that follow at once. */
function atOnce({ soon, atOnce, later, sameSpeaker, otherValue, cue, noShared, ofOneSpeaker }: PairSignals) {
  return {
    soon,
    'at once': atOnce,
    'corrected, at once': later.corrected * atOnce * sameSpeaker,
    'corrected, soon, another value': later.corrected * soon * sameSpeaker * otherValue,
    'corrected, not soon': later.corrected * (1 - soon),
    'pronoun, soon': later.pronoun * soon,
    'pronoun, soon, cue': later.pronoun * soon * cue,
    'cue, no shared word': cue * noShared,
    'cue, no shared word, of one speaker': cue * noShared * ofOneSpeaker,
  }
}
