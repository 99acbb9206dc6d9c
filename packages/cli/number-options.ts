/** Parsers for numeric options. */
import { InvalidArgumentError } from 'commander'

export function portNumber(text: string): number {
  const port = wholeNumber(text)
  if (port > 65_535) throw new InvalidArgumentError('expected a port, 0 to 65535.')
  return port
}

export function share(text: string): number {
  const value = Number(text)
  if (text.trim() === '' || !(value > 0 && value <= 1))
    throw new InvalidArgumentError('expected a number above 0, and at most 1.')
  return value
}

export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('expected a whole number.')
  return Number(text)
}
