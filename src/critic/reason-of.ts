/** What a thrown value says for itself, without trusting it to be an error or even to turn into text. */
export function reasonOf(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message;
  return typeof thrown === 'string' ? thrown : `it threw a value of type ${typeof thrown}`;
}
