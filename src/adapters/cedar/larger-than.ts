/** Whether there are more than so many values in something plain. Stops counting there. */
export function isLargerThan(value: unknown, max: number): boolean {
  const waiting: unknown[] = [value];
  for (let counted = 0; waiting.length > 0; counted += 1) {
    if (counted + waiting.length > max) return true;
    const next = waiting.pop();
    if (typeof next === 'object' && next !== null) for (const child of Object.values(next)) waiting.push(child);
  }
  return false;
}
