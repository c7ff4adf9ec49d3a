import { expect, test } from 'vitest';
import { createQueue } from './run-writer.ts';

test('runs work one at a time, in the order of the calls', async () => {
  const inTurn = createQueue();
  const log: string[] = [];
  const work = (name: string) => async (): Promise<string> => {
    log.push(`${name} begins`);
    await Promise.resolve();
    // Work that is queued by running work still waits for everything queued before it.
    if (name === 'a') void inTurn(work('d'));
    await Promise.resolve();
    log.push(`${name} ends`);
    return name;
  };
  expect(await Promise.all([inTurn(work('a')), inTurn(work('b')), inTurn(work('c'))])).toEqual(['a', 'b', 'c']);
  await inTurn(work('e'));
  const order = ['a', 'b', 'c', 'd', 'e'];
  expect(log).toEqual(order.flatMap((name) => [`${name} begins`, `${name} ends`]));
});

test('keeps the order when a call arrives just as another one ends', async () => {
  const inTurn = createQueue();
  const log: string[] = [];
  const first = inTurn(async () => void log.push('first'));
  const waits = inTurn(async () => void log.push('waits'));
  const late = first.then(() => inTurn(async () => void log.push('late')));
  await Promise.all([first, waits, late]);
  expect(log).toEqual(['first', 'waits', 'late']);
});

test('continues after work that fails', async () => {
  const inTurn = createQueue();
  const broken = inTurn(async () => {
    throw new Error('down');
  });
  const next = inTurn(async () => 'done');
  await expect(broken).rejects.toThrow('down');
  expect(await next).toBe('done');
  expect(await inTurn(async () => 'again')).toBe('again');
});

test('does not run a new call in parallel with the next queued one', async () => {
  const inTurn = createQueue();
  const log: string[] = [];
  const work = (name: string) => async (): Promise<void> => {
    log.push(`${name} begins`);
    await Promise.resolve();
    log.push(`${name} ends`);
  };
  const over = Promise.withResolvers<void>();
  const first = inTurn(() => over.promise);
  const waits = inTurn(work('waits'));
  // This callback runs right after the one that hands over the turn.
  const asks = over.promise.then(() => inTurn(work('asks')));
  over.resolve();
  await Promise.all([first, waits, asks]);
  expect(log).toEqual(['waits begins', 'waits ends', 'asks begins', 'asks ends']);
});
