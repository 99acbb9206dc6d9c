/** Reads a PEM file that a variable names. */
import { readFile } from 'node:fs/promises'
import { LoomlogError } from '@loomlog/errors'

/** @throws LoomlogError `config-invalid` */
export async function readPem(name: string, file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    throw new LoomlogError('config-invalid', `${name}: ${file} can't be read: ${(cause as Error).message}`, { cause })
  }
}
