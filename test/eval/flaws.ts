/**
 * Words that a self-contained restatement must not have, because their meaning depends on context. Quoted pronouns are
 * exempt.
 */

const pronoun =
  /\b(?:i|me|my|mine|myself|we|us|our|ours|you|your|yours|he|him|his|she|her|hers|they|them|their|theirs|it|its)\b|\b(?:this|these|those)\b|(?:^|, )that\b/i
const relative =
  /\b(?:yesterday|today|tomorrow|tonight|recently|soon(?! as)|now|currently|lately|nowadays|ago)\b|\b(?:last|next|this|past|coming) (?:few|couple|week|weekend|month|year|night|summer|winter|spring|fall|autumn|monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b/i

export function holdsPronoun(text: string): boolean {
  return pronoun.test(text.replace(/"[^"]*"/g, ''))
}

export function holdsRelativeTime(text: string): boolean {
  return relative.test(text)
}
