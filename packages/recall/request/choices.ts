/**
 * The values that a request chooses from, apart from the code that acts on them: the command line names them in its
 * help.
 */

/** The budget of a context block. */
export const defaultContextTokens = 2_000

/** `rules`, the default: no model is called. `model`: a question costs one answer of the model, and its time. */
export const analysisMethods = ['rules', 'model'] as const
export type AnalysisMethod = (typeof analysisMethods)[number]

/** The part of an append that a search waits for: the utterances, or also the memories derived from them. */
export const waitReaches = ['raw', 'derived'] as const
export type WaitReach = (typeof waitReaches)[number]
