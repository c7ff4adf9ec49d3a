/** What a record holds under a stranger's name. `toString` and its like are names too, and every object answers to them. */
export function own<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
