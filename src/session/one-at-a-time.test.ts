import { expect, test } from 'vitest';
import { oneAtATime } from './one-at-a-time.ts';

test('everything is done in the order in which it was asked, one at a time', async () => {
  const inTurn = oneAtATime();
  const log: string[] = [];
  const work = (name: string) => async (): Promise<string> => {
    log.push(`${name} begins`);
    await Promise.resolve();
    // Asked in the middle of another, it still waits for all that was asked before.
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

test('whoever asks just when another ends does not overtake those who wait', async () => {
  const inTurn = oneAtATime();
  const log: string[] = [];
  const first = inTurn(async () => void log.push('first'));
  const waits = inTurn(async () => void log.push('waits'));
  const late = first.then(() => inTurn(async () => void log.push('late')));
  await Promise.all([first, waits, late]);
  expect(log).toEqual(['first', 'waits', 'late']);
});

test('what fails fails alone', async () => {
  const inTurn = oneAtATime();
  const broken = inTurn(async () => {
    throw new Error('down');
  });
  const next = inTurn(async () => 'done');
  await expect(broken).rejects.toThrow('down');
  expect(await next).toBe('done');
  expect(await inTurn(async () => 'again')).toBe('again');
});

test('whoever asks between the end of one and the beginning of the next does not begin beside it', async () => {
  const inTurn = oneAtATime();
  const log: string[] = [];
  const work = (name: string) => async (): Promise<void> => {
    log.push(`${name} begins`);
    await Promise.resolve();
    log.push(`${name} ends`);
  };
  const over = Promise.withResolvers<void>();
  const first = inTurn(() => over.promise);
  const waits = inTurn(work('waits'));
  // Told that the first is over right after those who hand on its turn.
  const asks = over.promise.then(() => inTurn(work('asks')));
  over.resolve();
  await Promise.all([first, waits, asks]);
  expect(log).toEqual(['waits begins', 'waits ends', 'asks begins', 'asks ends']);
});
