/**
 * Names: of speakers, conversations, spaces, tenants, authors, labels, keys and generations. A name is one line that
 * looks like itself: in NFC, without white space around it, and without characters that are not seen. So two names that
 * look the same are mostly the same, and no name begins another line. Zero-width joiners are refused with the others,
 * though some emoji and Persian words are written with them.
 */

/** Longest name, in UTF-16 code units, as JavaScript counts characters. */
export const maxNameChars = 256
const visible = 'none of them a control, bidirectional, zero-width or separator character'
/** Completes "expected" in errors. */
export const expectedName = `1 to ${maxNameChars} characters, ${visible}`
/** The same for a name that must be written as it is stored. */
export const expectedStoredName = `${expectedName}, in NFC and without white space around them`

/** Characters that have no shape of their own. Variation selectors are allowed: they choose the shape of an emoji. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|(?![\uFE00-\uFE0F])\p{Default_Ignorable_Code_Point}/u

/**
 * The name in NFC, trimmed. Half a surrogate pair, which no encoding can hold, becomes U+FFFD. Null: the value is no
 * name.
 */
export function nameFrom(value: unknown): string | null {
  // Longer texts aren't normalized: NFC shortens a text to a quarter at most.
  if (typeof value !== 'string' || value.length > 4 * maxNameChars) return null
  const name = sameName(value)
  return name !== '' && name.length <= maxNameChars && !unseen.test(name) ? name : null
}

/** A name as `nameFrom` stores it, for a look-up. Other texts have no match. */
export function sameName(text: string): string {
  return text.toWellFormed().normalize('NFC').trim()
}

/** An id of a writer, exactly as given. Null: the value is no id. */
export function givenId(value: unknown): string | null {
  if (typeof value !== 'string' || value.trim() === '' || value.length > maxNameChars) return null
  return unseen.test(value) ? null : value.toWellFormed()
}
