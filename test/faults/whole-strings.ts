/** Imported by a server whose heap is searched: V8 cuts the strings of a snapshot after 1,024 characters otherwise. */
import { setFlagsFromString } from 'node:v8'

setFlagsFromString('--heap-snapshot-string-limit=100000000')
