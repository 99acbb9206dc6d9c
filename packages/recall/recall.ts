/**
 * Recall: a question in, evidence out. It searches the utterances, facts and events of the requested spaces by words
 * and by meaning, and returns utterances by their probability of being evidence, with their sources; or memories of the
 * requested kinds, each kind searched by itself.
 *
 * Invariants: nothing of another space is read; a memory that newer evidence replaces is left out or comes with its
 * replacement; an utterance is found as soon as it is in the log, because the tail that no view has yet is read from
 * the log itself. A damaged view is rebuilt without an error, and the result names it.
 */

import { readDespiteDamage } from './damage-tolerance.ts'
import { collectFailures } from './each-candidate.ts'
import { findEvidence } from './find-evidence.ts'
import { pack } from './packing/pack.ts'
import { prepare } from './preparation.ts'
import type { RecallOptions } from './recall-options.ts'
import type { RecallResult } from './recall-result.ts'
import { checkRequest, type RecallRequest } from './request/request.ts'

/**
 * @throws LoomlogError `input-invalid`; `view-corrupt`; `views-behind` if the views don't reach the position of `after`
 * in time; `model-unavailable` if the query can't be embedded
 */
export async function recall(request: RecallRequest, options: RecallOptions): Promise<RecallResult> {
  const checkedRequest = checkRequest(request, options.views.tables)
  const preparation = prepare(checkedRequest, options)
  return await readDespiteDamage(checkedRequest.spaces, options.views, async () => {
    const { options: collecting, failedField } = collectFailures(options)
    const { ranked, fields } = await findEvidence(checkedRequest, preparation, collecting)
    return { ...(await pack(ranked, checkedRequest, collecting)), ...fields, ...failedField() }
  })
}
