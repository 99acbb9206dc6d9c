/** The fields of every reply that reads one generation. */
import { integer, orNull, text } from './route-schema.ts'

export const readingFields = {
  generation: orNull(text('The generation that was read.')),
  epoch: integer('Rises with every change of the live generation.'),
}
