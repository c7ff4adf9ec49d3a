import { Fault } from '../model/fault.ts';
import { pointerToken } from '../model/pointer.ts';
import { printable } from '../model/printable.ts';

/** A misspelt option is a bound that somebody believes to be there. What is no object at all is for others to refuse. */
export function assertKnown(of: string, options: unknown, known: readonly string[]): void {
  const given = typeof options === 'object' && options !== null ? Object.keys(options) : [];
  const strange = given.filter((key) => !known.includes(key));
  const [first] = strange;
  if (first === undefined) return;
  const message = `${of}: there is no option ${printable(strange.join(', '))}; there are ${known.join(', ')}`;
  throw new Fault('input_invalid', message, { path: pointerToken(first) });
}
