/** Tests that an answer that cannot be recorded becomes a recorded failure, so that no resume repeats its call. */
import { expect, test } from 'vitest';
import { memoryJournal } from '../../../src/adapters/memory/memory-journal.ts';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import { Fault } from '../../../src/model/fault/fault.ts';
import type { Json } from '../../../src/model/json/json.ts';
import type { Journal } from '../../../src/ports/journal/journal.ts';
import { CAPS, planOf, type Rig, rig } from '../rig.ts';

const PAYS = {
  approval_mode: 'local_write',
  side_effect: true,
  produces: ['done'],
  retries_max: 0,
  idempotency: { kind: 'key', retention_ms: 86_400_000 },
} as const;

const paying = (answer: Json, journal: Journal = memoryJournal({ hash: sha256 })): Rig =>
  rig({
    tools: { pay: { ...PAYS, execute: () => answer } },
    plans: [planOf([{ id: 'a', tool: 'pay' }])],
    caps: { ...CAPS, tool_calls_max: 2, side_effects_max: 1 },
    world: { journal },
  });

/** The details of the observations of the run. */
const observed = async ({ events }: Rig): Promise<readonly unknown[]> =>
  (await events('run_1')).flatMap((event) =>
    event.type === 'step_observed' ? [{ outcome: event.outcome, raw: event.raw, detail: event.detail }] : [],
  );

test('an answer whose text is longer than any string is recorded as malformed, and called once', async () => {
  const escaped = '\u0001'.repeat(50_000_000);
  const bench = paying({ a: escaped, b: escaped });
  const { runId } = await bench.invoke();
  for (let again = 0; again < 3; again += 1) {
    await bench.settle(bench.runtime.resume(runId)).catch((error: unknown) => expect(error).toBeInstanceOf(Fault));
  }
  expect(bench.dispatches).toHaveLength(1);
  expect(await observed(bench)).toEqual([
    { outcome: 'malformed', raw: null, detail: expect.stringContaining('more than 67108864 bytes as JSON') },
  ]);
  await bench.runtime.records.replay(runId);
});

test('the size counts escapes: an answer within the limit is stored, and the same length escaped is not', async () => {
  const length = 20_000_000;
  const plain = paying({ text: 'x'.repeat(length) });
  expect(await plain.invoke()).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(await observed(plain)).toMatchObject([{ outcome: 'ok', raw: { bytes: length + '{"text":""}'.length } }]);
  const escaped = paying({ text: '\u0001'.repeat(length) });
  await escaped.invoke();
  expect(await observed(escaped)).toMatchObject([{ outcome: 'malformed', raw: null }]);
});

/** A journal whose store refuses every frame that holds `text`, as a store with a smaller limit does. */
function refusing(text: string, refusal: () => Error): Journal {
  const inner = memoryJournal({ hash: sha256 });
  return {
    ...inner,
    append: (append) => (append.frame.events.includes(text) ? Promise.reject(refusal()) : inner.append(append)),
  };
}

test.each([
  ['a fault about the size', () => new Fault('json_too_large', 'a text is larger than the store can hold')],
  ['a raw error', () => new RangeError('Invalid string length')],
])('an answer that the store refuses with %s is recorded as malformed, and called once', async (_, refusal) => {
  const bench = paying({ receipt: 'unstorable' }, refusing('unstorable', refusal));
  const { runId } = await bench.invoke();
  await bench.settle(bench.runtime.resume(runId)).catch((error: unknown) => expect(error).toBeInstanceOf(Fault));
  expect(bench.dispatches).toHaveLength(1);
  expect(await observed(bench)).toMatchObject([
    { outcome: 'malformed', raw: null, detail: expect.stringContaining('the answer cannot be recorded') },
  ]);
  await bench.runtime.records.replay(runId);
});
