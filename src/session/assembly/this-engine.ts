import { Fault } from '../../model/fault.ts';

/** What the code counts on that came to the language last. Types say that it is there; the engine has the last word. */
const COUNTED_ON: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['Map.groupBy', Reflect.get(Map, 'groupBy')],
  ['Promise.withResolvers', Reflect.get(Promise, 'withResolvers')],
]);

/** On an older engine a run would fail somewhere in its middle, with a message that names no fix. */
export function tooOld(counted: ReadonlyMap<string, unknown> = COUNTED_ON): readonly Fault[] {
  const missing = [...counted].filter(([, value]) => typeof value !== 'function').map(([name]) => name);
  if (missing.length === 0) return [];
  const message = `this JavaScript engine is too old (it has no ${missing.join(', ')}): Ambit needs Node.js 24.15 or newer, such as npm install --save-dev node@24 brings`;
  return [new Fault('input_invalid', message)];
}
