/** A finding of `loomlog doctor`: one fact about the installation, with the command that mends it. */
export interface Finding {
  readonly check: string
  /** `away`: a problem that may pass, such as an endpoint that doesn't answer. */
  readonly state: 'ok' | 'warning' | 'away' | 'problem'
  readonly text: string
  /** The command or the setting that mends it; null: nothing is to do. */
  readonly mend: string | null
}

export function ok(check: string, text: string): Finding {
  return { check, state: 'ok', text, mend: null }
}

export function warning(check: string, text: string, mend: string): Finding {
  return { check, state: 'warning', text, mend }
}

export function away(check: string, text: string, mend: string): Finding {
  return { check, state: 'away', text, mend }
}

export function wrongSettings(message: string): Finding {
  return problem('settings', message, 'set the variable that the message names')
}

export function problem(check: string, text: string, mend: string): Finding {
  return { check, state: 'problem', text, mend }
}

/**
 * The finding with a mend that works when it is pasted: a command of loomlog gets the options of the log or server that
 * was checked.
 * @param target such as ` --dir memory`
 */
export function mendedOn(target: string, finding: Finding): Finding {
  const { mend } = finding
  return mend?.startsWith('loomlog ') ? { ...finding, mend: `${mend}${target}` } : finding
}

/** 0: no problem; 1: only problems that may pass; 2: a problem to mend. */
export function exitCodeOf(findings: readonly Finding[]): 0 | 1 | 2 {
  if (findings.some(({ state }) => state === 'problem')) return 2
  return findings.some(({ state }) => state === 'away') ? 1 : 0
}
