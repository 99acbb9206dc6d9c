/** loomlog's own format: one utterance a line, as `utteranceFrom` takes it, with an optional `space` and `tenant`. */
import { type Format, isFields } from './format.ts'

export const jsonLines: Format = {
  expected:
    'one utterance a line, such as {"conversation":"c1","speaker":"Ada","at":"2026-01-05T10:00:00Z","text":"I moved to Porto."}',
  isFirstValue: ({ speaker, text, messages }) => speaker !== undefined && text !== undefined && messages === undefined,
  reader: () =>
    function* ({ value }) {
      if (!isFields(value)) return yield { at: '', input: value }
      const { space, tenant, ...input } = value
      yield { at: '', input, space, tenant }
    },
}
