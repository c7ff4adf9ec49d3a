/** Never more inside than there are places, and whoever waits comes in when somebody leaves. */
import { fc, test } from '@fast-check/vitest';
import { expect } from 'vitest';
import { createSlots, type Leave } from './slots.ts';

const patient = (): AbortSignal => new AbortController().signal;

test('the next in line enters when somebody leaves, in order', async () => {
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

test('whoever gives up leaves the line, and nobody waits behind them in vain', async () => {
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

test('a place is given back once, however often it is tried, and names do not share places', async () => {
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
test.prop([fc.integer({ min: 1, max: 4 }), script])('never more than there are places', async (most, moves) => {
  const slots = createSlots();
  const inside: Leave[] = [];
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
