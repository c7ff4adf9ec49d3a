const NAME_LENGTH_MAX = 200;

/** A model's name as the journal can hold it: what is no letter, digit or one of a few signs becomes a dash. */
export function modelName(given: unknown, otherwise: string): string {
  const plain = typeof given === 'string' ? given.slice(0, NAME_LENGTH_MAX).replace(/[^A-Za-z0-9_.:@/-]/gu, '-') : '';
  return /^[A-Za-z0-9_]/u.test(plain) ? plain : otherwise;
}
