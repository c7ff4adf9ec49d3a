/** At most `most` calls hold a slot, and waiting calls get the next free one. */
import { fc, test } from '@fast-check/vitest';
import { expect } from 'vitest';
import { createSlots, type ReleaseSlot } from './slots.ts';

const patient = (): AbortSignal => new AbortController().signal;

test('gives a released slot to the next waiting call, in order', async () => {
  const slots = createSlots();
  const order: string[] = [];
  const first = await slots.enter('pay', 1, patient());
  const others = ['b', 'c'].map((name) =>
    slots.enter('pay', 1, patient()).then((leave) => {
      order.push(name);
      leave?.();
    }),
  );
  expect(order).toEqual([]);
  first?.();
  await Promise.all(others);
  expect(order).toEqual(['b', 'c']);
});

test('removes an aborted call from the queue without blocking those behind it', async () => {
  const slots = createSlots();
  const first = await slots.enter('pay', 1, patient());
  const hasty = new AbortController();
  const gaveUp = slots.enter('pay', 1, hasty.signal);
  const stays = slots.enter('pay', 1, patient());
  hasty.abort();
  expect(await gaveUp).toBeNull();
  first?.();
  expect(await stays).toBeTypeOf('function');
});

test('releases a slot only once, and counts each name separately', async () => {
  const slots = createSlots();
  const leave = await slots.enter('pay', 1, patient());
  const second = slots.enter('pay', 1, patient());
  leave?.();
  leave?.();
  await second;
  const third = new AbortController();
  const waiting = slots.enter('pay', 1, third.signal);
  expect(await slots.enter('look', 1, patient())).toBeTypeOf('function');
  third.abort();
  expect(await waiting).toBeNull();
  expect(await slots.enter('pay', 1, AbortSignal.abort())).toBeNull();
});

const script = fc.array(fc.constantFrom('enter', 'leave'), { maxLength: 60 });
test.prop([fc.integer({ min: 1, max: 4 }), script])('never exceeds the limit', async (most, moves) => {
  const slots = createSlots();
  const inside: ReleaseSlot[] = [];
  for (const move of moves) {
    if (move === 'enter') {
      void slots.enter('pay', most, patient()).then((leave) => {
        if (leave !== null) inside.push(leave);
      });
    } else inside.shift()?.();
    await Promise.resolve();
    await Promise.resolve();
    expect(inside.length).toBeLessThanOrEqual(most);
  }
});
