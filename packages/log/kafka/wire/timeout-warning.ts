/**
 * kafkajs computes negative timeouts when it connects, and Node warns of each. Only that one warning is dropped.
 */
const emitWarning = process.emitWarning

process.emitWarning = ((warning: string | Error, ...rest: unknown[]) => {
  const type = typeof rest[0] === 'string' ? rest[0] : (rest[0] as { type?: string } | undefined)?.type
  if (type === 'TimeoutNegativeWarning') return
  Reflect.apply(emitWarning, process, [warning, ...rest])
}) as typeof process.emitWarning
