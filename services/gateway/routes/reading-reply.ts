/** The fields of every reply that reads one generation. */
import { orNull, text, whole } from './route-schema.ts'

export const readingFields = {
  generation: orNull(text('The generation that was read.')),
  epoch: whole('Rises with every change of the live generation.'),
}
