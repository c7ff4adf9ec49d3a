import { Fault } from '../model/fault.ts';
import { printable } from '../model/printable.ts';

/** The name of a model is no model: which package reaches it, and with whose key, is for the caller to say. */
export function assertModelGiven(of: string, option: string, options: unknown): void {
  const isRecord = typeof options === 'object' && options !== null;
  const model: unknown = isRecord ? Reflect.get(options, option) : undefined;
  if (typeof model === 'object' && model !== null) return;
  const give = `${of}: ${option} is a model of the AI SDK, such as openai('gpt-5.4'), or a modelProfile`;
  if (model === undefined || model === null) throw new Fault('input_missing', give, { path: `/${option}` });
  const said = typeof model === 'string' ? `the name ${printable(JSON.stringify(model))}` : `a ${typeof model}`;
  throw new Fault('input_invalid', `${give}, not ${said}`, { path: `/${option}` });
}
