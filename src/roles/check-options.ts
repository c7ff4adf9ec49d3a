import { Fault } from '../model/fault/fault.ts';
import { pointerToken } from '../model/json/pointer.ts';
import { printable } from '../model/json/printable.ts';

/** Refuses an option that is no model object. A name does not tell the provider package or the API key. */
export function assertModel(of: string, option: string, options: unknown): void {
  const isRecord = typeof options === 'object' && options !== null;
  const model: unknown = isRecord ? Reflect.get(options, option) : undefined;
  if (typeof model === 'object' && model !== null) return;
  const give = `${of}: ${option} is a model of the AI SDK, such as openai('gpt-5.4'), or a modelProfile`;
  if (model === undefined || model === null) throw new Fault('input_missing', give, { path: `/${option}` });
  const shown = typeof model === 'string' ? `the name ${printable(JSON.stringify(model))}` : `a ${typeof model}`;
  throw new Fault('input_invalid', `${give}, not ${shown}`, { path: `/${option}` });
}

/** Refuses unknown options, because a misspelt limit would not apply. Ignores values that are not objects. */
export function assertKnownOptions(of: string, options: unknown, known: readonly string[]): void {
  const keys = typeof options === 'object' && options !== null ? Object.keys(options) : [];
  const unknownKeys = keys.filter((key) => !known.includes(key));
  const [first] = unknownKeys;
  if (first === undefined) return;
  const message = `${of}: there is no option ${printable(unknownKeys.join(', '))}; there are ${known.join(', ')}`;
  throw new Fault('input_invalid', message, { path: pointerToken(first) });
}
